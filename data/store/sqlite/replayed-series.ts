import type { ChainEvent } from '../chain-rows.ts';
import type { HistoryPoint, HistoryResolution } from '../ports.ts';
import { intervalOf, KEPT } from './history-points.ts';

/** Resolutions that a past is filled in: minutes of it are of no use to anyone. */
export const FILLED_RESOLUTIONS = ['hour', 'day'] as const satisfies readonly HistoryResolution[];

/**
 * The points of one series that lie before its first sample, from values told oldest first: hours for as long as hours
 * are kept, and days.
 */
export class PastPoints {
  readonly #firstSampleAt: number;
  readonly #points = { hour: new Map<number, string>(), day: new Map<number, string>() };
  /** The last hour before those that are kept. */
  #hourBefore: HistoryPoint | null = null;
  #last: { readonly at: number; readonly value: bigint | number | string } | null = null;

  constructor(firstSampleAt: number) {
    this.#firstSampleAt = firstSampleAt;
  }

  /** The value that stands from a moment on. */
  tell(at: number, value: bigint | number | string): void {
    const last = this.#last;
    if (last !== null && intervalOf(last.at, 'hour') !== intervalOf(at, 'hour')) this.#keep(last);
    this.#last = { at, value };
  }

  #keep({ at, value }: { readonly at: number; readonly value: bigint | number | string }): void {
    const text = String(value);
    for (const resolution of FILLED_RESOLUTIONS) {
      const interval = intervalOf(at, resolution);
      if (interval >= intervalOf(this.#firstSampleAt, resolution)) continue;
      if (resolution === 'hour' && interval < this.#firstSampleAt - KEPT.hour) {
        this.#hourBefore = { at: interval, value: text };
      } else this.#points[resolution].set(interval, text);
    }
  }

  /** The points, oldest first, without those that say what the one before them says. */
  pointsOf(resolution: (typeof FILLED_RESOLUTIONS)[number]): HistoryPoint[] {
    if (this.#last !== null) this.#keep(this.#last);
    this.#last = null;
    const points = [...this.#points[resolution]].map(([at, value]) => ({ at, value }));
    if (resolution === 'hour' && this.#hourBefore) points.unshift(this.#hourBefore);
    return points.filter(({ value }, index) => value !== points[index - 1]?.value);
  }
}

type StakeMovement = Pick<ChainEvent, 'kind' | 'wallet' | 'delta' | 'stakeEntry'>;

/**
 * Counts the wallets that stake, told the pool's events oldest first. A wallet stakes while more of what it staked is in
 * the pool than was returned; what ends a stake entry belongs to whoever opened it.
 */
export class StakerCount {
  readonly #staked = new Map<string, bigint>();
  readonly #openers = new Map<string, string>();
  #count = 0;
  #isKnown = true;

  /** Null once a stake or unstake can be put down to no one. */
  get count(): number | null {
    return this.#isKnown ? this.#count : null;
  }

  tell({ kind, wallet, delta, stakeEntry }: StakeMovement): void {
    if (kind !== 'stake' && kind !== 'unstake') return;
    const opener = stakeEntry === null || kind === 'stake' ? undefined : this.#openers.get(stakeEntry);
    const staker = opener ?? wallet ?? stakeEntry;
    if (staker === null) {
      this.#isKnown = false;
      return;
    }
    if (stakeEntry !== null) {
      if (kind === 'stake') this.#openers.set(stakeEntry, staker);
      else this.#openers.delete(stakeEntry);
    }
    const before = this.#staked.get(staker) ?? 0n;
    const after = before + delta;
    if (after === 0n) this.#staked.delete(staker);
    else this.#staked.set(staker, after);
    this.#count += Number(after > 0n) - Number(before > 0n);
  }
}
