import { groupWhole } from '../../../data/model/count.ts';
/** Marks of a vertical axis and the values that it reaches from and to. */
export interface ValueAxis {
  readonly bottom: number;
  readonly top: number;
  /** Rising. */
  readonly marks: readonly number[];
  /** Between two marks. */
  readonly step: number;
}

const NICE = [1, 2, 2.5, 5, 10] as const;
/** The shortest axis, as a share of its values: a change that is smaller still does not fill the chart. */
const FINEST = 1e-5;
/** Steps between marks, about. */
const STEPS = 4;

/** The smallest of 1, 2, 2.5, 5 times a power of ten that is not below a length. */
function niceStep(length: number, isCount: boolean): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const step = (NICE.find((nice) => nice * power >= length * (1 - 1e-9)) ?? 10) * power;
  return isCount ? Math.max(1, Math.ceil(step)) : step;
}

/**
 * An axis for values between two: even steps of round numbers that hold both. A line that never moves stands in the
 * middle of its axis, as do counts that differ by little. Counts have whole steps; nothing here is ever negative, so no axis goes below zero.
 */
export function valueAxis(lowest: number, highest: number, isCount: boolean): ValueAxis {
  const middle = Math.abs(highest) || 1;
  const length =
    highest > lowest ? Math.max(highest - lowest, middle * FINEST) : isCount ? STEPS : middle * 0.02;
  const step = niceStep(length / STEPS, isCount);
  // What fills less than its axis stands in the middle of it.
  const room = highest === lowest ? 2 * step : isCount && highest - lowest < STEPS ? step : 0;
  const low = lowest - room;
  const first = Math.max(Math.floor(low / step + 1e-9), Math.min(0, Math.floor(lowest / step)));
  const last = Math.max(Math.ceil((highest + room) / step - 1e-9), first + 1);
  const marks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { bottom: first * step, top: last * step, marks, step };
}

const UNITS = [
  { size: 1e6, suffix: 'M' },
  { size: 1e3, suffix: 'K' },
] as const;

/** Words of marks: all in the unit of the largest, with as many decimals as tell one from the next. */
export function markWords({ marks, step, top }: ValueAxis): readonly string[] {
  const unit = UNITS.find(({ size }) => top >= size && step >= size / 1e4) ?? { size: 1, suffix: '' };
  const decimals = decimalsOf(step / unit.size);
  return marks.map((mark) => `${groupWhole((mark / unit.size).toFixed(decimals))}${unit.suffix}`);
}

/** Decimals without which a step would be rounded, twelve at most. */
function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; decimals += 1) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, scaled) && Math.round(scaled) > 0)
      return decimals;
  }
  return 12;
}

/** The lowest and the highest value of points; zero twice where none is known. */
export function rangeOf(points: readonly { readonly value: number | null }[]): readonly [number, number] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const { value } of points) {
    if (value === null) continue;
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  return lowest > highest ? [0, 0] : [lowest, highest];
}
