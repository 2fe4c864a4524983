import type Database from 'better-sqlite3';
import { and, asc, desc, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { FRESHNESS } from '../../model/value-state.ts';
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
    accountsRead: db
      .select({ id: accounts.id })
      .from(accounts)
      .innerJoin(
        indexIdentity,
        or(eq(indexIdentity.vault, accounts.address), eq(indexIdentity.poolVault, accounts.address)),
      )
      .where(isNotNull(accounts.caughtUpAt))
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
    // In the order of history, so that only events newer than the slot are walked over.
    newestAtSlot: db
      .select(totals)
      .from(events)
      .where(and(ofAccount, lte(events.slot, value('slot'))))
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

/** The accounts that an index follows: vault and pool vault. */
const WATCHED_ACCOUNTS = 2;

/** A history listed up to so long (ms) before the snapshot was read still explains its balance. */
const LISTING_LAG = 2 * FRESHNESS.chain.interval;

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
    isHistoryRead: statements.accountsRead.all().length === WATCHED_ACCOUNTS,
  };
}

interface VaultHistory {
  readonly accountId: number;
  readonly newest: RunningTotals;
  /** The moment up to which the history is complete; null where its times are unknown. */
  readonly until: number | null;
  /** The latest snapshot, where the history explains it. */
  readonly present: {
    readonly balance: bigint;
    readonly readAt: number;
    readonly totals: RunningTotals;
  } | null;
}

const netOf = ({ totalIn, totalOut }: RunningTotals): bigint => totalIn - totalOut;

function vaultHistory(statements: Statements): VaultHistory | null {
  const account = statements.vaultAccount.get();
  if (account === undefined) return null;
  const accountId = account.id;
  const newest = statements.newest.get({ accountId }) ?? NO_HISTORY;
  const until = Math.max(newest.historyTime ?? -1, account.caughtUpAt ?? -1);
  const chain = statements.chain.get();
  const isListed =
    chain !== undefined && account.caughtUpAt !== null && account.caughtUpAt >= chain.readAt - LISTING_LAG;
  return {
    accountId,
    newest,
    until: until < 0 ? null : until,
    present: isListed
      ? {
          balance: chain.vaultBalance,
          readAt: chain.readAt,
          // Events may be ahead of the snapshot: what moved after its slot is not in its balance.
          totals: statements.newestAtSlot.get({ accountId, slot: chain.slot }) ?? NO_HISTORY,
        }
      : null,
  };
}

/** Whether the events make the balance from nothing, so that none is missing before the first. */
function isFromTheStart({ present }: VaultHistory): boolean {
  return present !== null && present.balance === netOf(present.totals);
}

function readVaultMovements(statements: Statements, since: number): VaultWindow {
  const history = vaultHistory(statements);
  if (history === null) {
    return { deposits: 0n, withdrawals: 0n, movements: 0, until: null, reachesBack: false };
  }
  const { accountId, newest, until } = history;
  const before = statements.newestAt.get({ accountId, moment: since });
  const base = before ?? statements.newestUndated.get({ accountId }) ?? NO_HISTORY;
  return {
    deposits: newest.totalIn - base.totalIn,
    withdrawals: newest.totalOut - base.totalOut,
    movements: newest.movements - base.movements,
    until,
    reachesBack: before !== undefined || isFromTheStart(history),
  };
}

function readVaultBalances(statements: Statements, moments: readonly number[]): (bigint | null)[] {
  const history = vaultHistory(statements);
  return moments.map((moment) => {
    if (!history?.present || moment > history.present.readAt) return null;
    const { accountId, present } = history;
    const base = statements.newestAt.get({ accountId, moment });
    return base === undefined ? null : present.balance - (netOf(present.totals) - netOf(base));
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
