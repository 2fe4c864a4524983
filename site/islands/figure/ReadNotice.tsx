import type { Reading } from '../../data/reading.ts';
import { RetryButton } from './RetryButton.tsx';
import styles from './read-notice.module.css';

interface ReadNoticeProps {
  readonly reading: Exclude<Reading<unknown>, { kind: 'loading' }>;
  /** What is read, for those who do not see where the notice stands: `the stakers`. */
  readonly what: string;
  /** Said where the read failed, beside a retry. */
  readonly failed: string;
  /** Said where the server has not read it from its source. */
  readonly unknown: string;
  /** Said where it was read and holds nothing. */
  readonly empty: string;
}

/** The words in the place of a list that has no row to show: failed, not known yet and empty are three things. */
export function ReadNotice({ reading, what, failed, unknown, empty }: ReadNoticeProps) {
  switch (reading.kind) {
    case 'failed':
      return (
        <p className={styles.notice} data-notice="failed">
          {failed} <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what={what} />
        </p>
      );
    case 'unknown':
      return (
        <p className={styles.notice} data-notice="unknown">
          {unknown}
        </p>
      );
    case 'known':
      return (
        <p className={styles.notice} data-notice="empty">
          {empty}
        </p>
      );
  }
}
