import type { ChartLine } from './chart-line.ts';

/** Share of the stops that a page key goes over. */
const PAGE = 0.1;

/** The moments (Unix ms) that a keyboard stops at: each change within the span, and the newest known moment. */
export function cursorStops({ points, from, knownUntil }: ChartLine): readonly number[] {
  const stops = points.map(({ at }) => Math.max(at, from));
  const last = stops.at(-1);
  return last !== undefined && last < knownUntil ? [...stops, knownUntil] : stops;
}

/** The stop that a moment belongs to: the last one at or before it, the first of all where it lies before them. */
export function stopAt(stops: readonly number[], moment: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= moment),
  );
}

/** Where a key leads from one of `count` stops; null where it leads nowhere. */
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
