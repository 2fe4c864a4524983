import type { ChartRange } from '../../../data/contract/history.ts';

/** A change in a value. The new value holds until the next point. `text` and `value` are null if the new value is unknown. */
export interface ChartPoint {
  /** Unix ms. */
  readonly at: number;
  /** The exact decimal text, for tables, files and screen readers. */
  readonly text: string | null;
  /** The number, used only for the position on the chart. */
  readonly value: number | null;
}

/** A step line over a time span. Where the value is unknown, the line has a gap. */
export interface ChartLine {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  /** The start and the end of the span, in Unix ms. The line may begin later than `from`. */
  readonly from: number;
  readonly to: number;
  /** The time (Unix ms) up to which the last value is known. After that, the line has a gap. */
  readonly knownUntil: number;
  /** Whether the span ended before now; default: false. */
  readonly isPast?: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RANGE_LENGTH_MS: Readonly<Record<Exclude<ChartRange, 'all'>, number>> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};
/** The shortest span, for a history that has just begun. */
const SHORTEST_SPAN_MS = HOUR_MS;

const DECIMAL_TEXT = /^-?\d+(\.\d+)?$/;

/** Any text that is not a decimal number is an unknown value. */
function chartPoint(at: number, text: string): ChartPoint {
  return DECIMAL_TEXT.test(text) ? { at, text, value: Number(text) } : { at, text: null, value: null };
}

/**
 * The line of a history up to `now` (Unix ms). If `latest` is newer and different, it continues the line. Points without a
 * valid date are left out. Of the points before the span, only the last is kept, because its value holds when the span begins.
 */
export function chartLine(
  history: readonly { readonly at: string; readonly value: string | null }[],
  range: ChartRange,
  latest: { readonly at: number; readonly text: string } | null,
  knownUntil: number,
  now: number,
): ChartLine {
  const points: ChartPoint[] = [];
  for (const { at, value } of history) {
    const moment = Date.parse(at);
    if (Number.isFinite(moment)) points.push(chartPoint(moment, value ?? ''));
  }
  const last = points.at(-1);
  if (latest !== null && (last === undefined || (latest.at >= last.at && latest.text !== last.text))) {
    points.push(chartPoint(latest.at, latest.text));
  }
  const to = Math.max(now, points.at(-1)?.at ?? now);
  const from =
    range === 'all' ? Math.min(points[0]?.at ?? to, to - SHORTEST_SPAN_MS) : to - RANGE_LENGTH_MS[range];
  const begin = points.findLastIndex(({ at }) => at <= from);
  const visiblePoints = begin > 0 ? points.slice(begin) : points;
  return {
    points: visiblePoints,
    from,
    to,
    knownUntil: Math.min(Math.max(knownUntil, visiblePoints.at(-1)?.at ?? 0), to),
  };
}

/** The point whose value holds at a moment; null if the value is not known then. */
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

/** The share of the stops that Page Up and Page Down skip. */
const PAGE_SHARE = 0.1;

/** The times (Unix ms) at which the cursor stops: each change in the span, and the time up to which the line is known. */
export function cursorStops({ points, from, knownUntil }: ChartLine): readonly number[] {
  const stops = points.map(({ at }) => Math.max(at, from));
  const last = stops.at(-1);
  return last !== undefined && last < knownUntil ? [...stops, knownUntil] : stops;
}

/** The index of the last stop at or before a moment; 0 before the first stop. */
export function stopIndexAt(stops: readonly number[], moment: number): number {
  const index = stops.findLastIndex((stop) => stop <= moment);
  return Math.max(index, 0);
}

/** The index of the stop that a key moves the cursor to; null for keys that do not move it. */
export function nextStopIndex(key: string, index: number, count: number): number | null {
  const pageSize = Math.max(1, Math.round(count * PAGE_SHARE));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -pageSize,
    PageUp: pageSize,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : Math.min(Math.max(index + step, 0), count - 1);
}

/**
 * Leaves out points that would be invisible in a plot with this number of columns, so that the rendering time does not grow
 * with the history. Keeps every gap, and the first, lowest, highest and last point of each column. No peak is lost.
 */
export function thinPoints(
  points: readonly ChartPoint[],
  from: number,
  to: number,
  columns: number,
): readonly ChartPoint[] {
  if (points.length <= columns) return points;
  const columnMs = (to - from) / columns;
  const thinned: ChartPoint[] = [];
  let begin = 0;
  while (begin < points.length) {
    const column = columnOf(points, begin, from, columnMs);
    let end = begin + 1;
    while (end < points.length && columnOf(points, end, from, columnMs) === column) end += 1;
    addVisible(points, begin, end, thinned);
    begin = end;
  }
  return thinned;
}

function columnOf(points: readonly ChartPoint[], index: number, from: number, columnMs: number): number {
  const at = points[index]?.at ?? from;
  return Math.floor((at - from) / columnMs);
}

function addVisible(points: readonly ChartPoint[], begin: number, end: number, thinned: ChartPoint[]): void {
  let lowestIndex = begin;
  let highestIndex = begin;
  const valueAt = (index: number) => points[index]?.value ?? null;
  for (let index = begin; index < end; index += 1) {
    const current = valueAt(index);
    if (current === null) continue;
    const low = valueAt(lowestIndex);
    const high = valueAt(highestIndex);
    if (low === null || current < low) lowestIndex = index;
    if (high === null || current > high) highestIndex = index;
  }
  for (let index = begin; index < end; index += 1) {
    const point = points[index];
    if (point === undefined) continue;
    const isGap = point.value === null && valueAt(index - 1) !== null;
    const endsGap = point.value !== null && index > 0 && valueAt(index - 1) === null;
    const isEdge = index === begin || index === end - 1;
    if (isEdge || isGap || endsGap || index === lowestIndex || index === highestIndex) thinned.push(point);
  }
}

/** The size of a plot in SVG units. The plot is stretched to fill its frame. */
export const PLOT = { width: 10_000, height: 1_000 } as const;

/** The number of columns for `thinPoints`. On any screen, a column is narrower than the line's stroke. */
const COLUMNS = 800;

export function stepPath(line: ChartLine, bottom: number, top: number): string {
  const { from, to, knownUntil } = line;
  const x = (at: number) =>
    Math.round(((Math.min(Math.max(at, from), to) - from) / (to - from)) * PLOT.width);
  const y = (value: number) => Math.round(((top - value) / (top - bottom)) * PLOT.height);
  let path = '';
  let currentY: number | null = null;
  for (const { at, value } of thinPoints(line.points, from, to, COLUMNS)) {
    const nextY = value === null ? null : y(value);
    if (nextY !== currentY) {
      if (currentY !== null) path += `H${x(at)}`;
      if (nextY !== null) path += currentY === null ? `M${x(at)} ${nextY}` : `V${nextY}`;
    }
    currentY = nextY;
  }
  return currentY === null ? path : `${path}H${x(knownUntil)}`;
}

/** The path of the area below a step line, down to the bottom of the plot. The axis must begin at zero. */
export function stepArea(line: ChartLine, top: number): string {
  return stepPath(line, 0, top).replace(/M(\d+)[^M]*/g, (part, x) => `${part}V${PLOT.height}H${x}Z`);
}
