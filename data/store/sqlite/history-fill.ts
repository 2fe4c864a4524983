import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { HistoryPoint, IndexWriter } from '../ports.ts';
import { EVENTS_PER_READ, fillChain, knownPast, type PastStore } from '../rules/history-fill.ts';
import {
  FILLED_RESOLUTIONS,
  originOfPrice,
  type PastPoints,
  pastPricePoints,
  type Sample,
} from '../rules/series.ts';
import { eq, lte, value } from './drizzle.ts';
import type { EventStatements } from './event-statements.ts';
import type { PointStatements } from './history-points.ts';
import { accounts, indexIdentity, provisionalEvents, quarantined, reconciliations } from './index-schema.ts';

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

/** @see IndexWriter.fillHistory */
export function prepareHistoryFiller(options: {
  readonly db: BetterSQLite3Database;
  readonly points: PointStatements;
  readonly events: EventStatements;
  readonly inTransaction: <T>(work: () => T) => Promise<T>;
}): IndexWriter['fillHistory'] {
  const { points, events: eventStatements, inTransaction } = options;
  const statements = prepareFillStatements(options.db);

  const past = () => {
    const stored = points.beginning.get({ origin: 'chain' });
    const { slot, vault, staked, stakers } = stored ?? {};
    const isComplete = stored && slot != null && vault != null && staked != null && stakers != null;
    if (!isComplete) return null;
    const watched = (account: ReturnType<typeof statements.vault.get>) =>
      account
        ? { ...account, totals: eventStatements.newestUpTo.get({ accountId: account.id, slot }) ?? null }
        : null;
    return knownPast({
      beginning: { at: stored.at, slot, vault, staked, stakers, isFilled: stored.isFilled },
      vault: watched(statements.vault.get()),
      poolVault: watched(statements.poolVault.get()),
      isUnsettled: Boolean(statements.quarantined.get() ?? statements.provisional.get({ slot })),
      differences: statements.reconciliation.get()?.differences.length ?? 0,
    });
  };

  const put = (key: Omit<Sample, 'value'>, filled: PastPoints): void => {
    for (const resolution of FILLED_RESOLUTIONS) {
      for (const point of filled.pointsOf(resolution)) points.fill.run({ ...key, resolution, ...point });
    }
  };

  const fillPrices = (source: string, prices: readonly HistoryPoint[]): boolean => {
    const origin = originOfPrice(source);
    const beginning = points.beginning.get({ origin });
    if (beginning === undefined) return false;
    if (beginning.isFilled) return true;
    put({ series: 'price', origin, source }, pastPricePoints(beginning.at, prices));
    points.setFilled.run({ origin });
    return true;
  };

  const store: PastStore = {
    past: () => inTransaction(past),
    eventsAfter: (accountId, { slot, position, order: id }, upToSlot) =>
      inTransaction(() =>
        eventStatements.historyAfter.all({ accountId, slot, position, id, upToSlot, limit: EVENTS_PER_READ }),
      ),
    store: ({ vault, staked, stakers }) =>
      inTransaction(() => {
        // A commit during the replay may have changed the past. If so, the next call replays it again.
        const known = past();
        if (known === null || known === 'filled') return known === 'filled';
        const key = { origin: 'chain', source: null } as const;
        put({ ...key, series: 'vault' }, vault);
        put({ ...key, series: 'staked' }, staked);
        if (stakers) put({ ...key, series: 'stakers' }, stakers);
        points.setFilled.run({ origin: 'chain' });
        return true;
      }),
  };

  return async (prices) => {
    const arePricesFilled =
      prices === undefined || (await inTransaction(() => fillPrices(prices.source, prices.points)));
    return (await fillChain(store)) && arePricesFilled;
  };
}
