import type Database from 'better-sqlite3';
import { and, asc, desc, eq, isNull, lte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { IndexSnapshot, StakeEntryRow, VaultWindow } from '../ports.ts';
import { newestFirst } from './event-statements.ts';
import {
  accounts,
  chainSnapshot,
  endpointReport,
  endpoints,
  events,
  indexIdentity,
  marketQuote,
  stakeEntries,
} from './index-schema.ts';
import { NO_HISTORY, type RunningTotals } from './running-totals.ts';

const value = (name: string) => sql.placeholder(name);

function prepareStatements(client: Database.Database) {
  const db = drizzle({ client });
  const latestFirst = [desc(events.historyTime), ...newestFirst] as const;
  const ofAccount = eq(events.accountId, value('accountId'));
  const totals = {
    historyTime: events.historyTime,
    totalIn: events.totalIn,
    totalOut: events.totalOut,
    movements: events.movements,
  };
  return {
    identity: db.select().from(indexIdentity).prepare(),
    chain: db.select().from(chainSnapshot).prepare(),
    quote: db.select().from(marketQuote).prepare(),
    endpoints: db.select().from(endpoints).orderBy(asc(endpoints.id)).prepare(),
    report: db.select().from(endpointReport).prepare(),
    entries: db.select().from(stakeEntries).orderBy(asc(stakeEntries.address)).prepare(),
    recentEvents: db
      .select({
        signature: events.signature,
        account: accounts.address,
        slot: events.slot,
        position: events.position,
        blockTime: events.blockTime,
        kind: events.kind,
        wallet: events.wallet,
        delta: events.delta,
        status: events.status,
      })
      .from(events)
      .innerJoin(accounts, eq(accounts.id, events.accountId))
      .orderBy(...newestFirst)
      .limit(value('limit'))
      .prepare(),
    vaultAccount: db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.vault, accounts.address))
      .prepare(),
    newest: db
      .select(totals)
      .from(events)
      .where(ofAccount)
      .orderBy(...latestFirst)
      .limit(1)
      .prepare(),
    newestAt: db
      .select(totals)
      .from(events)
      .where(and(ofAccount, lte(events.historyTime, value('moment'))))
      .orderBy(...latestFirst)
      .limit(1)
      .prepare(),
    newestUndated: db
      .select(totals)
      .from(events)
      .where(and(ofAccount, isNull(events.historyTime)))
      .orderBy(...latestFirst)
      .limit(1)
      .prepare(),
  };
}
type Statements = ReturnType<typeof prepareStatements>;

function readSnapshot(statements: Statements, recentEvents: number): IndexSnapshot {
  const { id: _identityRow, ...identity } = statements.identity.get() ?? { id: null };
  const { id: _chainRow, ...chain } = statements.chain.get() ?? { id: null };
  const { id: _quoteRow, ...quote } = statements.quote.get() ?? { id: null };
  return {
    identity: 'mint' in identity ? identity : null,
    chain: 'slot' in chain ? chain : null,
    quote: 'source' in quote ? quote : null,
    endpoints: statements.endpoints.all().map(({ id: _row, ...endpoint }) => endpoint),
    endpointsReportedAt: statements.report.get()?.reportedAt ?? null,
    recentEvents: statements.recentEvents.all({ limit: Math.max(0, recentEvents) }),
  };
}

interface VaultHistory {
  readonly accountId: number;
  readonly newest: RunningTotals;
  /** The moment up to which the history is complete; null where its times are unknown. */
  readonly until: number | null;
}

function vaultHistory(statements: Statements): VaultHistory | null {
  const account = statements.vaultAccount.get();
  if (account === undefined) return null;
  const newest = statements.newest.get({ accountId: account.id }) ?? NO_HISTORY;
  const until = Math.max(newest.historyTime ?? -1, account.caughtUpAt ?? -1);
  return { accountId: account.id, newest, until: until < 0 ? null : until };
}

function readVaultMovements(statements: Statements, since: number): VaultWindow {
  const history = vaultHistory(statements);
  if (history === null) return { deposits: 0n, withdrawals: 0n, movements: 0, until: null };
  const { accountId, newest, until } = history;
  const base =
    statements.newestAt.get({ accountId, moment: since }) ??
    statements.newestUndated.get({ accountId }) ??
    NO_HISTORY;
  return {
    deposits: newest.totalIn - base.totalIn,
    withdrawals: newest.totalOut - base.totalOut,
    movements: newest.movements - base.movements,
    until,
  };
}

function readVaultBalances(statements: Statements, moments: readonly number[]): (bigint | null)[] {
  const history = vaultHistory(statements);
  return moments.map((moment) => {
    if (history === null || history.until === null || moment > history.until) return null;
    const totals = statements.newestAt.get({ accountId: history.accountId, moment });
    return totals === undefined ? null : totals.totalIn - totals.totalOut;
  });
}

/** What the reader asks, each within one read transaction. */
export interface IndexQueries {
  /** A number that differs once another connection has committed. */
  version(): number;
  snapshot(recentEvents: number): IndexSnapshot;
  vaultMovements(since: number): VaultWindow;
  vaultBalances(moments: readonly number[]): (bigint | null)[];
  stakeEntries(): StakeEntryRow[];
}

/** Prepares the reader's queries on a connection to a file of the current schema. */
export function prepareIndexQueries(client: Database.Database): IndexQueries {
  const statements = prepareStatements(client);
  const version = client.prepare('pragma data_version').pluck();
  return {
    version: () => Number(version.get()),
    snapshot: client.transaction((recentEvents: number) => readSnapshot(statements, recentEvents)),
    vaultMovements: client.transaction((since: number) => readVaultMovements(statements, since)),
    vaultBalances: client.transaction((moments: readonly number[]) => readVaultBalances(statements, moments)),
    stakeEntries: () => statements.entries.all(),
  };
}
