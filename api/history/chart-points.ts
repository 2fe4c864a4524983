import type { ChartRange } from '../../data/contract/history.ts';
import type { HistoryPoint, HistoryResolution, HistorySeries, IndexReader } from '../../data/store/ports.ts';

/** Points of a chart, oldest first, and the shortest interval that one of them stands for. */
export interface ChartPoints {
  readonly resolution: HistoryResolution;
  readonly points: readonly HistoryPoint[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const LENGTH_MS: Readonly<Record<HistoryResolution, number>> = { minute: 60_000, hour: HOUR_MS, day: DAY_MS };
const FINER: Readonly<Record<HistoryResolution, HistoryResolution | null>> = {
  day: 'hour',
  hour: 'minute',
  minute: null,
};
const COARSER: Readonly<Record<HistoryResolution, HistoryResolution | null>> = {
  minute: 'hour',
  hour: 'day',
  day: null,
};
const RANGES: Readonly<Record<ChartRange, { readonly resolution: HistoryResolution; readonly ms: number }>> =
  {
    '24h': { resolution: 'minute', ms: DAY_MS },
    '7d': { resolution: 'hour', ms: 7 * DAY_MS },
    '30d': { resolution: 'hour', ms: 30 * DAY_MS },
    all: { resolution: 'day', ms: Number.POSITIVE_INFINITY },
  };

/** Points below which a finer resolution is looked at. */
const FEW_POINTS = 24;
/** Points of a chart at most: more than a screen is wide, and a day in minutes. */
export const POINTS_AT_MOST = 1_500;

type HistoryReader = Pick<IndexReader, 'history'>;

/**
 * A series from a moment on at one resolution. Finer points are kept for a shorter time, and of the time before the
 * portal ran there are none: where they begin later than the moment, coarser ones stand before them.
 */
async function pointsAt(
  reader: HistoryReader,
  series: HistorySeries,
  resolution: HistoryResolution,
  since: number,
): Promise<readonly HistoryPoint[]> {
  const own = await reader.history(series, resolution, since);
  const coarser = COARSER[resolution];
  const begin = own[0]?.at ?? Number.POSITIVE_INFINITY;
  if (coarser === null || begin <= since) return own;
  const earlier = await pointsAt(reader, series, coarser, since);
  // An interval that reaches into the finer points holds a value from among them.
  return [...earlier.filter(({ at }) => at + LENGTH_MS[coarser] <= begin), ...own];
}

/** At most so many points, evenly thinned, the newest kept. */
export function thinned(points: readonly HistoryPoint[], atMost: number): readonly HistoryPoint[] {
  const step = Math.ceil(points.length / atMost);
  return step <= 1 ? points : points.filter((_point, index) => (points.length - 1 - index) % step === 0);
}

/**
 * The points of a chart that ends at `now` (Unix ms): minutes for a day, hours for a week or a month, days for all there
 * is; finer ones while those are few. The first point may lie before the range: its value is the one that the range
 * begins with.
 */
export async function chartPoints(
  reader: HistoryReader,
  series: HistorySeries,
  range: ChartRange,
  now: number,
): Promise<ChartPoints> {
  const { resolution, ms } = RANGES[range];
  const since = Math.max(0, now - ms);
  let chosen: ChartPoints = { resolution, points: await pointsAt(reader, series, resolution, since) };
  let finer = FINER[resolution];
  while (finer !== null && chosen.points.length < FEW_POINTS) {
    const points = await pointsAt(reader, series, finer, since);
    if (points.length > chosen.points.length) chosen = { resolution: finer, points };
    finer = FINER[finer];
  }
  return { resolution: chosen.resolution, points: thinned(chosen.points, POINTS_AT_MOST) };
}
