import { ageState, FRESHNESS, isClockOff, MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';

/** When the chain was read, by the clock of the indexer's host. While that clock is wrong, `readAt` has the chain's time instead. */
function hostReadAt({ readAt, clockDifference }: NonNullable<IndexSnapshot['chain']>): number {
  return isClockOff(clockDifference) ? readAt + clockDifference : readAt;
}

/** Whether histories that were once up to date now lag too far behind the accounts. If so, the newest events may be missing. */
export function isHistoryBehind({ chain, historyReadAt }: IndexSnapshot): boolean {
  if (chain === null || historyReadAt === null) return false;
  return hostReadAt(chain) - historyReadAt > MAX_HISTORY_LAG_MS;
}

/** Whether the events are indexed up to the newest transaction. */
export function isHistoryRead(index: IndexSnapshot): boolean {
  return index.isHistoryCaughtUp && !isHistoryBehind(index);
}

/** Whether the index certainly contains every event. */
export function isHistoryComplete(index: IndexSnapshot): boolean {
  return isHistoryRead(index) && index.hasCompleteHistory && index.quarantinedCount === 0;
}

/** Whether the index certainly contains every event, and the chain was read recently. @param now Unix ms */
export function isHistoryCurrent(index: IndexSnapshot, now: number): boolean {
  const { chain } = index;
  // The clock of the indexer's host may be wrong. The API may use the same clock or the correct clock of another host, so both
  // times are tried.
  const times = chain === null ? [] : [hostReadAt(chain), chain.readAt];
  const isRecent = times.some((at) => ageState(at, now, FRESHNESS.chain) !== 'stale');
  return isRecent && isHistoryComplete(index);
}
