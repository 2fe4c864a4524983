import type { IndexSnapshot, IndexStatistics } from '../ports.ts';

export interface WatchedAccount {
  readonly cursorSlot: number | null;
  readonly caughtUpAt: number | null;
  readonly hasBeginning: boolean;
  readonly eventCount: number;
  readonly isVault: boolean;
}

/** An index follows two accounts: the vault and the pool's vault. */
const WATCHED_ACCOUNT_COUNT = 2;

/**
 * Whether the histories of both accounts are caught up and complete, and the time up to which they are
 * indexed.
 * @param watched the accounts that have a history
 */
export function historyState(
  watched: readonly WatchedAccount[],
  lastAgreement: IndexSnapshot['lastAgreement'],
): Pick<IndexSnapshot, 'isHistoryCaughtUp' | 'historyReadAt' | 'hasCompleteHistory'> {
  const caughtUpTimes = watched.flatMap(({ caughtUpAt }) => caughtUpAt ?? []);
  const isHistoryCaughtUp = caughtUpTimes.length === WATCHED_ACCOUNT_COUNT;
  return {
    isHistoryCaughtUp,
    historyReadAt: isHistoryCaughtUp ? Math.min(...caughtUpTimes) : null,
    hasCompleteHistory:
      lastAgreement !== null ||
      (watched.length === WATCHED_ACCOUNT_COUNT && watched.every(({ hasBeginning }) => hasBeginning)),
  };
}

/** @param watched the accounts that have a history */
export function accountStatistics(
  watched: readonly WatchedAccount[],
): Pick<IndexStatistics, 'events' | 'cursorSlot'> {
  const countOf = (isVault: boolean) =>
    watched.find((account) => account.isVault === isVault)?.eventCount ?? 0;
  const cursors = watched.flatMap(({ cursorSlot }) => (cursorSlot === null ? [] : [cursorSlot]));
  return {
    events: { vault: countOf(true), 'stake-pool': countOf(false) },
    cursorSlot: cursors.length === WATCHED_ACCOUNT_COUNT ? Math.min(...cursors) : null,
  };
}
