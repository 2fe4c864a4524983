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
  /** The vault's quarantined transactions; null if there are none. */
  readonly quarantined: {
    readonly latestTime: number | null;
    /** How many of these transactions have no time. */
    readonly undated: number;
    /** The time of the newest event up to the last of these transactions; null if it is unknown. */
    readonly timeBefore: number | null;
  } | null;
}

export interface VaultHistory {
  readonly newest: RunningTotals;
  /** The time up to which the history is complete; null when it is unknown. */
  readonly until: number | null;
  /** The latest time that a quarantined transaction can have; -Infinity when there is none. */
  readonly latestQuarantinedTime: number;
  /** When the latest snapshot was read; null if there is no snapshot, or the history is not caught up. */
  readonly readAt: number | null;
  /** The vault's balance before its first event; null when it is unknown. */
  readonly openingBalance: bigint | null;
  /** Whether a reconciliation ever agreed. If so, no event is missing before the first stored event. */
  readonly hasAgreed: boolean;
}

export const netAmount = ({ totalIn, totalOut }: Pick<RunningTotals, 'totalIn' | 'totalOut'>): bigint =>
  totalIn - totalOut;

/**
 * The latest time that a quarantined transaction can have: its own time, or the time of the event before it if that is
 * later. Infinity if one has no time; -Infinity if there are none.
 */
function findLatestQuarantinedTime(quarantined: VaultFacts['quarantined']): number {
  if (quarantined === null) return Number.NEGATIVE_INFINITY;
  const { latestTime, undated, timeBefore } = quarantined;
  if (latestTime === null || undated > 0) return Number.POSITIVE_INFINITY;
  return Math.max(latestTime, timeBefore ?? latestTime);
}

/**
 * The vault's balance before its first event; null if it is unknown. The snapshot alone does not determine it: missing events
 * may be older than all others, or newer. The balance is known if the events add up to the snapshot's balance. While no
 * reconciliation has ever agreed, it is also known if the latest one found the same difference. That one is not missing newer
 * events, because a reconciliation waits for the history up to its slot.
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
