import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { HistoryPoint, IndexWriter } from '../ports.ts';
import {
  type BackfillStore,
  backfillRange,
  EVENTS_PER_READ,
  fillChainSeries,
} from '../rules/history-fill.ts';
import {
  FILLED_RESOLUTIONS,
  originOfPrice,
  type PastPoints,
  pastPricePoints,
  type Sample,
} from '../rules/series.ts';
import { eq, lte, placeholder } from './drizzle.ts';
import type { EventStatements } from './event-statements.ts';
import type { PointStatements } from './history-points.ts';
import { accounts, indexIdentity, provisionalEvents, quarantined, reconciliations } from './index-schema.ts';

function prepareFillStatements(db: BetterSQLite3Database) {
  const selectAccount = (address: typeof indexIdentity.vault | typeof indexIdentity.poolVault) =>
    db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(address, accounts.address))
      .prepare();
  return {
    vault: selectAccount(indexIdentity.vault),
    poolVault: selectAccount(indexIdentity.poolVault),
    quarantined: db.select({ id: quarantined.id }).from(quarantined).limit(1).prepare(),
    provisional: db
      .select({ id: provisionalEvents.id })
      .from(provisionalEvents)
      .where(lte(provisionalEvents.slot, placeholder('slot')))
      .limit(1)
      .prepare(),
    reconciliation: db.select({ differences: reconciliations.differences }).from(reconciliations).prepare(),
  };
}

export function prepareHistoryFiller(options: {
  readonly db: BetterSQLite3Database;
  readonly points: PointStatements;
  readonly events: EventStatements;
  readonly inTransaction: <T>(work: () => T) => Promise<T>;
}): IndexWriter['fillHistory'] {
  const { points, events: eventStatements, inTransaction } = options;
  const statements = prepareFillStatements(options.db);

  const readRange = () => {
    const firstSample = points.firstSample.get({ origin: 'chain' });
    const { slot, vault, staked, stakers } = firstSample ?? {};
    const isComplete = firstSample && slot != null && vault != null && staked != null && stakers != null;
    if (!isComplete) return null;
    const toWatchedHistory = (account: ReturnType<typeof statements.vault.get>) =>
      account
        ? { ...account, totals: eventStatements.newestUpTo.get({ accountId: account.id, slot }) ?? null }
        : null;
    return backfillRange({
      firstSample: {
        at: firstSample.at,
        slot,
        vaultBalance: vault,
        staked,
        stakers,
        isFilled: firstSample.isFilled,
      },
      vault: toWatchedHistory(statements.vault.get()),
      poolVault: toWatchedHistory(statements.poolVault.get()),
      isUnsettled: Boolean(statements.quarantined.get() ?? statements.provisional.get({ slot })),
      differences: statements.reconciliation.get()?.differences.length ?? 0,
    });
  };

  const fillPoints = (key: Omit<Sample, 'value'>, pastPoints: PastPoints): void => {
    for (const resolution of FILLED_RESOLUTIONS) {
      for (const point of pastPoints.pointsOf(resolution)) points.fill.run({ ...key, resolution, ...point });
    }
  };

  const fillPrices = (source: string, prices: readonly HistoryPoint[]): boolean => {
    const origin = originOfPrice(source);
    const firstSample = points.firstSample.get({ origin });
    if (firstSample === undefined) return false;
    if (firstSample.isFilled) return true;
    fillPoints({ series: 'price', origin, source }, pastPricePoints(firstSample.at, prices));
    points.setFilled.run({ origin });
    return true;
  };

  const store: BackfillStore = {
    readRange: () => inTransaction(readRange),
    eventsAfter: (accountId, { slot, position, order: id }, upToSlot) =>
      inTransaction(() =>
        eventStatements.historyAfter.all({ accountId, slot, position, id, upToSlot, limit: EVENTS_PER_READ }),
      ),
    storeSeries: ({ vault, staked, stakers }) =>
      inTransaction(() => {
        // A commit while the events were being read may have made the range unknown. If so, the next call tries again.
        const currentRange = readRange();
        if (currentRange === null || currentRange === 'filled') return currentRange === 'filled';
        const key = { origin: 'chain', source: null } as const;
        fillPoints({ ...key, series: 'vault' }, vault);
        fillPoints({ ...key, series: 'staked' }, staked);
        if (stakers) fillPoints({ ...key, series: 'stakers' }, stakers);
        points.setFilled.run({ origin: 'chain' });
        return true;
      }),
  };

  return async (prices) => {
    const arePricesFilled =
      prices === undefined || (await inTransaction(() => fillPrices(prices.source, prices.points)));
    return (await fillChainSeries(store)) && arePricesFilled;
  };
}
