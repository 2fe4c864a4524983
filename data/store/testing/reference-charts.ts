import type { ChainEvent } from '../chain-rows.ts';
import type { HistoryPoint, HistoryResolution } from '../ports.ts';

/* The simplest possible computation of the charts, as a reference for the adapters. */

const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export const RETENTION_MS = {
  minute: 48 * 3_600_000,
  hour: 100 * 86_400_000,
  day: Number.POSITIVE_INFINITY,
} as const;

export interface Sample {
  readonly at: number;
  readonly value: string;
}

export function intervalStart(at: number, resolution: HistoryResolution): number {
  return Math.floor(at / INTERVAL_MS[resolution]) * INTERVAL_MS[resolution];
}

/** Computes a chart's points from consecutive samples. An interval gets a point only if it has a new value. */
export function samplePoints(samples: readonly Sample[], resolution: HistoryResolution): HistoryPoint[] {
  const points: HistoryPoint[] = [];
  for (const { at: moment, value } of samples) {
    const at = intervalStart(moment, resolution);
    if (points.at(-1)?.value === value) continue;
    if (points.at(-1)?.at === at) points.pop();
    points.push({ at, value });
  }
  return points;
}

/** The points since a given time, preceded by the last point before that time. */
export function dropBefore(points: readonly HistoryPoint[], moment: number): HistoryPoint[] {
  const first = points.findLastIndex(({ at }) => at < moment);
  return points.slice(Math.max(0, first));
}

/** Computes a chart's points from the values before the first sample. @param values oldest first */
export function pastPoints(
  values: readonly Sample[],
  resolution: 'hour' | 'day',
  firstSampleAt: number,
): HistoryPoint[] {
  const last = new Map(values.map(({ at, value }) => [intervalStart(at, resolution), value]));
  const points = [...last].map(([at, value]) => ({ at, value }));
  const before = points.filter(({ at }) => at < intervalStart(firstSampleAt, resolution));
  const retained = dropBefore(before, firstSampleAt - RETENTION_MS[resolution]);
  return retained.filter(({ value }, index) => value !== retained[index - 1]?.value);
}

export function valueAt(
  points: readonly HistoryPoint[],
  moment: number,
  resolution: HistoryResolution,
): string | null {
  return points.findLast(({ at }) => at <= intervalStart(moment, resolution))?.value ?? null;
}

/** The number of staking wallets after each event of the pool, recounted from all events up to that one. */
export function stakerCounts(events: readonly ChainEvent[]): number[] {
  return events.map((_, index) => {
    const open = new Map<string, string>();
    for (const { kind, stakeEntry, wallet } of events.slice(0, index + 1)) {
      if (stakeEntry === null || wallet === null) continue;
      if (kind === 'stake') open.set(stakeEntry, wallet);
      if (kind === 'unstake') open.delete(stakeEntry);
    }
    return new Set(open.values()).size;
  });
}
