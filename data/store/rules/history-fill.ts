import { setImmediate } from 'node:timers/promises';
import type { ChainEvent } from '../chain-rows.ts';
import type { EventCursor } from '../ports.ts';
import { type RunningTotals, ZERO_TOTALS } from './running-totals.ts';
import { PastPoints, StakerCounter } from './series.ts';

/** The number of events per read. Other calls to the writer can run between two reads. */
export const EVENTS_PER_READ = 5_000;

/** What the first sample and the earlier events reveal about the time before the sample. */
export interface BackfillFacts {
  /** The first sample with all figures; null if there is none. */
  readonly firstSample: {
    readonly at: number;
    readonly slot: number;
    readonly vaultBalance: bigint;
    readonly staked: bigint;
    readonly stakers: number;
    readonly isFilled: boolean;
  } | null;
  readonly vault: WatchedHistory | null;
  readonly poolVault: WatchedHistory | null;
  /** Whether a transaction is quarantined, or an event up to the first sample is provisional. */
  readonly isUnsettled: boolean;
  /** How many differences the latest reconciliation found. */
  readonly differences: number;
}

interface WatchedHistory {
  readonly id: number;
  readonly caughtUpAt: number | null;
  /** The totals up to the first sample's slot; null if no event precedes it. */
  readonly totals: Pick<RunningTotals, 'totalIn' | 'totalOut' | 'staked' | 'unstaked'> | null;
}

/** The ids of the two accounts, and the values of the first sample. The backfilled series end at this sample. */
interface BackfillRange {
  readonly vaultId: number;
  readonly poolVaultId: number;
  readonly at: number;
  readonly slot: number;
  readonly stakers: number;
}

/**
 * What to backfill. `'filled'`: the backfill has already been done. Null: there is no sample yet, a history is not caught up, or
 * the events do not add up to the first sample or may still change.
 */
export function backfillRange({
  firstSample,
  vault,
  poolVault,
  isUnsettled,
  differences,
}: BackfillFacts): BackfillRange | 'filled' | null {
  if (firstSample === null) return null;
  if (firstSample.isFilled) return 'filled';
  if (vault === null || poolVault === null || isUnsettled || differences > 0) return null;
  if (vault.caughtUpAt === null || poolVault.caughtUpAt === null) return null;
  const vaultTotals = vault.totals ?? ZERO_TOTALS;
  const poolTotals = poolVault.totals ?? ZERO_TOTALS;
  const addsUp =
    vaultTotals.totalIn - vaultTotals.totalOut === firstSample.vaultBalance &&
    poolTotals.staked - poolTotals.unstaked === firstSample.staked;
  const { at, slot, stakers } = firstSample;
  return addsUp ? { vaultId: vault.id, poolVaultId: poolVault.id, at, slot, stakers } : null;
}

interface BackfilledSeries {
  readonly vault: PastPoints;
  readonly staked: PastPoints;
  /** Absent if the number of stakers cannot be determined from the events. */
  readonly stakers?: PastPoints;
}

interface ReplayedEvent
  extends Pick<ChainEvent, 'slot' | 'position' | 'kind' | 'wallet' | 'delta' | 'stakeEntry'>,
    RunningTotals {
  readonly id: number;
}

export interface BackfillStore {
  readRange(): Promise<BackfillRange | 'filled' | null>;
  /** At most `EVENTS_PER_READ` final events of an account after a cursor and up to a slot, oldest first. */
  eventsAfter(accountId: number, after: EventCursor, upToSlot: number): Promise<readonly ReplayedEvent[]>;
  /**
   * Stores the points and marks the series as filled, unless they are already filled or `readRange` now returns null.
   * @returns whether the series are filled
   */
  storeSeries(series: BackfilledSeries): Promise<boolean>;
}

/** Backfills the series that come from the chain: vault, staked and stakers. @returns whether they are filled */
export async function fillChainSeries(store: BackfillStore): Promise<boolean> {
  const range = await store.readRange();
  if (range === null || range === 'filled') return range === 'filled';
  const replay = async (accountId: number, add: (event: ReplayedEvent) => void): Promise<void> => {
    let after: EventCursor = { slot: -1, position: -1, order: -1 };
    for (;;) {
      const chunk = await store.eventsAfter(accountId, after, range.slot);
      for (const event of chunk) add(event);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < EVENTS_PER_READ) return;
      after = { slot: last.slot, position: last.position, order: last.id };
      await setImmediate();
    }
  };

  const vault = new PastPoints(range.at);
  await replay(range.vaultId, ({ historyTime, totalIn, totalOut }) => {
    if (historyTime !== null) vault.add(historyTime, totalIn - totalOut);
  });
  const staked = new PastPoints(range.at);
  const stakers = new PastPoints(range.at);
  const stakerCount = new StakerCounter();
  await replay(range.poolVaultId, (event) => {
    stakerCount.add(event);
    if (event.historyTime === null) return;
    staked.add(event.historyTime, event.staked - event.unstaked);
    stakers.add(event.historyTime, stakerCount.count ?? 0);
  });
  // Some events do not name the staker, because one wallet can pay for another wallet's stake. A wrong count must not be stored.
  const isStakerCountRight = stakerCount.count === range.stakers;
  return store.storeSeries(isStakerCountRight ? { vault, staked, stakers } : { vault, staked });
}
