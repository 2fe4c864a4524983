/** A mark of a horizontal axis. */
export interface TimeMark {
  /** Unix ms. */
  readonly at: number;
  readonly words: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;

const MARKS_AT_MOST = 5;
/** How far from either end a mark stands at least, as a share of the axis: its words are centred on it. */
const MARGIN = 0.04;

/** Steps of even length, in ms, and longer ones in calendar months. */
const EVEN_STEPS = [
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  14 * DAY,
] as const;
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120] as const;

const words = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
const CLOCK = words({ hour: '2-digit', minute: '2-digit' });
const DATE = words({ day: 'numeric', month: 'short' });
const MONTH_OF_YEAR = words({ month: 'short', year: 'numeric' });
const MOMENT = words({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });

/** Marks at round times (UTC) between two moments (Unix ms), five at most. */
export function timeMarks(from: number, to: number): readonly TimeMark[] {
  const length = to - from;
  const begin = from + length * MARGIN;
  const end = to - length * MARGIN;
  const even = EVEN_STEPS.find((step) => length / step <= MARKS_AT_MOST);
  if (even !== undefined) return evenMarks(begin, end, even);
  const months = MONTH_STEPS.find((step) => length / (step * MONTH) <= MARKS_AT_MOST) ?? 240;
  return monthMarks(begin, end, months);
}

function evenMarks(begin: number, end: number, step: number): readonly TimeMark[] {
  const marks: TimeMark[] = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
    marks.push({ at, words: (at % DAY === 0 ? DATE : CLOCK).format(at) });
  }
  return marks;
}

function monthMarks(begin: number, end: number, step: number): readonly TimeMark[] {
  const first = new Date(begin);
  const month = first.getUTCFullYear() * 12 + first.getUTCMonth();
  const marks: TimeMark[] = [];
  for (let next = Math.ceil(month / step) * step; ; next += step) {
    const at = Date.UTC(Math.floor(next / 12), next % 12);
    if (at > end) return marks;
    if (at >= begin) marks.push({ at, words: MONTH_OF_YEAR.format(at) });
  }
}

/** A moment (Unix ms) in words, to the minute: `'12 Nov 2026, 14:05'`, in UTC. */
export function momentWords(at: number): string {
  return MOMENT.format(at);
}
