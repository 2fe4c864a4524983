import type { TransactionRow } from '../../../data/contract/metrics.ts';
import type { EventKind } from '../../../data/model/chain-events.ts';
import { formatAge } from '../../../data/model/format.ts';
import { formatMoved } from '../figure/moved-amount.ts';

/** How a kind of movement is told: its word, the sign of its amount, and the tone that repeats the sign in colour. */
interface KindWords {
  readonly word: string;
  readonly sign: '+' | '−' | '';
  readonly tone: 'in' | 'out' | 'other';
}

const KINDS: Readonly<Record<EventKind, KindWords>> = {
  stake: { word: 'Stake', sign: '+', tone: 'in' },
  deposit: { word: 'Deposit', sign: '+', tone: 'in' },
  unstake: { word: 'Unstake', sign: '−', tone: 'out' },
  withdraw: { word: 'Withdraw', sign: '−', tone: 'out' },
  other: { word: 'Other', sign: '', tone: 'other' },
};

export interface ActivityRow extends KindWords {
  readonly signature: string;
  readonly status: TransactionRow['status'];
  readonly amount: string;
  /** Unix ms; null where the cluster does not know. */
  readonly happenedAt: number | null;
}

/** One movement as the feed shows it. */
export function activityRow(transaction: TransactionRow): ActivityRow {
  const words = KINDS[transaction.type] ?? KINDS.other;
  return {
    ...words,
    signature: transaction.signature,
    status: transaction.status,
    amount: `${words.sign}${formatMoved(transaction.amount)}`,
    happenedAt: transaction.blockTime === null ? null : transaction.blockTime * 1_000,
  };
}

/** Tells a row from every other: one transaction may move both watched accounts, and one of them several times. */
export function rowKey({
  signature,
  account,
  part,
}: Pick<TransactionRow, 'signature' | 'account' | 'part'>): string {
  return `${signature} ${account} ${part}`;
}

/** How long ago a movement happened; both times are Unix ms. */
export function whenText(happenedAt: number | null, now: number): string {
  return happenedAt === null ? 'time unknown' : formatAge(now - happenedAt);
}
