import type { ChainEvent } from '../ports.ts';

/** What an account's history adds up to after one of its events. Amounts are base units, unsigned. */
export interface RunningTotals {
  readonly historyTime: number | null;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  readonly movements: number;
}

/** Before the first event. */
export const NO_HISTORY: RunningTotals = { historyTime: null, totalIn: 0n, totalOut: 0n, movements: 0 };

/** The totals one event later. The time never falls, and an event without one happened at the time before it. */
export function totalsAfter(
  totals: RunningTotals,
  event: Pick<ChainEvent, 'blockTime' | 'delta'>,
): RunningTotals {
  const { blockTime, delta } = event;
  const { historyTime } = totals;
  return {
    historyTime:
      blockTime === null || (historyTime !== null && historyTime > blockTime) ? historyTime : blockTime,
    totalIn: delta > 0n ? totals.totalIn + delta : totals.totalIn,
    totalOut: delta < 0n ? totals.totalOut - delta : totals.totalOut,
    movements: delta === 0n ? totals.movements : totals.movements + 1,
  };
}
