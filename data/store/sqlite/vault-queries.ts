import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { VaultWindow } from '../ports.ts';
import { NO_HISTORY, type RunningTotals } from '../rules/running-totals.ts';
import { and, desc, eq, equals, isNull, lte, sql, value } from './drizzle.ts';
import { newestFirst, totalFields } from './event-statements.ts';
import {
  accounts,
  allEvents,
  chainSnapshot,
  indexIdentity,
  quarantined,
  reconciliations,
} from './index-schema.ts';

export function prepareVaultStatements(db: BetterSQLite3Database) {
  const ofAccount = equals(allEvents.accountId, 'accountId');
  const isQuarantined = equals(quarantined.accountId, 'accountId');
  const newest = (order: readonly SQL[], ...conditions: readonly SQL[]) =>
    db
      .select(totalFields)
      .from(allEvents)
      .where(and(ofAccount, ...conditions))
      .orderBy(...order)
      .limit(1)
      .prepare();
  const byTime = [desc(allEvents.historyTime), ...newestFirst];
  return {
    chain: db.select().from(chainSnapshot).prepare(),
    reconciliation: db.select().from(reconciliations).prepare(),
    account: db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.vault, accounts.address))
      .prepare(),
    newest: newest(newestFirst),
    newestAt: newest(byTime, lte(allEvents.historyTime, value('moment'))),
    newestAtSlot: newest(newestFirst, lte(allEvents.slot, value('slot'))),
    newestAtPlace: newest(
      newestFirst,
      sql`(${allEvents.slot}, ${allEvents.position}) <= (${value('slot')}, ${value('position')})`,
    ),
    newestUndated: newest(byTime, isNull(allEvents.historyTime)),
    lastQuarantined: db
      .select({ slot: quarantined.slot, position: quarantined.position })
      .from(quarantined)
      .where(isQuarantined)
      .orderBy(desc(quarantined.slot), desc(quarantined.position))
      .limit(1)
      .prepare(),
    quarantinedTimes: db
      .select({
        latest: sql<number | null>`max(${quarantined.blockTime})`,
        undated: sql<number>`count(*) - count(${quarantined.blockTime})`,
      })
      .from(quarantined)
      .where(isQuarantined)
      .prepare(),
  };
}
type VaultStatements = ReturnType<typeof prepareVaultStatements>;

interface VaultHistory {
  readonly accountId: number;
  readonly newest: RunningTotals;
  /** Up to when the history is complete; null when its times are unknown. */
  readonly until: number | null;
  /** The latest time that a quarantined transaction can have; -Infinity when there is none. */
  readonly unreadAt: number;
  /** When the latest snapshot was read; null without one, or when the history is not caught up. */
  readonly readAt: number | null;
  /** The vault's balance before its first event; null when it is unknown. */
  readonly opening: bigint | null;
  /** Whether a reconciliation ever agreed. If so, no event before the first one is missing. */
  readonly hasAgreed: boolean;
}

const netAmount = ({ totalIn, totalOut }: RunningTotals): bigint => totalIn - totalOut;

/**
 * The latest time of a quarantined transaction. It counts at its own time, or at the time of the event before it if that is
 * later.
 */
function latestUnread(statements: VaultStatements, accountId: number): number {
  const last = statements.lastQuarantined.get({ accountId });
  if (last === undefined) return Number.NEGATIVE_INFINITY;
  const times = statements.quarantinedTimes.get({ accountId });
  if (times === undefined || times.latest === null || times.undated > 0) return Number.POSITIVE_INFINITY;
  const before = statements.newestAtPlace.get({ accountId, ...last });
  return Math.max(times.latest, before?.historyTime ?? times.latest);
}

/**
 * The vault's balance before its first event. The snapshot alone does not determine it: the missing events may be older than
 * all others, or newer. It is known if the events add up to the balance, or if the difference is the same as in the latest
 * reconciliation, which waited for the history up to its slot.
 */
function openingBalance(
  statements: VaultStatements,
  accountId: number,
  { slot, vaultBalance, vaultProblem }: typeof chainSnapshot.$inferSelect,
  reconciled: typeof reconciliations.$inferSelect | undefined,
): bigint | null {
  const netUpTo = (at: number): bigint =>
    netAmount(statements.newestAtSlot.get({ accountId, slot: at }) ?? NO_HISTORY);
  if (vaultProblem !== null) return null;
  const beyond = vaultBalance - netUpTo(slot);
  if (beyond === 0n) return 0n;
  if (reconciled === undefined || reconciled.agreedSlot !== null) return null;
  const found = reconciled.differences.find(({ what }) => what === 'vault.balance');
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
  if (history === null) return NO_MOVEMENTS;
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

/** The movements of a vault without a history. */
export const NO_MOVEMENTS: VaultWindow = {
  deposits: 0n,
  withdrawals: 0n,
  movements: 0,
  until: null,
  reachesBack: false,
};

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
    return base === undefined ? null : opening + netAmount(base);
  });
}
