import type { ChartRange } from '../../../data/contract/history.ts';

/** A time and the value that holds from then on; null if it is unknown. */
export interface ChartPoint {
  /** Unix ms. */
  readonly at: number;
  /** Exact decimal text, for tables, files and screen readers. */
  readonly text: string | null;
  /** The value as a number, only for its position on the chart. */
  readonly value: number | null;
}

/** A step line over a time span. It has a gap where nothing is known. */
export interface ChartLine {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  /** The span shown, Unix ms; the line may begin after its start. */
  readonly from: number;
  readonly to: number;
  /** The time (Unix ms) up to which the last value is known. A gap follows. */
  readonly knownUntil: number;
}

interface HistoryPoint {
  readonly at: string;
  readonly value: string;
}

/** A value and the time (Unix ms) from which it holds. */
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
/** Length of the span of a history that has just begun. */
const SHORTEST = HOUR;

const DECIMAL_TEXT = /^-?\d+(\.\d+)?$/;

/** The point for a decimal string; any other string becomes a gap. */
function chartPoint(at: number, text: string): ChartPoint {
  return DECIMAL_TEXT.test(text) ? { at, text, value: Number(text) } : { at, text: null, value: null };
}

/**
 * The line of a history, continued by a later value if there is one, up to `now` (Unix ms). Points without a valid date
 * are left out. Of the points before the span only the last is kept, since its value still holds when the span
 * begins.
 */
export function chartLine(
  history: readonly HistoryPoint[],
  range: ChartRange,
  later: LaterValue | null,
  knownUntil: number,
  now: number,
): ChartLine {
  const points: ChartPoint[] = [];
  for (const { at, value } of history) {
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

/** The point whose value holds at a moment, or null if none is known. */
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

/** Share of the stops that a page key skips. */
const PAGE = 0.1;

/** The moments (Unix ms) where the cursor stops: each change within the span, and the newest known moment. */
export function cursorStops({ points, from, knownUntil }: ChartLine): readonly number[] {
  const stops = points.map(({ at }) => Math.max(at, from));
  const last = stops.at(-1);
  return last !== undefined && last < knownUntil ? [...stops, knownUntil] : stops;
}

/** The index of the last stop at or before a moment; 0 before the first stop. */
export function stopAt(stops: readonly number[], moment: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= moment),
  );
}

/** The index of the stop that a key moves to; null for other keys. */
export function nextStop(key: string, index: number, count: number): number | null {
  const page = Math.max(1, Math.round(count * PAGE));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -page,
    PageUp: page,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? null : Math.min(Math.max(index + step, 0), count - 1);
}

/**
 * Reduces points to those visible in a number of columns: the first, lowest, highest and last point of each column, and
 * every gap. No peak is lost, and rendering time does not grow with the history.
 */
export function thinPoints(
  points: readonly ChartPoint[],
  from: number,
  to: number,
  columns: number,
): readonly ChartPoint[] {
  if (points.length <= columns) return points;
  const perColumn = (to - from) / columns;
  const thinned: ChartPoint[] = [];
  let begin = 0;
  while (begin < points.length) {
    const column = columnOf(points, begin, from, perColumn);
    let end = begin + 1;
    while (end < points.length && columnOf(points, end, from, perColumn) === column) end += 1;
    addVisible(points, begin, end, thinned);
    begin = end;
  }
  return thinned;
}

function columnOf(points: readonly ChartPoint[], index: number, from: number, perColumn: number): number {
  const at = points[index]?.at ?? from;
  return Math.floor((at - from) / perColumn);
}

function addVisible(points: readonly ChartPoint[], begin: number, end: number, thinned: ChartPoint[]): void {
  let lowest = begin;
  let highest = begin;
  const value = (index: number) => points[index]?.value ?? null;
  for (let index = begin; index < end; index += 1) {
    const one = value(index);
    if (one === null) continue;
    const low = value(lowest);
    const high = value(highest);
    if (low === null || one < low) lowest = index;
    if (high === null || one > high) highest = index;
  }
  for (let index = begin; index < end; index += 1) {
    const point = points[index];
    if (point === undefined) continue;
    const isGap = point.value === null && value(index - 1) !== null;
    const endsGap = point.value !== null && index > 0 && value(index - 1) === null;
    const isEdge = index === begin || index === end - 1;
    if (isEdge || isGap || endsGap || index === lowest || index === highest) thinned.push(point);
  }
}

/** The SVG units of a plot, which is stretched to fit. */
export const PLOT = { width: 10_000, height: 1_000 } as const;

/** Columns that a line is reduced to: finer than its strokes on any screen. */
const COLUMNS = 800;

interface StepPath {
  readonly line: string;
  /** The area below the line. */
  readonly area: string;
}

/** The SVG path data of a step line, for a vertical axis from `bottom` to `top`. */
export function stepPath(line: ChartLine, bottom: number, top: number): StepPath {
  const { from, to, knownUntil } = line;
  const x = (at: number) => Math.round(((clamp(at, from, to) - from) / (to - from)) * PLOT.width);
  const y = (value: number) => Math.round(((top - value) / (top - bottom)) * PLOT.height);
  let path = '';
  let area = '';
  let height: number | null = null;
  const close = (at: number) => {
    path += `H${x(at)}`;
    area += `H${x(at)}V${PLOT.height}Z`;
    height = null;
  };
  for (const { at, value } of thinPoints(line.points, from, to, COLUMNS)) {
    if (value === null) {
      if (height !== null) close(at);
      continue;
    }
    const next = y(value);
    if (height === null) {
      path += `M${x(at)} ${next}`;
      area += `M${x(at)} ${PLOT.height}V${next}`;
    } else if (next !== height) {
      const step = `H${x(at)}V${next}`;
      path += step;
      area += step;
    }
    height = next;
  }
  if (height !== null) close(knownUntil);
  return { line: path, area };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
