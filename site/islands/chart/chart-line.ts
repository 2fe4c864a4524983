import type { ChartRange } from '../../../data/contract/history.ts';

/** A moment of a chart and the value that holds from it on; null where from that moment on no value is known. */
export interface ChartPoint {
  /** Unix ms. */
  readonly at: number;
  /** Exact decimal text, for tables, files and what is read out. */
  readonly text: string | null;
  /** The same as a number, for its place on the chart alone. */
  readonly value: number | null;
}

/** A line of steps over a span of time. Where nothing is known there is a gap, never a value. */
export interface ChartLine {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  /** The span shown, Unix ms; the line may begin after its start. */
  readonly from: number;
  readonly to: number;
  /** Until when the last value is known to hold; from there to the end of the span there is a gap. */
  readonly knownUntil: number;
}

interface ToldPoint {
  readonly at: string;
  readonly value: string;
}

/** A value and the moment (Unix ms) since when it is known to stand. */
interface LaterValue {
  readonly at: number;
  readonly text: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LENGTH: Readonly<Record<Exclude<ChartRange, 'all'>, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
};
/** Length of a span that would else have none: a history that has only just begun. */
const SHORTEST = HOUR;

const DECIMAL_TEXT = /^-?\d+(\.\d+)?$/;

/** The point of a text; one that is not a number is a gap. */
export function chartPoint(at: number, text: string): ChartPoint {
  return DECIMAL_TEXT.test(text) ? { at, text, value: Number(text) } : { at, text: null, value: null };
}

/**
 * The line of a history as it was told, continued by a later value where there is one, up to `now` (Unix ms). Points whose
 * moment cannot be read are left out; of several that stand before the span only the last is kept, since it says what
 * the span begins with.
 */
export function chartLine(
  told: readonly ToldPoint[],
  range: ChartRange,
  later: LaterValue | null,
  knownUntil: number,
  now: number,
): ChartLine {
  const points: ChartPoint[] = [];
  for (const { at, value } of told) {
    const moment = Date.parse(at);
    if (Number.isFinite(moment)) points.push(chartPoint(moment, value));
  }
  const last = points.at(-1);
  if (later !== null && (last === undefined || (later.at >= last.at && later.text !== last.text))) {
    points.push(chartPoint(later.at, later.text));
  }
  const to = Math.max(now, points.at(-1)?.at ?? now);
  const from = range === 'all' ? Math.min(points[0]?.at ?? to, to - SHORTEST) : to - LENGTH[range];
  const begin = points.findLastIndex(({ at }) => at <= from);
  const shown = begin > 0 ? points.slice(begin) : points;
  return { points: shown, from, to, knownUntil: Math.min(Math.max(knownUntil, shown.at(-1)?.at ?? 0), to) };
}

/** The point whose value holds at a moment, or null where none is known. */
export function pointAt(line: ChartLine, moment: number): ChartPoint | null {
  if (moment > line.knownUntil) return null;
  let low = 0;
  let high = line.points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((line.points[middle]?.at ?? Number.POSITIVE_INFINITY) <= moment) low = middle + 1;
    else high = middle;
  }
  const point = line.points[low - 1];
  return point?.value == null ? null : point;
}
