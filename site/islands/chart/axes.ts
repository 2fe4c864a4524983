import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { currentTranslation } from '../../../data/model/locale.ts';

interface TimeMark {
  /** Unix ms. */
  readonly at: number;
  readonly label: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;

const MAX_MARKS = 5;
/** The minimum distance of a mark from either end of the axis, as a share of its length. Centered labels need this space. */
const MARGIN = 0.04;

/** In milliseconds. */
const EVEN_STEPS = [
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  4 * DAY_MS,
  7 * DAY_MS,
  14 * DAY_MS,
] as const;
/** In calendar months. */
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120] as const;

const createFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(currentTranslation()?.tag ?? 'en-GB', { timeZone: 'UTC', ...options });
const CLOCK_FORMAT = createFormat({ hour: '2-digit', minute: '2-digit' });
const DATE_FORMAT = createFormat({ day: 'numeric', month: 'short' });
const MONTH_FORMAT = createFormat({ month: 'short', year: 'numeric' });
const MOMENT_FORMAT = createFormat({ dateStyle: 'medium', timeStyle: 'short' });

/** At most five marks at round times (UTC) between two moments (Unix ms). */
export function timeMarks(from: number, to: number): readonly TimeMark[] {
  const length = to - from;
  const begin = from + length * MARGIN;
  const end = to - length * MARGIN;
  const evenStep = EVEN_STEPS.find((step) => length / step <= MAX_MARKS);
  if (evenStep !== undefined) return evenMarks(begin, end, evenStep);
  const monthStep = MONTH_STEPS.find((step) => length / (step * MONTH_MS) <= MAX_MARKS) ?? 240;
  return monthMarks(begin, end, monthStep);
}

function evenMarks(begin: number, end: number, step: number): readonly TimeMark[] {
  const marks: TimeMark[] = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
    marks.push({ at, label: (at % DAY_MS === 0 ? DATE_FORMAT : CLOCK_FORMAT).format(at) });
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
    if (at >= begin) marks.push({ at, label: MONTH_FORMAT.format(at) });
  }
}

/** The text for a time (Unix ms), in UTC: `'12 Nov 2026, 14:05'`. */
export const chartMomentText = (at: number): string => MOMENT_FORMAT.format(at);

export interface ValueAxis {
  readonly bottom: number;
  readonly top: number;
  /** Ascending. */
  readonly marks: readonly number[];
  readonly step: number;
}

const NICE_FACTORS = [1, 2, 2.5, 5, 10] as const;
/** The minimum length of an axis, as a share of the highest value. It keeps a tiny change from filling the chart. */
const MIN_RELATIVE_LENGTH = 1e-5;
/** The approximate number of steps on an axis. */
const STEP_COUNT = 4;

/**
 * The smallest round number that is at least `length`: 1, 2, 2.5 or 5 times a power of ten. For counts, it is rounded up to
 * a whole number.
 */
function niceStep(length: number, isCount: boolean): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const step = (NICE_FACTORS.find((nice) => nice * power >= length * (1 - 1e-9)) ?? 10) * power;
  return isCount ? Math.max(1, Math.ceil(step)) : step;
}

/**
 * An axis that covers the lowest and the highest value, in equal, round steps. Counts have whole steps. A flat line or a
 * narrow range of counts is centered, unless the axis would then go below zero.
 */
export function valueAxis(lowest: number, highest: number, isCount: boolean): ValueAxis {
  const magnitude = Math.abs(highest) || 1;
  const length =
    highest > lowest
      ? Math.max(highest - lowest, magnitude * MIN_RELATIVE_LENGTH)
      : isCount
        ? STEP_COUNT
        : magnitude * 0.02;
  const step = niceStep(length / STEP_COUNT, isCount);
  const margin = highest === lowest ? 2 * step : isCount && highest - lowest < STEP_COUNT ? step : 0;
  const paddedLowest = lowest - margin;
  const first = Math.max(Math.floor(paddedLowest / step + 1e-9), Math.min(0, Math.floor(lowest / step)));
  const last = Math.max(Math.ceil((highest + margin) / step - 1e-9), first + 1);
  const marks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { bottom: first * step, top: last * step, marks, step };
}

const UNITS = [
  { size: 1e6, suffix: 'M' },
  { size: 1e3, suffix: 'K' },
] as const;

/** The labels of an axis: all in one unit, with enough decimals to tell them apart. */
export function markLabels({ marks, step, top }: ValueAxis): readonly string[] {
  const unit = UNITS.find(({ size }) => top >= size && step >= size / 1e4) ?? { size: 1, suffix: '' };
  const decimals = decimalsOf(step / unit.size);
  return marks.map((mark) => `${groupDecimalText((mark / unit.size).toFixed(decimals))}${unit.suffix}`);
}

function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; decimals += 1) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, scaled) && Math.round(scaled) > 0)
      return decimals;
  }
  return 12;
}

/** The lowest and the highest value of the points; zeros if no value is known. */
export function extentOf(points: readonly { readonly value: number | null }[]): readonly [number, number] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { value } of points) {
    lowest = Math.min(lowest, value ?? lowest);
    highest = Math.max(highest, value ?? highest);
  }
  return lowest > highest ? [0, 0] : [lowest, highest];
}
