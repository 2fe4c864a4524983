import styles from './form.module.css';

/** Says where what is typed is kept until it is sent. */
export function DraftHint() {
  return (
    <p className={styles.quiet}>
      What you type is kept in this tab until you send it, so that a reload loses nothing. It is gone when you
      close the tab.
    </p>
  );
}
