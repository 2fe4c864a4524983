import { setImmediate } from 'node:timers/promises';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import type { HistoryPoint, HistoryResolution, HistorySeries, IndexWriter } from '../ports.ts';
import { eq, lte, value } from './drizzle.ts';
import { type EventStatements, NO_HISTORY } from './event-statements.ts';
import {
  type HistoryOrigin,
  intervalOf,
  originOfPrice,
  type PointStatements,
  RETENTION,
} from './history-points.ts';
import { accounts, indexIdentity, provisionalEvents, quarantined, reconciliations } from './index-schema.ts';

/** How many events a transaction reads, so that other calls of the writer run in between. */
const CHUNK = 5_000;

/** The resolutions that are backfilled. Minutes are deleted after two days, so filling them is not worthwhile. */
const FILLED_RESOLUTIONS = ['hour', 'day'] as const satisfies readonly HistoryResolution[];

type SeriesValue = bigint | number | string;

/** Collects the points of a series before its first sample. Values are added oldest first. */
class PastPoints {
  readonly #firstSampleAt: number;
  readonly #points = { hour: new Map<number, string>(), day: new Map<number, string>() };
  /** The last hourly point that is too old to be stored as such. It gives the value at the start of the stored hours. */
  #hourBefore: HistoryPoint | null = null;
  #last: { readonly at: number; readonly value: SeriesValue } | null = null;

  constructor(firstSampleAt: number) {
    this.#firstSampleAt = firstSampleAt;
  }

  /** Adds the value that is valid from `at` on. */
  add(at: number, value: SeriesValue): void {
    const last = this.#last;
    if (last !== null && intervalOf(last.at, 'hour') !== intervalOf(at, 'hour')) this.#keep(last);
    this.#last = { at, value };
  }

  #keep({ at, value }: { readonly at: number; readonly value: SeriesValue }): void {
    const text = String(value);
    for (const resolution of FILLED_RESOLUTIONS) {
      const interval = intervalOf(at, resolution);
      if (interval >= intervalOf(this.#firstSampleAt, resolution)) continue;
      if (resolution === 'hour' && interval < this.#firstSampleAt - RETENTION.hour) {
        this.#hourBefore = { at: interval, value: text };
      } else this.#points[resolution].set(interval, text);
    }
  }

  /** Oldest first, without repeated values. */
  pointsOf(resolution: (typeof FILLED_RESOLUTIONS)[number]): HistoryPoint[] {
    if (this.#last !== null) this.#keep(this.#last);
    this.#last = null;
    const points = [...this.#points[resolution]].map(([at, value]) => ({ at, value }));
    if (resolution === 'hour' && this.#hourBefore) points.unshift(this.#hourBefore);
    return points.filter(({ value }, index) => value !== points[index - 1]?.value);
  }
}

/**
 * Counts stakers by the pool's events, which are added oldest first. A wallet is a staker while it has staked more than it got
 * back. The end of a stake entry counts for the wallet that opened the entry.
 */
class StakerCount {
  readonly #staked = new Map<string, bigint>();
  readonly #openers = new Map<string, string>();
  #count = 0;
  #isKnown = true;

  /** Null once a stake or unstake names no wallet. */
  get count(): number | null {
    return this.#isKnown ? this.#count : null;
  }

  add({
    kind,
    wallet,
    delta,
    stakeEntry,
  }: Pick<ChainEvent, 'kind' | 'wallet' | 'delta' | 'stakeEntry'>): void {
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

function prepareFillStatements(db: BetterSQLite3Database) {
  const watched = (address: typeof indexIdentity.vault | typeof indexIdentity.poolVault) =>
    db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(address, accounts.address))
      .prepare();
  return {
    vault: watched(indexIdentity.vault),
    poolVault: watched(indexIdentity.poolVault),
    quarantined: db.select({ id: quarantined.id }).from(quarantined).limit(1).prepare(),
    provisional: db
      .select({ id: provisionalEvents.id })
      .from(provisionalEvents)
      .where(lte(provisionalEvents.slot, value('slot')))
      .limit(1)
      .prepare(),
    reconciliation: db.select({ differences: reconciliations.differences }).from(reconciliations).prepare(),
  };
}

type ReplayedEvent = ReturnType<EventStatements['historyAfter']['all']>[number];

/** What is needed to fill the past: the ids of the two accounts, and the first snapshot, at which the past ends. */
interface Past {
  readonly vaultId: number;
  readonly poolVaultId: number;
  readonly at: number;
  readonly slot: number;
  readonly stakers: number;
}

/** @see IndexWriter.fillHistory */
export function prepareHistoryFiller(options: {
  readonly db: BetterSQLite3Database;
  readonly points: PointStatements;
  readonly events: EventStatements;
  readonly inTransaction: <T>(work: () => T) => Promise<T>;
}): IndexWriter['fillHistory'] {
  const { points, events: eventStatements, inTransaction } = options;
  const statements = prepareFillStatements(options.db);

  /** Null unless the past is certain: every sum over it must equal the first snapshot. */
  const knownPast = (): Past | null => {
    const beginning = points.beginning.get({ origin: 'chain' });
    const vault = statements.vault.get();
    const poolVault = statements.poolVault.get();
    if (!beginning || !vault || !poolVault || beginning.slot === null || beginning.stakers === null)
      return null;
    const { at, slot, stakers } = beginning;
    if (vault.caughtUpAt === null || poolVault.caughtUpAt === null) return null;
    if (statements.quarantined.get() || statements.provisional.get({ slot })) return null;
    if ((statements.reconciliation.get()?.differences.length ?? 0) > 0) return null;
    const vaultTotals = eventStatements.newestUpTo.get({ accountId: vault.id, slot }) ?? NO_HISTORY;
    const poolTotals = eventStatements.newestUpTo.get({ accountId: poolVault.id, slot }) ?? NO_HISTORY;
    const addsUp =
      vaultTotals.totalIn - vaultTotals.totalOut === beginning.vault &&
      poolTotals.staked - poolTotals.unstaked === beginning.staked;
    return addsUp ? { vaultId: vault.id, poolVaultId: poolVault.id, at, slot, stakers } : null;
  };

  const replay = async (
    accountId: number,
    upToSlot: number,
    add: (event: ReplayedEvent) => void,
  ): Promise<void> => {
    let after = { slot: -1, position: -1, id: -1 };
    for (;;) {
      const { slot, position, id } = after;
      const place = { accountId, slot, position, id, upToSlot, limit: CHUNK };
      const chunk = await inTransaction(() => eventStatements.historyAfter.all(place));
      for (const event of chunk) add(event);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < CHUNK) return;
      after = last;
      await setImmediate();
    }
  };

  const put = (
    key: { readonly series: HistorySeries; readonly origin: HistoryOrigin; readonly source: string | null },
    past: PastPoints,
  ): void => {
    for (const resolution of FILLED_RESOLUTIONS) {
      for (const point of past.pointsOf(resolution)) points.fill.run({ ...key, resolution, ...point });
    }
  };

  const fillPrices = (source: string, prices: readonly HistoryPoint[]): boolean => {
    const origin = originOfPrice(source);
    const beginning = points.beginning.get({ origin });
    if (beginning === undefined) return false;
    if (beginning.isFilled) return true;
    const past = new PastPoints(beginning.at);
    for (const { at, value: price } of prices.toSorted((one, other) => one.at - other.at))
      past.add(at, price);
    put({ series: 'price', origin, source }, past);
    points.setFilled.run({ origin });
    return true;
  };

  const fillChain = async (): Promise<boolean> => {
    const isFilled = () => points.beginning.get({ origin: 'chain' })?.isFilled === true;
    const past = await inTransaction(() => (isFilled() ? 'filled' : knownPast()));
    if (past === null || past === 'filled') return past === 'filled';
    const vault = new PastPoints(past.at);
    await replay(past.vaultId, past.slot, ({ historyTime, totalIn, totalOut }) => {
      if (historyTime !== null) vault.add(historyTime, totalIn - totalOut);
    });
    const staked = new PastPoints(past.at);
    const stakers = new PastPoints(past.at);
    const counted = new StakerCount();
    await replay(past.poolVaultId, past.slot, (event) => {
      counted.add(event);
      if (event.historyTime === null) return;
      staked.add(event.historyTime, event.staked - event.unstaked);
      stakers.add(event.historyTime, counted.count ?? 0);
    });
    return inTransaction(() => {
      if (isFilled()) return true;
      // A commit during the replay may have changed the past. If so, the next call replays it again.
      if (knownPast() === null) return false;
      const key = { origin: 'chain', source: null } as const;
      put({ ...key, series: 'vault' }, vault);
      put({ ...key, series: 'staked' }, staked);
      // An event does not always name the staker, since one wallet can pay for another's stake. A wrong count is not stored.
      if (counted.count === past.stakers) put({ ...key, series: 'stakers' }, stakers);
      points.setFilled.run({ origin: 'chain' });
      return true;
    });
  };

  return async (pastPrices) => {
    const arePricesFilled =
      pastPrices === undefined ||
      (await inTransaction(() => fillPrices(pastPrices.source, pastPrices.points)));
    return (await fillChain()) && arePricesFilled;
  };
}
