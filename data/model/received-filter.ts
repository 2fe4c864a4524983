const DAY_MS = 86_400_000;
/** Unix ms of the first Monday of 1970, which was January 5. */
const FIRST_MONDAY = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/** Spans of whole days (UTC), relative to today. A week begins on Monday. */
export const RECEIVED_FILTER_VALUES = [
  'today',
  'yesterday',
  'this-week',
  'last-week',
  'last-30-days',
] as const;
export type ReceivedFilterValue = (typeof RECEIVED_FILTER_VALUES)[number];

/** A span of time in Unix ms: at or after `from`, earlier than `before`. */
interface Span {
  readonly from: number;
  readonly before: number;
}

export function receivedSpan(filterValue: ReceivedFilterValue, now: number): Span {
  const today = now - (now % DAY_MS);
  const monday = today - ((today - FIRST_MONDAY) % WEEK_MS);
  switch (filterValue) {
    case 'today':
      return { from: today, before: today + DAY_MS };
    case 'yesterday':
      return { from: today - DAY_MS, before: today };
    case 'this-week':
      return { from: monday, before: monday + WEEK_MS };
    case 'last-week':
      return { from: monday - WEEK_MS, before: monday };
    case 'last-30-days':
      return { from: today - 29 * DAY_MS, before: today + DAY_MS };
  }
}
