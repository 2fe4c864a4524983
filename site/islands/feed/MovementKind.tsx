import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { activityRow } from './activity-row.ts';
import styles from './movement-kind.module.css';

/** The kind of a movement as a word, in the colour of its direction. */
export function MovementKind({ row }: { readonly row: TransactionRow }) {
  const { word, tone } = activityRow(row);
  return (
    <span className={styles.kind} data-tone={tone}>
      {word}
    </span>
  );
}
