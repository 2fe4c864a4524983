import type { WalletEvent } from '../../data/store/ports.ts';

/** A change in a wallet's stake. */
export interface StakePoint {
  /** Unix ms. */
  readonly at: number;
  /** The stake from `at` until the next change, in base units. */
  readonly staked: bigint;
}

/** The fields of an event that `StakeHistoryBuilder` reads. The builder ignores all events except stakes and unstakes. */
type StakeEvent = Pick<WalletEvent, 'kind' | 'delta' | 'slot' | 'historyTime'>;

/** Computes a wallet's stake after each of its events, from the newest event to the oldest. */
export class StakeHistoryBuilder {
  readonly #slot: number;
  readonly #points: StakePoint[] = [];
  #staked: bigint;

  /** @param staked the stake at `slot`; events after this slot are ignored */
  constructor(staked: bigint, slot: number) {
    this.#staked = staked;
    this.#slot = slot;
  }

  /** Call this for each event, newest first. */
  add({ kind, delta, slot, historyTime }: StakeEvent): void {
    if (slot > this.#slot || (kind !== 'stake' && kind !== 'unstake')) return;
    const newer = this.#points.at(-1);
    // Of several events at the same time, only the last one adds a point. An event without a known time adds none.
    if (historyTime !== null && newer?.at !== historyTime) {
      this.#points.push({ at: historyTime, staked: this.#staked });
    }
    this.#staked -= delta;
  }

  /**
   * The points, oldest first. Null if the stake before the oldest event would not be zero, because then events are missing.
   */
  points(): readonly StakePoint[] | null {
    return this.#staked === 0n ? this.#points.toReversed() : null;
  }
}

/**
 * The points in a range (Unix ms) that includes `from` but not `until`. The last point at or before `from` comes first,
 * because it gives the stake at the start of the range.
 * @param maximum the maximum number of points; if there are more, some are left out
 */
export function pointsInRange(
  points: readonly StakePoint[],
  from: number,
  until: number,
  maximum: number,
): readonly StakePoint[] {
  const firstIndex = Math.max(
    0,
    points.findLastIndex(({ at }) => at <= from),
  );
  const pointsInPeriod = points.slice(firstIndex).filter(({ at }) => at < until);
  const [secondPoint, lastPoint] = [pointsInPeriod[1], pointsInPeriod.at(-1)];
  if (secondPoint === undefined || lastPoint === undefined || pointsInPeriod.length <= maximum)
    return pointsInPeriod;
  // Keeps the first point, and the last point in each interval. The intervals start at the second point, because the
  // first may be long before the range.
  const intervalMs = (lastPoint.at - secondPoint.at) / (maximum - 2);
  const intervalOf = ({ at }: StakePoint) => Math.floor((at - secondPoint.at) / intervalMs);
  return pointsInPeriod.filter((point, index) => {
    const next = pointsInPeriod[index + 1];
    return index === 0 || next === undefined || intervalOf(next) !== intervalOf(point);
  });
}
