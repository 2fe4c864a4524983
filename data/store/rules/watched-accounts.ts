import type { IndexSnapshot, IndexStatistics } from '../ports.ts';

/** The stored facts about an account that the index follows. */
export interface WatchedAccount {
  readonly cursorSlot: number | null;
  readonly caughtUpAt: number | null;
  readonly hasBeginning: boolean;
  readonly eventCount: number;
  readonly isVault: boolean;
}

/** An index follows two accounts: the vault and the pool's vault. */
const WATCHED_ACCOUNT_COUNT = 2;

/** Whether the histories of both accounts are caught up and whole. @param watched the accounts that have a history */
export function historyState(
  watched: readonly WatchedAccount[],
  lastAgreement: IndexSnapshot['lastAgreement'],
): Pick<IndexSnapshot, 'isHistoryCaughtUp' | 'hasCompleteHistory'> {
  const holdsForAll = (holds: (account: WatchedAccount) => boolean): boolean =>
    watched.length === WATCHED_ACCOUNT_COUNT && watched.every(holds);
  return {
    isHistoryCaughtUp: holdsForAll(({ caughtUpAt }) => caughtUpAt !== null),
    hasCompleteHistory: lastAgreement !== null || holdsForAll(({ hasBeginning }) => hasBeginning),
  };
}

/** The statistics that come from the accounts. @param watched the accounts that have a history */
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
