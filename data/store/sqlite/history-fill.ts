import { setImmediate } from 'node:timers/promises';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { HistoryPoint, HistorySeries, IndexWriter } from '../ports.ts';
import { NO_HISTORY } from '../rules/running-totals.ts';
import {
  FILLED_RESOLUTIONS,
  type HistoryOrigin,
  originOfPrice,
  PastPoints,
  StakerCount,
} from '../rules/series.ts';
import { eq, lte, value } from './drizzle.ts';
import type { EventStatements } from './event-statements.ts';
import type { PointStatements } from './history-points.ts';
import { accounts, indexIdentity, provisionalEvents, quarantined, reconciliations } from './index-schema.ts';

/** How many events a transaction reads, so that other calls of the writer run in between. */
const CHUNK = 5_000;

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

  /** The past to fill; null unless it is certain: every sum over it must equal the first snapshot. */
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
