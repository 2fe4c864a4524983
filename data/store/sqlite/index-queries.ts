import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import type {
  EventPlace,
  HistoryPoint,
  HistoryResolution,
  HistorySeries,
  IndexSnapshot,
  IndexStatistics,
  Stakes,
  VaultWindow,
  WalletEvents,
} from '../ports.ts';
import { asc, count, desc, drizzle, eq, or, sql } from './drizzle.ts';
import { newestFirst } from './event-statements.ts';
import { originOfPrice, preparePointReads, readPoints } from './history-points.ts';
import {
  accounts,
  alarms,
  chainSnapshot,
  endpointReport,
  endpoints,
  events,
  holderCounts,
  indexIdentity,
  marketQuote,
  quarantined,
  reconciliations,
} from './index-schema.ts';
import { prepareStakeStatements, readStakes } from './stake-queries.ts';
import { prepareVaultStatements, readVaultBalances, readVaultMovements } from './vault-queries.ts';
import { prepareWalletStatements, readWalletEvents } from './wallet-queries.ts';

const value = (name: string) => sql.placeholder(name);

/** Alarms that a snapshot shows. */
const NEWEST_ALARMS = 100;

function prepareStatements(db: BetterSQLite3Database) {
  return {
    identity: db.select().from(indexIdentity).prepare(),
    chain: db.select().from(chainSnapshot).prepare(),
    holders: db
      .select({ slot: holderCounts.slot, wallets: holderCounts.wallets, readAt: holderCounts.readAt })
      .from(holderCounts)
      .prepare(),
    quote: db.select().from(marketQuote).prepare(),
    endpoints: db.select().from(endpoints).orderBy(asc(endpoints.id)).prepare(),
    report: db.select().from(endpointReport).prepare(),
    reconciliation: db.select().from(reconciliations).prepare(),
    accounts: db.select().from(accounts).prepare(),
    newestOf: db
      .select({
        id: events.id,
        signature: events.signature,
        slot: events.slot,
        position: events.position,
        part: events.part,
        blockTime: events.blockTime,
        kind: events.kind,
        wallet: events.wallet,
        delta: events.delta,
        stakeEntry: events.stakeEntry,
        status: events.status,
      })
      .from(events)
      .where(eq(events.accountId, value('accountId')))
      .orderBy(...newestFirst)
      .limit(value('limit'))
      .prepare(),
    watched: db
      .select({
        cursorSlot: accounts.cursorSlot,
        caughtUpAt: accounts.caughtUpAt,
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
      .limit(NEWEST_ALARMS)
      .prepare(),
    alarmCount: db.select({ rows: count() }).from(alarms).prepare(),
    quarantinedCount: db.select({ rows: count() }).from(quarantined).prepare(),
    provisionalCount: db
      .select({ rows: count() })
      .from(events)
      .where(sql`${events.status} = 'confirmed'`)
      .prepare(),
  };
}
type Statements = ReturnType<typeof prepareStatements>;

/** The accounts that an index follows: vault and pool vault. */
const WATCHED_ACCOUNTS = 2;

/** The newest of each account, merged: an index of all of them by slot would cost every commit. */
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

function readSnapshot(statements: Statements, recentEvents: number): IndexSnapshot {
  const { id: _identityRow, ...identity } = statements.identity.get() ?? { id: null };
  const { id: _chainRow, ...chain } = statements.chain.get() ?? { id: null };
  const { id: _quoteRow, ...quote } = statements.quote.get() ?? { id: null };
  const read = statements.watched.all().filter(({ caughtUpAt }) => caughtUpAt !== null);
  return {
    identity: 'mint' in identity ? identity : null,
    chain: 'slot' in chain ? chain : null,
    holders: statements.holders.get() ?? null,
    quote: 'source' in quote ? quote : null,
    endpoints: statements.endpoints.all().map(({ id: _row, ...endpoint }) => endpoint),
    endpointsReportedAt: statements.report.get()?.reportedAt ?? null,
    recentEvents: readRecentEvents(statements, Math.max(0, recentEvents)),
    isHistoryRead: read.length === WATCHED_ACCOUNTS,
    ...readReconciliation(statements),
    alarms: statements.newestAlarms.all(),
    quarantinedCount: statements.quarantinedCount.get()?.rows ?? 0,
  };
}

function readStatistics(statements: Statements): IndexStatistics {
  const watched = statements.watched.all();
  const countOf = (isVault: number) =>
    watched.find((account) => account.isVault === isVault)?.eventCount ?? 0;
  const cursors = watched.flatMap(({ cursorSlot }) => (cursorSlot === null ? [] : [cursorSlot]));
  return {
    events: { vault: countOf(1), 'stake-pool': countOf(0) },
    provisionalEvents: statements.provisionalCount.get()?.rows ?? 0,
    quarantined: statements.quarantinedCount.get()?.rows ?? 0,
    alarms: statements.alarmCount.get()?.rows ?? 0,
    cursorSlot: cursors.length === WATCHED_ACCOUNTS ? Math.min(...cursors) : null,
  };
}

/** What the reader asks, each within one read transaction. */
export interface IndexQueries {
  /** A number that differs once another connection has committed. */
  version(): number;
  snapshot(recentEvents: number): IndexSnapshot;
  vaultMovements(since: number): VaultWindow;
  vaultBalances(moments: readonly number[]): (bigint | null)[];
  stakes(endedAtMost: number): Stakes;
  walletEvents(wallet: string, limit: number, before: EventPlace | null): WalletEvents;
  history(series: HistorySeries, resolution: HistoryResolution, since: number): HistoryPoint[];
  statistics(): IndexStatistics;
}

/** Prepares the reader's queries on a connection to a file of the current schema. */
export function prepareIndexQueries(client: Database.Database): IndexQueries {
  const db = drizzle({ client });
  const statements = prepareStatements(db);
  const ofVault = prepareVaultStatements(db);
  const ofStakes = prepareStakeStatements(db);
  const ofWallets = prepareWalletStatements(db);
  const ofPoints = preparePointReads(db);
  const version = client.prepare('pragma data_version').pluck();
  return {
    version: () => Number(version.get()),
    snapshot: client.transaction((recentEvents: number) => readSnapshot(statements, recentEvents)),
    vaultMovements: client.transaction((since: number) => readVaultMovements(ofVault, since)),
    vaultBalances: client.transaction((moments: readonly number[]) => readVaultBalances(ofVault, moments)),
    stakes: client.transaction((endedAtMost: number) => readStakes(ofStakes, endedAtMost)),
    walletEvents: client.transaction((wallet: string, limit: number, before: EventPlace | null) =>
      readWalletEvents(ofWallets, wallet, limit, before),
    ),
    history: client.transaction((series: HistorySeries, resolution: HistoryResolution, since: number) => {
      if (series !== 'price') return readPoints(ofPoints, { series, origin: 'chain' }, resolution, since);
      const source = statements.quote.get()?.source;
      if (source === undefined) return [];
      return readPoints(ofPoints, { series, origin: originOfPrice(source) }, resolution, since);
    }),
    statistics: client.transaction(() => readStatistics(statements)),
  };
}
