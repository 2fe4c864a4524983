import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import {
  type EventCursor,
  type HistoryPoint,
  type HistoryResolution,
  type HistorySeries,
  type IndexSnapshot,
  type IndexStatistics,
  isMarketSeries,
} from '../ports.ts';
import { originOfPrice } from '../rules/series.ts';
import { accountStatistics, historyState } from '../rules/watched-accounts.ts';
import { asc, count, desc, drizzle, eq, equalsPlaceholder, or, placeholder, sql } from './drizzle.ts';
import { eventFields, newestFirst } from './event-statements.ts';
import { preparePointReads, readPoints } from './history-points.ts';
import {
  accounts,
  alarms,
  allEvents,
  chainSnapshot,
  endpointReport,
  endpoints,
  holderCounts,
  indexIdentity,
  marketQuote,
  provisionalEvents,
  quarantined,
  reconciliations,
} from './index-schema.ts';
import { prepareVaultReads } from './vault-queries.ts';
import {
  prepareStakeStatements,
  prepareWalletStatements,
  readStakes,
  readWalletEvents,
} from './wallet-queries.ts';

const MAX_ALARMS = 100;

function prepareStatements(db: BetterSQLite3Database) {
  const { slot, wallets, readAt } = holderCounts;
  return {
    identity: db.select().from(indexIdentity).prepare(),
    chain: db.select().from(chainSnapshot).prepare(),
    holders: db.select({ slot, wallets, readAt }).from(holderCounts).prepare(),
    quote: db.select().from(marketQuote).prepare(),
    endpoints: db.select().from(endpoints).orderBy(asc(endpoints.id)).prepare(),
    report: db.select().from(endpointReport).prepare(),
    reconciliation: db.select().from(reconciliations).prepare(),
    accounts: db.select().from(accounts).prepare(),
    newestOf: db
      .select(eventFields)
      .from(allEvents)
      .where(equalsPlaceholder(allEvents.accountId, 'accountId'))
      .orderBy(...newestFirst)
      .limit(placeholder('limit'))
      .prepare(),
    watched: db
      .select({
        cursorSlot: accounts.cursorSlot,
        caughtUpAt: accounts.caughtUpAt,
        hasBeginning: accounts.hasBeginning,
        eventCount: accounts.eventCount,
        isVault: sql<number>`${accounts.address} = ${indexIdentity.vault}`,
      })
      .from(accounts)
      .innerJoin(
        indexIdentity,
        or(eq(indexIdentity.vault, accounts.address), eq(indexIdentity.poolVault, accounts.address)),
      )
      .prepare(),
    newestAlarms: db
      .select({
        signature: alarms.signature,
        account: accounts.address,
        slot: alarms.slot,
        blockTime: alarms.blockTime,
        kind: alarms.kind,
        address: sql<string | null>`nullif(${alarms.address}, '')`,
        status: alarms.status,
      })
      .from(alarms)
      .innerJoin(accounts, eq(accounts.id, alarms.accountId))
      .orderBy(desc(alarms.slot), desc(alarms.id))
      .limit(MAX_ALARMS)
      .prepare(),
    alarmCount: db.select({ rows: count() }).from(alarms).prepare(),
    quarantinedCount: db.select({ rows: count() }).from(quarantined).prepare(),
    provisionalCount: db.select({ rows: count() }).from(provisionalEvents).prepare(),
  };
}
type Statements = ReturnType<typeof prepareStatements>;

/** Merges the newest events of each account, because an index over all accounts would slow down every commit. */
function readRecentEvents(statements: Statements, limit: number): ChainEvent[] {
  return statements.accounts
    .all()
    .flatMap(({ id: accountId, address: account }) =>
      statements.newestOf.all({ accountId, limit }).map((event) => ({ ...event, account })),
    )
    .sort((one, other) => other.slot - one.slot || other.position - one.position || other.id - one.id)
    .slice(0, limit)
    .map(({ id: _row, ...event }) => event);
}

function readReconciliation(statements: Statements): Pick<IndexSnapshot, 'reconciliation' | 'lastAgreement'> {
  const row = statements.reconciliation.get();
  if (row === undefined) return { reconciliation: null, lastAgreement: null };
  const { slot, at, differences, agreedSlot, agreedAt } = row;
  return {
    reconciliation: { slot, at, differences },
    lastAgreement: agreedSlot === null || agreedAt === null ? null : { slot: agreedSlot, at: agreedAt },
  };
}

const watchedAccounts = (statements: Statements) =>
  statements.watched.all().map((account) => ({ ...account, isVault: account.isVault === 1 }));

function readSnapshot(statements: Statements, recentEventCount: number): IndexSnapshot {
  const { id: _identityRow, ...identity } = statements.identity.get() ?? { id: null };
  const { id: _chainRow, ...chain } = statements.chain.get() ?? { id: null };
  const { id: _quoteRow, ...quote } = statements.quote.get() ?? { id: null };
  const reconciliationFields = readReconciliation(statements);
  return {
    identity: 'mint' in identity ? identity : null,
    chain:
      'slot' in chain
        ? {
            ...chain,
            vaultBalance: chain.vaultProblem === null ? chain.vaultBalance : null,
            vaultLamports: chain.vaultProblem === null ? chain.vaultLamports : null,
            stakerCount: chain.stakesProblem === null ? chain.stakerCount : null,
          }
        : null,
    holders: statements.holders.get() ?? null,
    quote: 'source' in quote ? quote : null,
    endpoints: statements.endpoints.all().map(({ id: _row, ...endpoint }) => endpoint),
    endpointsReportedAt: statements.report.get()?.reportedAt ?? null,
    recentEvents: readRecentEvents(statements, Math.max(0, recentEventCount)),
    ...historyState(watchedAccounts(statements), reconciliationFields.lastAgreement),
    ...reconciliationFields,
    alarms: statements.newestAlarms.all(),
    quarantinedCount: statements.quarantinedCount.get()?.rows ?? 0,
  };
}

function readStatistics(statements: Statements): IndexStatistics {
  return {
    ...accountStatistics(watchedAccounts(statements)),
    provisionalEvents: statements.provisionalCount.get()?.rows ?? 0,
    quarantined: statements.quarantinedCount.get()?.rows ?? 0,
    alarms: statements.alarmCount.get()?.rows ?? 0,
  };
}

/** Prepares the reader's queries on a file with the current schema. Each query runs in one read transaction. */
export function prepareIndexQueries(client: Database.Database) {
  const db = drizzle({ client });
  const statements = prepareStatements(db);
  const stakeReads = prepareStakeStatements(db);
  const walletReads = prepareWalletStatements(db);
  const pointReads = preparePointReads(db);
  const versionStatement = client.prepare('pragma data_version').pluck();
  const version = () => Number(versionStatement.get());
  const vaultReads = prepareVaultReads(db, version);
  return {
    /** A number that changes when another connection commits. */
    version,
    snapshot: client.transaction((recentEventCount: number) => readSnapshot(statements, recentEventCount)),
    vaultMovements: client.transaction(vaultReads.movements),
    vaultBalances: client.transaction(vaultReads.balancesAt),
    stakes: client.transaction((maxEnded: number) => readStakes(stakeReads, maxEnded)),
    walletEvents: client.transaction((wallet: string, limit: number, before: EventCursor | null) =>
      readWalletEvents(walletReads, wallet, limit, before),
    ),
    history: client.transaction(
      (series: HistorySeries, resolution: HistoryResolution, since: number): HistoryPoint[] => {
        if (!isMarketSeries(series))
          return readPoints(pointReads, { series, origin: 'chain' }, resolution, since);
        const source = statements.quote.get()?.source;
        if (source === undefined) return [];
        return readPoints(pointReads, { series, origin: originOfPrice(source) }, resolution, since);
      },
    ),
    statistics: client.transaction(() => readStatistics(statements)),
  };
}
export type IndexQueries = ReturnType<typeof prepareIndexQueries>;
