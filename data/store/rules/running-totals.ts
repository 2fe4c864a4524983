import type { ChainEvent } from '../chain-rows.ts';

/** The sums over an account's events, up to and including one event. No amount is negative. */
export interface RunningTotals {
  readonly historyTime: number | null;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  readonly movements: number;
  /** The parts of `totalIn` and `totalOut` that the staking program moved. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

export const ZERO_TOTALS: RunningTotals = {
  historyTime: null,
  totalIn: 0n,
  totalOut: 0n,
  movements: 0,
  staked: 0n,
  unstaked: 0n,
};

/**
 * The totals after one more event. The time never goes back: an event without a time, or with an earlier one, does not change it.
 */
export function totalsAfter(
  totals: RunningTotals,
  { blockTime, kind, delta }: Pick<ChainEvent, 'blockTime' | 'kind' | 'delta'>,
): RunningTotals {
  const { historyTime } = totals;
  return {
    historyTime:
      blockTime === null || (historyTime !== null && historyTime > blockTime) ? historyTime : blockTime,
    totalIn: delta > 0n ? totals.totalIn + delta : totals.totalIn,
    totalOut: delta < 0n ? totals.totalOut - delta : totals.totalOut,
    movements: delta === 0n ? totals.movements : totals.movements + 1,
    staked: kind === 'stake' ? totals.staked + delta : totals.staked,
    unstaked: kind === 'unstake' ? totals.unstaked - delta : totals.unstaked,
  };
}

export class TotalsAccumulator {
  #totals: RunningTotals;
  /** The slot and position of the newest event. */
  #end: Pick<ChainEvent, 'slot' | 'position'>;
  /**
   * The slot from which the stored totals are wrong, because an event was added that is older than a stored one; null if all
   * totals are correct.
   */
  wrongFromSlot: number | null = null;

  constructor(newest: (RunningTotals & Pick<ChainEvent, 'slot' | 'position'>) | null) {
    this.#totals = newest ?? ZERO_TOTALS;
    this.#end = newest ?? { slot: -1, position: -1 };
  }

  /** The totals after the last added event or, if none was added, after the newest stored event. */
  get totals(): RunningTotals {
    return this.#totals;
  }

  /** The slot of the newest event; -1 if there is none. */
  get slot(): number {
    return this.#end.slot;
  }

  /** Adds an event. @returns the totals after it. They are wrong if it is older than one already added: see `wrongFromSlot` */
  add(event: ChainEvent): RunningTotals {
    this.#totals = totalsAfter(this.#totals, event);
    const { slot, position } = event;
    const end = this.#end;
    if (slot > end.slot || (slot === end.slot && position >= end.position)) this.#end = event;
    else this.wrongFromSlot = Math.min(this.wrongFromSlot ?? slot, slot);
    return this.#totals;
  }
}

export function isSameTotals(one: RunningTotals, other: RunningTotals): boolean {
  return (
    one.historyTime === other.historyTime &&
    one.totalIn === other.totalIn &&
    one.totalOut === other.totalOut &&
    one.movements === other.movements &&
    one.staked === other.staked &&
    one.unstaked === other.unstaked
  );
}

export type CountedEvent = Pick<ChainEvent, 'kind' | 'wallet'>;

const isStaking = (kind: ChainEvent['kind']): boolean => kind === 'stake' || kind === 'unstake';

export function stakersIn(events: readonly CountedEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, wallet }) => (isStaking(kind) && wallet !== null ? [wallet] : [])));
}

/** The index after the last event of the transaction that begins at `start`. A transaction's events are consecutive. */
export function transactionEndIndex(events: readonly ChainEvent[], start: number): number {
  const signature = events[start]?.signature;
  let end = start + 1;
  for (; end < events.length; end += 1) {
    const next = events[end];
    if (!next || next.part === 0 || next.signature !== signature) break;
  }
  return end;
}
