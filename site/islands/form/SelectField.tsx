import type { FieldWiring } from './Field.tsx';
import styles from './form.module.css';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps extends FieldWiring {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly choices: readonly Choice[];
  readonly autoComplete?: string;
}

/** A choice of one of several, none of which is chosen at first. */
export function SelectField({
  id,
  name,
  value,
  fault,
  onValue,
  label,
  hint,
  choices,
  autoComplete,
}: SelectFieldProps) {
  const described = [hint ? `${id}-hint` : '', fault === null ? '' : `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {hint ? (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      <select
        className={styles.lines}
        id={id}
        name={name}
        value={value}
        autoComplete={autoComplete}
        required
        aria-invalid={fault !== null}
        aria-describedby={described === '' ? undefined : described}
        onChange={({ target }) => onValue(target.value)}
      >
        <option value="">Choose</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {fault === null ? null : (
        <p className={styles.fault} id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
