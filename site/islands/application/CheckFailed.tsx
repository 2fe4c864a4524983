import styles from '../form/form.module.css';

interface CheckFailedProps {
  readonly message: string;
  readonly advice: string;
}

/** Tells that nothing is known of the wallet, and what to do about it. */
export default function CheckFailed({ message, advice }: CheckFailedProps) {
  return (
    <div className={styles.answer} role="alert">
      <p>{message}</p>
      <p className={styles.quiet}>{advice}</p>
    </div>
  );
}
