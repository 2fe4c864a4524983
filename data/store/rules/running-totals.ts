import type { ChainEvent } from '../chain-rows.ts';

/** The sums over an account's events, up to and including one event. No amount is negative. */
export interface RunningTotals {
  readonly historyTime: number | null;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  readonly movements: number;
  /** How much of the totals the staking program moved. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

/** The totals before the first event. */
export const NO_HISTORY: RunningTotals = {
  historyTime: null,
  totalIn: 0n,
  totalOut: 0n,
  movements: 0,
  staked: 0n,
  unstaked: 0n,
};

/** The totals after one more event. The time never falls: an event without a time counts at the time of the event before it. */
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

export type CountedEvent = Pick<ChainEvent, 'kind' | 'wallet'>;

const isStaking = (kind: ChainEvent['kind']): boolean => kind === 'stake' || kind === 'unstake';

/** The wallets that stake or unstake in a transaction. */
export function stakersIn(parts: readonly CountedEvent[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ kind, wallet }) => (isStaking(kind) && wallet !== null ? [wallet] : [])));
}

/** The index after the last event of the transaction that begins at `start`. Its events are consecutive. */
export function endOfTransaction(events: readonly ChainEvent[], start: number): number {
  const signature = events[start]?.signature;
  let end = start + 1;
  for (; end < events.length; end += 1) {
    const next = events[end];
    if (!next || next.part === 0 || next.signature !== signature) break;
  }
  return end;
}
