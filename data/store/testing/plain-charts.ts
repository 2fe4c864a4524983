import type { ChainEvent } from '../chain-rows.ts';
import type { HistoryPoint, HistoryResolution } from '../ports.ts';

const LENGTH = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export const KEPT_MS = {
  minute: 48 * 3_600_000,
  hour: 100 * 86_400_000,
  day: Number.POSITIVE_INFINITY,
} as const;

export interface Sample {
  readonly at: number;
  readonly value: string;
}

/** Begin of the interval that a moment lies in. */
export function beginOf(at: number, resolution: HistoryResolution): number {
  return Math.floor(at / LENGTH[resolution]) * LENGTH[resolution];
}

function withoutRepeats(points: readonly HistoryPoint[]): HistoryPoint[] {
  return points.filter(({ value }, index) => value !== points[index - 1]?.value);
}

/** Points of samples taken one after the other: one in each interval in which the value was another than before. */
export function sampled(samples: readonly Sample[], resolution: HistoryResolution): HistoryPoint[] {
  const points: HistoryPoint[] = [];
  for (const { at: moment, value } of samples) {
    const at = beginOf(moment, resolution);
    if (points.at(-1)?.value === value) continue;
    if (points.at(-1)?.at === at) points.pop();
    points.push({ at, value });
  }
  return points;
}

/** Points that are left once those before a moment went, but for the last of them. */
export function cutBefore(points: readonly HistoryPoint[], moment: number): HistoryPoint[] {
  const kept = points.findLastIndex(({ at }) => at < moment);
  return points.slice(Math.max(0, kept));
}

/** Points of values that stood before the first sample, oldest first. */
export function past(
  told: readonly Sample[],
  resolution: 'hour' | 'day',
  firstSampleAt: number,
): HistoryPoint[] {
  const last = new Map(told.map(({ at, value }) => [beginOf(at, resolution), value]));
  const points = [...last].map(([at, value]) => ({ at, value }));
  const before = points.filter(({ at }) => at < beginOf(firstSampleAt, resolution));
  return withoutRepeats(cutBefore(before, firstSampleAt - KEPT_MS[resolution]));
}

/** The value that stood at a moment by the points of a resolution. */
export function valueAt(
  points: readonly HistoryPoint[],
  moment: number,
  resolution: HistoryResolution,
): string | null {
  return points.findLast(({ at }) => at <= beginOf(moment, resolution))?.value ?? null;
}

/** Who stakes after each event of the pool, as many wallets: counted anew from all events before it. */
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
