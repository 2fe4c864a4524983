import styles from './form.module.css';

interface TrapProps {
  readonly id: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A field that people neither see nor reach: what fills it in is a program, and its form is refused. */
export function Trap({ id, value, onValue }: TrapProps) {
  return (
    <div className={styles.trap} aria-hidden="true">
      <label htmlFor={id}>Leave this empty</label>
      <input
        id={id}
        name="website"
        value={value}
        tabIndex={-1}
        autoComplete="off"
        onChange={({ target }) => onValue(target.value)}
      />
    </div>
  );
}
