import { setImmediate } from 'node:timers/promises';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { HistoryPoint, HistorySeries, IndexWriter } from '../ports.ts';
import { and, asc, eq, lte, sql } from './drizzle.ts';
import { type EventStatements, totalFields } from './event-statements.ts';
import { type HistoryOrigin, originOfPrice, type PointStatements } from './history-points.ts';
import { accounts, events, indexIdentity, quarantined, reconciliations } from './index-schema.ts';
import { FILLED_RESOLUTIONS, PastPoints, StakerCount } from './replayed-series.ts';
import { NO_HISTORY } from './running-totals.ts';

const value = (name: string) => sql.placeholder(name);

/** Events read at once; other calls of the writer come in between. */
const CHUNK = 5_000;

function prepareFillStatements(db: BetterSQLite3Database) {
  const watched = { id: accounts.id, caughtUpAt: accounts.caughtUpAt };
  return {
    vault: db
      .select(watched)
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.vault, accounts.address))
      .prepare(),
    poolVault: db
      .select(watched)
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.poolVault, accounts.address))
      .prepare(),
    quarantined: db.select({ id: quarantined.id }).from(quarantined).limit(1).prepare(),
    provisional: db
      .select({ id: events.id })
      .from(events)
      .where(and(sql`${events.status} = 'confirmed'`, lte(events.slot, value('slot'))))
      .limit(1)
      .prepare(),
    reconciliation: db.select({ differences: reconciliations.differences }).from(reconciliations).prepare(),
    chunk: db
      .select({
        id: events.id,
        slot: events.slot,
        position: events.position,
        kind: events.kind,
        wallet: events.wallet,
        delta: events.delta,
        stakeEntry: events.stakeEntry,
        ...totalFields,
      })
      .from(events)
      .where(
        and(
          eq(events.accountId, value('accountId')),
          sql`(${events.slot}, ${events.position}, ${events.id}) > (${value('afterSlot')}, ${value('afterPosition')}, ${value('afterId')})`,
          lte(events.slot, value('upToSlot')),
        ),
      )
      .orderBy(asc(events.slot), asc(events.position), asc(events.id))
      .limit(value('limit'))
      .prepare(),
  };
}
type FillStatements = ReturnType<typeof prepareFillStatements>;
type Replayed = ReturnType<FillStatements['chunk']['all']>[number];

/** What is to be filled: the past of the accounts up to the first snapshot, as it stood there. */
interface Past {
  readonly vaultId: number;
  readonly poolVaultId: number;
  readonly at: number;
  readonly slot: number;
  readonly stakers: number;
}

/** Runs work of the store, in a transaction that takes the write lock. */
type InTransaction = <T>(work: () => T) => Promise<T>;

export interface HistoryFiller {
  fill(...args: Parameters<IndexWriter['fillHistory']>): Promise<boolean>;
}

/** Fills the past of the series from what the index holds of it. */
export function prepareHistoryFiller(options: {
  readonly db: BetterSQLite3Database;
  readonly points: PointStatements;
  readonly ofEvents: EventStatements;
  readonly inTransaction: InTransaction;
}): HistoryFiller {
  const { points, ofEvents, inTransaction } = options;
  const statements = prepareFillStatements(options.db);

  /** The past, where all of it is known for sure: every sum over it makes what the first snapshot held. */
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
    const ofVault = ofEvents.newestUpTo.get({ accountId: vault.id, slot }) ?? NO_HISTORY;
    const ofPool = ofEvents.newestUpTo.get({ accountId: poolVault.id, slot }) ?? NO_HISTORY;
    const addsUp =
      ofVault.totalIn - ofVault.totalOut === beginning.vault &&
      ofPool.staked - ofPool.unstaked === beginning.staked;
    return addsUp ? { vaultId: vault.id, poolVaultId: poolVault.id, at, slot, stakers } : null;
  };

  const replay = async (
    accountId: number,
    upToSlot: number,
    tell: (event: Replayed) => void,
  ): Promise<void> => {
    let after = { slot: -1, position: -1, id: -1 };
    for (;;) {
      const chunk = await inTransaction(() =>
        statements.chunk.all({
          accountId,
          upToSlot,
          afterSlot: after.slot,
          afterPosition: after.position,
          afterId: after.id,
          limit: CHUNK,
        }),
      );
      for (const event of chunk) tell(event);
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < CHUNK) return;
      after = last;
      await setImmediate();
    }
  };

  const put = (
    of: { readonly series: HistorySeries; readonly origin: HistoryOrigin; readonly source: string | null },
    past: PastPoints,
  ): void => {
    for (const resolution of FILLED_RESOLUTIONS) {
      for (const point of past.pointsOf(resolution)) points.fill.run({ ...of, resolution, ...point });
    }
  };

  const fillPrices = (source: string, told: readonly HistoryPoint[]): boolean => {
    const origin = originOfPrice(source);
    const beginning = points.beginning.get({ origin });
    if (beginning === undefined) return false;
    if (beginning.isFilled) return true;
    const past = new PastPoints(beginning.at);
    for (const { at, value: price } of told.toSorted((one, other) => one.at - other.at)) past.tell(at, price);
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
      if (historyTime !== null) vault.tell(historyTime, totalIn - totalOut);
    });
    const staked = new PastPoints(past.at);
    const stakers = new PastPoints(past.at);
    const counted = new StakerCount();
    await replay(past.poolVaultId, past.slot, (event) => {
      counted.tell(event);
      if (event.historyTime === null) return;
      staked.tell(event.historyTime, event.staked - event.unstaked);
      stakers.tell(event.historyTime, counted.count ?? 0);
    });
    return inTransaction(() => {
      if (isFilled()) return true;
      // What came in while the past was read may have changed it: then it is read again at the next call.
      if (knownPast() === null) return false;
      const of = { origin: 'chain', source: null } as const;
      put({ ...of, series: 'vault' }, vault);
      put({ ...of, series: 'staked' }, staked);
      // Who stakes is not always told by the events (one may pay for another's stake): a wrong count is not shown.
      if (counted.count === past.stakers) put({ ...of, series: 'stakers' }, stakers);
      points.setFilled.run({ origin: 'chain' });
      return true;
    });
  };

  return {
    async fill(pastPrices) {
      const arePricesFilled =
        pastPrices === undefined ||
        (await inTransaction(() => fillPrices(pastPrices.source, pastPrices.points)));
      return (await fillChain()) && arePricesFilled;
    },
  };
}
