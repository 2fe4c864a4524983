import { setImmediate } from 'node:timers/promises';
import type { ChainEvent } from '../chain-rows.ts';
import type { EventCursor } from '../ports.ts';
import { type RunningTotals, ZERO_TOTALS } from './running-totals.ts';
import { PastPoints, StakerCounter } from './series.ts';

/** How many events are read at a time, so that the writer's other calls can run between the reads. */
export const EVENTS_PER_READ = 5_000;

/** What the first snapshot and the events before it reveal about the past. */
export interface PastFacts {
  /** The first snapshot with all figures; null if there is none. */
  readonly beginning: {
    readonly at: number;
    readonly slot: number;
    readonly vaultBalance: bigint;
    readonly staked: bigint;
    readonly stakers: number;
    readonly isFilled: boolean;
  } | null;
  readonly vault: WatchedHistory | null;
  readonly poolVault: WatchedHistory | null;
  /** Whether a transaction is quarantined, or an event up to the first snapshot is provisional. */
  readonly isUnsettled: boolean;
  /** How many differences the latest reconciliation has. */
  readonly differences: number;
}

interface WatchedHistory {
  readonly id: number;
  readonly caughtUpAt: number | null;
  /** The totals up to the first snapshot's slot; null if no event precedes it. */
  readonly totals: Pick<RunningTotals, 'totalIn' | 'totalOut' | 'staked' | 'unstaked'> | null;
}

/** The ids of the two accounts, and the figures of the first snapshot, at which the past ends. */
interface Past {
  readonly vaultId: number;
  readonly poolVaultId: number;
  readonly at: number;
  readonly slot: number;
  readonly stakers: number;
}

/** The past to backfill, or null if it is not certain. Its sums must equal the first snapshot. */
export function knownPast({
  beginning,
  vault,
  poolVault,
  isUnsettled,
  differences,
}: PastFacts): Past | 'filled' | null {
  if (beginning === null) return null;
  if (beginning.isFilled) return 'filled';
  if (vault === null || poolVault === null || isUnsettled || differences > 0) return null;
  if (vault.caughtUpAt === null || poolVault.caughtUpAt === null) return null;
  const vaultTotals = vault.totals ?? ZERO_TOTALS;
  const poolTotals = poolVault.totals ?? ZERO_TOTALS;
  const addsUp =
    vaultTotals.totalIn - vaultTotals.totalOut === beginning.vaultBalance &&
    poolTotals.staked - poolTotals.unstaked === beginning.staked;
  const { at, slot, stakers } = beginning;
  return addsUp ? { vaultId: vault.id, poolVaultId: poolVault.id, at, slot, stakers } : null;
}

/** The computed series of the past. */
interface PastSeries {
  readonly vault: PastPoints;
  readonly staked: PastPoints;
  /** Absent if the events do not give the number of stakers. */
  readonly stakers?: PastPoints;
}

interface ReplayedEvent
  extends Pick<ChainEvent, 'slot' | 'position' | 'kind' | 'wallet' | 'delta' | 'stakeEntry'>,
    RunningTotals {
  readonly id: number;
}

/** Reads what a store knows about the past, and stores the points of the past. */
export interface PastStore {
  readPast(): Promise<Past | 'filled' | null>;
  /** At most `EVENTS_PER_READ` final events of an account after a cursor and up to a slot, oldest first. */
  eventsAfter(accountId: number, after: EventCursor, upToSlot: number): Promise<readonly ReplayedEvent[]>;
  /**
   * Stores the points and marks the past as filled, unless the past is already filled or no longer certain.
   * @returns whether the past is filled
   */
  storeSeries(series: PastSeries): Promise<boolean>;
}

/** Backfills the series of the chain's figures. @returns whether they are filled */
export async function fillChainSeries(store: PastStore): Promise<boolean> {
  const past = await store.readPast();
  if (past === null || past === 'filled') return past === 'filled';
  const replay = async (accountId: number, add: (event: ReplayedEvent) => void): Promise<void> => {
    let after: EventCursor = { slot: -1, position: -1, order: -1 };
    for (;;) {
      const chunk = await store.eventsAfter(accountId, after, past.slot);
      for (const event of chunk) add(event);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < EVENTS_PER_READ) return;
      after = { slot: last.slot, position: last.position, order: last.id };
      await setImmediate();
    }
  };

  const vault = new PastPoints(past.at);
  await replay(past.vaultId, ({ historyTime, totalIn, totalOut }) => {
    if (historyTime !== null) vault.add(historyTime, totalIn - totalOut);
  });
  const staked = new PastPoints(past.at);
  const stakers = new PastPoints(past.at);
  const stakerCount = new StakerCounter();
  await replay(past.poolVaultId, (event) => {
    stakerCount.add(event);
    if (event.historyTime === null) return;
    staked.add(event.historyTime, event.staked - event.unstaked);
    stakers.add(event.historyTime, stakerCount.count ?? 0);
  });
  // Some events do not name the staker, because one wallet can pay for another wallet's stake. A wrong count must not be stored.
  const areStakersRight = stakerCount.count === past.stakers;
  return store.storeSeries(areStakersRight ? { vault, staked, stakers } : { vault, staked });
}
