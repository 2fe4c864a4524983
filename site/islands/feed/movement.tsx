import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { EVENT_KIND_STYLES, type EventKindStyle } from '../../../data/model/chain-events.ts';
import { formatAge } from '../../../data/model/format.ts';
import { formatAmount } from '../ui/format.ts';
import styles from './feed.module.css';

export interface Movement extends EventKindStyle {
  readonly signature: string;
  readonly status: TransactionRow['status'];
  readonly amount: string;
  /** Unix ms; null if the cluster does not know the time. */
  readonly happenedAt: number | null;
}

export function movementOf(transaction: TransactionRow): Movement {
  const kindStyle = EVENT_KIND_STYLES[transaction.type] ?? EVENT_KIND_STYLES.other;
  return {
    ...kindStyle,
    signature: transaction.signature,
    status: transaction.status,
    amount: `${kindStyle.sign}${formatAmount(transaction.amount)}`,
    happenedAt: transaction.blockTime === null ? null : transaction.blockTime * 1_000,
  };
}

/** A unique key. One transaction can change both watched accounts, and each of them several times. */
export function rowKey(row: Pick<TransactionRow, 'signature' | 'account' | 'part'>): string {
  return `${row.signature} ${row.account} ${row.part}`;
}

/** Both times are Unix ms. */
export function movementAgeText(happenedAt: number | null, now: number): string {
  return happenedAt === null ? 'time unknown' : formatAge(now - happenedAt);
}

export function MovementKind({ movement }: { readonly movement: Pick<Movement, 'label' | 'tone'> }) {
  return (
    <span className={styles.kind} data-tone={movement.tone}>
      {movement.label}
    </span>
  );
}
