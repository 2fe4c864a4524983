import type { VaultWindow } from '../ports.ts';
import { type RunningTotals, ZERO_TOTALS } from './running-totals.ts';
import type { StoredReconciliation } from './snapshots.ts';

export interface VaultFacts {
  readonly caughtUpAt: number | null;
  /** The totals of all events. */
  readonly newest: RunningTotals;
  readonly chain: {
    readonly readAt: number;
    readonly vaultBalance: bigint | null;
    readonly vaultProblem: string | null;
    /** The sum of the events up to the snapshot's slot. */
    readonly indexed: bigint;
  } | null;
  readonly reconciliation:
    | (Pick<StoredReconciliation, 'differences' | 'agreedSlot'> & {
        /** The sum of the events up to the slot of the reconciliation. */
        readonly indexed: bigint;
      })
    | null;
  /** Null if no transaction is quarantined. */
  readonly quarantined: {
    readonly latestTime: number | null;
    readonly undated: number;
    /** The time of the newest event that is not later than the last of these transactions; null if it is unknown. */
    readonly timeBefore: number | null;
  } | null;
}

export interface VaultHistory {
  readonly newest: RunningTotals;
  /** The time up to which the history is complete; null when it is unknown. */
  readonly until: number | null;
  readonly latestQuarantinedTime: number;
  /** When the latest snapshot was read; null if there is no snapshot, or the history is not caught up. */
  readonly readAt: number | null;
  readonly openingBalance: bigint | null;
  /** Whether any reconciliation has ever found no differences. If so, no event is missing before the first stored one. */
  readonly hasAgreed: boolean;
}

export const netAmount = ({ totalIn, totalOut }: Pick<RunningTotals, 'totalIn' | 'totalOut'>): bigint =>
  totalIn - totalOut;

/**
 * The latest time that any quarantined transaction can have: its own time or, if later, the time of the event before it.
 * `Infinity` if the time of a transaction is unknown; `-Infinity` if none is quarantined.
 */
function findLatestQuarantinedTime(quarantined: VaultFacts['quarantined']): number {
  if (quarantined === null) return Number.NEGATIVE_INFINITY;
  const { latestTime, undated, timeBefore } = quarantined;
  if (latestTime === null || undated > 0) return Number.POSITIVE_INFINITY;
  return Math.max(latestTime, timeBefore ?? latestTime);
}

/**
 * The vault's balance before its first event; null if it is unknown. The snapshot alone does not determine it, because missing
 * events may be either older or newer than the stored ones. If the stored events add up to the snapshot's balance, the opening
 * balance is 0. If they do not, the difference is the opening balance, provided that no reconciliation has ever agreed and the
 * latest one found the same difference: a reconciliation waits for the history up to its slot, so no newer events are missing
 * from it.
 */
function findOpeningBalance(
  chain: NonNullable<VaultFacts['chain']>,
  reconciliation: VaultFacts['reconciliation'],
): bigint | null {
  if (chain.vaultProblem !== null || chain.vaultBalance === null) return null;
  const unindexedAmount = chain.vaultBalance - chain.indexed;
  if (unindexedAmount === 0n) return 0n;
  if (reconciliation === null || reconciliation.agreedSlot !== null) return null;
  const vaultDifference = reconciliation.differences.find(({ what }) => what === 'vault.balance');
  if (vaultDifference === undefined || vaultDifference.indexed !== reconciliation.indexed) return null;
  return vaultDifference.onChain - vaultDifference.indexed === unindexedAmount ? unindexedAmount : null;
}

export function vaultHistory({
  caughtUpAt,
  newest,
  chain,
  reconciliation,
  quarantined,
}: VaultFacts): VaultHistory {
  const until = Math.max(newest.historyTime ?? -1, caughtUpAt ?? -1);
  const caughtUpChain = caughtUpAt === null ? null : chain;
  return {
    newest,
    until: until < 0 ? null : until,
    latestQuarantinedTime: findLatestQuarantinedTime(quarantined),
    readAt: caughtUpChain?.readAt ?? null,
    openingBalance: caughtUpChain === null ? null : findOpeningBalance(caughtUpChain, reconciliation),
    hasAgreed: (reconciliation?.agreedSlot ?? null) !== null,
  };
}

/**
 * @param before the totals up to `since`; null if no event has a time up to then
 * @param undated the totals of the first events, which have no time; null if there are none
 */
export function movementsSince(
  { newest, until, latestQuarantinedTime, openingBalance, hasAgreed }: VaultHistory,
  since: number,
  before: RunningTotals | null,
  undated: RunningTotals | null,
): VaultWindow {
  const base = before ?? undated ?? ZERO_TOTALS;
  return {
    deposits: newest.totalIn - base.totalIn,
    withdrawals: newest.totalOut - base.totalOut,
    movements: newest.movements - base.movements,
    until,
    coversWindow: latestQuarantinedTime < since && (before !== null || openingBalance === 0n || hasAgreed),
  };
}

/** @param before the totals up to `moment`; null if no event has a time up to then */
export function balanceAt(
  { readAt, until, latestQuarantinedTime, openingBalance }: VaultHistory,
  moment: number,
  before: RunningTotals | null,
): bigint | null {
  if (openingBalance === null || readAt === null || until === null || before === null) return null;
  if (moment > readAt || moment > until || moment <= latestQuarantinedTime) return null;
  return openingBalance + netAmount(before);
}

/** The result of `vaultMovements` while the vault has no history. */
export const NO_MOVEMENTS: VaultWindow = {
  deposits: 0n,
  withdrawals: 0n,
  movements: 0,
  until: null,
  coversWindow: false,
};
