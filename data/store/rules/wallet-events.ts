import type { EventCursor, WalletEvent, WalletEvents } from '../ports.ts';

/** A cursor after every possible event, so that the first page begins with the newest event. */
export const FIRST_PAGE_CURSOR: EventCursor = {
  slot: Number.MAX_SAFE_INTEGER,
  position: Number.MAX_SAFE_INTEGER,
  order: Number.MAX_SAFE_INTEGER,
};

/** @param rows newest first: at most `limit` + 1, so that the last one shows whether another page follows */
export function walletEventsPage(rows: readonly WalletEvent[], limit: number): WalletEvents {
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  const isLastPage = last === undefined || rows.length <= limit;
  return {
    events,
    next: isLastPage ? null : { slot: last.slot, position: last.position, order: last.order },
  };
}
