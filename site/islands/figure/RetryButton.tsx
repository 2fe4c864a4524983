import type { Retry } from './provenance.ts';
import styles from './retry-button.module.css';

/** Says that a read failed and reads again on demand. `what` names the read for those who do not see its tile. */
export function RetryButton({ retry, what }: { readonly retry: Retry; readonly what: string }) {
  return (
    <button type="button" className={styles.retry} onClick={retry.run} aria-disabled={retry.running}>
      {retry.running ? 'Reading…' : 'Retry'}
      <span className="visually-hidden"> {what}</span>
    </button>
  );
}
