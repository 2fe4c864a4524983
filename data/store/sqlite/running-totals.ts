import type { ChainEvent } from '../chain-rows.ts';

/** What an account's history adds up to after one of its events. Amounts are base units, unsigned. */
export interface RunningTotals {
  readonly historyTime: number | null;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  readonly movements: number;
  /** The part of the totals that the staking program moved. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

/** Before the first event. */
export const NO_HISTORY: RunningTotals = {
  historyTime: null,
  totalIn: 0n,
  totalOut: 0n,
  movements: 0,
  staked: 0n,
  unstaked: 0n,
};

/** The totals one event later. The time never falls, and an event without one happened at the time before it. */
export function totalsAfter(
  totals: RunningTotals,
  event: Pick<ChainEvent, 'blockTime' | 'kind' | 'delta'>,
): RunningTotals {
  const { blockTime, kind, delta } = event;
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
