import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { VaultWindow } from '../ports.ts';
import { and, desc, eq, isNull, lte, sql } from './drizzle.ts';
import { newestFirst, totalFields } from './event-statements.ts';
import {
  accounts,
  chainSnapshot,
  events,
  indexIdentity,
  quarantined,
  reconciliations,
} from './index-schema.ts';
import { NO_HISTORY, type RunningTotals } from './running-totals.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the reader asks for the vault's past. */
export function prepareVaultStatements(db: BetterSQLite3Database) {
  const latestFirst = [desc(events.historyTime), ...newestFirst] as const;
  const ofAccount = eq(events.accountId, value('accountId'));
  const isQuarantinedHere = eq(quarantined.accountId, value('accountId'));
  return {
    chain: db.select().from(chainSnapshot).prepare(),
    reconciliation: db.select().from(reconciliations).prepare(),
    account: db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.vault, accounts.address))
      .prepare(),
    newest: db
      .select(totalFields)
      .from(events)
      .where(ofAccount)
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestAt: db
      .select(totalFields)
      .from(events)
      .where(and(ofAccount, lte(events.historyTime, value('moment'))))
      .orderBy(...latestFirst)
      .limit(1)
      .prepare(),
    newestAtSlot: db
      .select(totalFields)
      .from(events)
      .where(and(ofAccount, lte(events.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestAtPlace: db
      .select(totalFields)
      .from(events)
      .where(
        and(ofAccount, sql`(${events.slot}, ${events.position}) <= (${value('slot')}, ${value('position')})`),
      )
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestUndated: db
      .select(totalFields)
      .from(events)
      .where(and(ofAccount, isNull(events.historyTime)))
      .orderBy(...latestFirst)
      .limit(1)
      .prepare(),
    lastQuarantined: db
      .select({ slot: quarantined.slot, position: quarantined.position })
      .from(quarantined)
      .where(isQuarantinedHere)
      .orderBy(desc(quarantined.slot), desc(quarantined.position))
      .limit(1)
      .prepare(),
    quarantinedTimes: db
      .select({
        latest: sql<number | null>`max(${quarantined.blockTime})`,
        undated: sql<number>`count(*) - count(${quarantined.blockTime})`,
      })
      .from(quarantined)
      .where(isQuarantinedHere)
      .prepare(),
  };
}
export type VaultStatements = ReturnType<typeof prepareVaultStatements>;

/** The name by which a reconciliation tells of the vault's balance. */
const VAULT_BALANCE = 'vault.balance';

interface VaultHistory {
  readonly accountId: number;
  readonly newest: RunningTotals;
  /** The moment up to which the history is complete; null where its times are unknown. */
  readonly until: number | null;
  /** The latest moment (Unix ms) at which a transaction that could not be read may count; -Infinity where all were read. */
  readonly unreadAt: number;
  /** When the latest snapshot was read; null where there is none, or the history was not read up to its newest. */
  readonly readAt: number | null;
  /** What the vault held before its first event; null where that is not known. */
  readonly opening: bigint | null;
  /** Whether accounts and events ever agreed: then no event is missing before the first. */
  readonly hasAgreed: boolean;
}

const netOf = ({ totalIn, totalOut }: RunningTotals): bigint => totalIn - totalOut;

/** An unread transaction counts at its own time, or at that of the event before it where that is later. */
function latestUnread(statements: VaultStatements, accountId: number): number {
  const last = statements.lastQuarantined.get({ accountId });
  if (last === undefined) return Number.NEGATIVE_INFINITY;
  const times = statements.quarantinedTimes.get({ accountId });
  if (times === undefined || times.latest === null || times.undated > 0) return Number.POSITIVE_INFINITY;
  const before = statements.newestAtPlace.get({ accountId, ...last });
  return Math.max(times.latest, before?.historyTime ?? times.latest);
}

type Chain = NonNullable<ReturnType<VaultStatements['chain']['get']>>;
type Reconciled = ReturnType<VaultStatements['reconciliation']['get']>;

/**
 * What the vault held before its first event. The snapshot alone does not say: what it holds beyond the events may be
 * older than all of them, or newer. It does where the events make its balance; or where the same is beyond them as in
 * the latest reconciliation, which had waited for the history to be read up to its slot.
 */
function openingBalance(
  statements: VaultStatements,
  accountId: number,
  { slot, vaultBalance }: Chain,
  reconciled: Reconciled,
): bigint | null {
  const netUpTo = (at: number): bigint =>
    netOf(statements.newestAtSlot.get({ accountId, slot: at }) ?? NO_HISTORY);
  const beyond = vaultBalance - netUpTo(slot);
  if (beyond === 0n) return 0n;
  if (reconciled === undefined || reconciled.agreedSlot !== null) return null;
  const found = reconciled.differences.find(({ what }) => what === VAULT_BALANCE);
  if (found === undefined || found.indexed !== netUpTo(reconciled.slot)) return null;
  return found.onChain - found.indexed === beyond ? beyond : null;
}

function vaultHistory(statements: VaultStatements): VaultHistory | null {
  const account = statements.account.get();
  if (account === undefined) return null;
  const accountId = account.id;
  const newest = statements.newest.get({ accountId }) ?? NO_HISTORY;
  const until = Math.max(newest.historyTime ?? -1, account.caughtUpAt ?? -1);
  const chain = account.caughtUpAt === null ? undefined : statements.chain.get();
  const reconciled = statements.reconciliation.get();
  return {
    accountId,
    newest,
    until: until < 0 ? null : until,
    unreadAt: latestUnread(statements, accountId),
    readAt: chain?.readAt ?? null,
    opening: chain === undefined ? null : openingBalance(statements, accountId, chain, reconciled),
    hasAgreed: (reconciled?.agreedSlot ?? null) !== null,
  };
}

/** @see IndexReader.vaultMovements */
export function readVaultMovements(statements: VaultStatements, since: number): VaultWindow {
  const history = vaultHistory(statements);
  if (history === null) {
    return { deposits: 0n, withdrawals: 0n, movements: 0, until: null, reachesBack: false };
  }
  const { accountId, newest, until, unreadAt } = history;
  const before = statements.newestAt.get({ accountId, moment: since });
  const base = before ?? statements.newestUndated.get({ accountId }) ?? NO_HISTORY;
  return {
    deposits: newest.totalIn - base.totalIn,
    withdrawals: newest.totalOut - base.totalOut,
    movements: newest.movements - base.movements,
    until,
    reachesBack: unreadAt < since && (before !== undefined || history.opening === 0n || history.hasAgreed),
  };
}

/** @see IndexReader.vaultBalanceAt */
export function readVaultBalances(
  statements: VaultStatements,
  moments: readonly number[],
): (bigint | null)[] {
  const history = vaultHistory(statements);
  if (history === null) return moments.map(() => null);
  const { accountId, readAt, until, unreadAt, opening } = history;
  return moments.map((moment) => {
    if (opening === null || readAt === null || until === null) return null;
    if (moment > readAt || moment > until || moment <= unreadAt) return null;
    const base = statements.newestAt.get({ accountId, moment });
    return base === undefined ? null : opening + netOf(base);
  });
}
