import { isClockOff, MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';

/** Whether the histories were read to their end, but no longer follow the accounts. The newest events are then missing. */
export function isHistoryBehind({ chain, historyReadAt }: IndexSnapshot): boolean {
  if (chain === null || historyReadAt === null) return false;
  const { readAt, clockDifference } = chain;
  // While the clock of the indexer's host is off, `readAt` is the chain's time, but `historyReadAt` is not.
  const hostTime = isClockOff(clockDifference) ? readAt + clockDifference : readAt;
  return hostTime - historyReadAt > MAX_HISTORY_LAG_MS;
}

/** Whether the events are indexed up to the newest transaction. */
export function isHistoryRead(index: IndexSnapshot): boolean {
  return index.isHistoryCaughtUp && !isHistoryBehind(index);
}

/** Whether no event can be missing. */
export function isHistoryComplete(index: IndexSnapshot): boolean {
  return isHistoryRead(index) && index.hasCompleteHistory && index.quarantinedCount === 0;
}
