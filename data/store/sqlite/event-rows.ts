import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import {
  type CountedEvent,
  isSameTotals,
  type RunningTotals,
  stakersIn,
  TotalsAccumulator,
  totalsAfter,
  transactionEndIndex,
  ZERO_TOTALS,
} from '../rules/running-totals.ts';
import { transactionKey } from '../rules/signature-key.ts';
import { equalsPlaceholder, placeholder, sql } from './drizzle.ts';
import type { EventRow, EventStatements } from './event-statements.ts';
import { accounts, walletActivity } from './index-schema.ts';

export function prepareActivityStatements(db: BetterSQLite3Database) {
  return {
    countEvents: db
      .update(accounts)
      .set({ eventCount: sql`${accounts.eventCount} + ${placeholder('more')}` })
      .where(equalsPlaceholder(accounts.id, 'id'))
      .prepare(),
    countTransactions: db
      .insert(walletActivity)
      .values({ wallet: placeholder('wallet'), transactions: placeholder('more') })
      .onConflictDoUpdate({
        target: walletActivity.wallet,
        set: { transactions: sql`${walletActivity.transactions} + excluded.transactions` },
      })
      .prepare(),
  };
}
export type ActivityStatements = ReturnType<typeof prepareActivityStatements>;

/** Adds up the counts during one database transaction of the writer, and writes each sum once. */
export class ActivityCounts {
  readonly #events = new Map<number, number>();
  readonly #wallets = new Map<string, number>();

  /** Adds the events of one chain transaction. A wallet that both staked and unstaked in it counts once. */
  add(accountId: number, parts: readonly CountedEvent[]): void {
    this.#events.set(accountId, (this.#events.get(accountId) ?? 0) + parts.length);
    for (const wallet of stakersIn(parts)) this.#wallets.set(wallet, (this.#wallets.get(wallet) ?? 0) + 1);
  }

  /** Call it once, at the end of the database transaction. */
  write(statements: ActivityStatements): void {
    for (const [id, more] of this.#events) statements.countEvents.run({ id, more });
    for (const [wallet, more] of this.#wallets) statements.countTransactions.run({ wallet, more });
  }
}

/** The maximum number of rows that a query reads, so that a long history is never in memory all at once. */
const ROWS_PER_READ = 4_000;

function recomputeTotals(statements: EventStatements, accountId: number, fromSlot: number): void {
  let totals: RunningTotals = statements.newestBefore.get({ accountId, slot: fromSlot }) ?? ZERO_TOTALS;
  let cursor = { slot: fromSlot, position: -1, id: -1 };
  const bounds = { accountId, upToSlot: Number.MAX_SAFE_INTEGER, limit: ROWS_PER_READ };
  for (;;) {
    const rows = statements.historyAfter.all({ ...cursor, ...bounds });
    for (const row of rows) {
      totals = totalsAfter(totals, row);
      if (!isSameTotals(totals, row)) statements.setTotals.run({ id: row.id, ...totals });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_READ) return;
    cursor = last;
  }
}

/**
 * Adds transactions to an account's history, each in a separate method call, because V8 would repeatedly recompile one loop
 * over all of them.
 */
class AccountHistory {
  readonly #statements: EventStatements;
  readonly #activity: ActivityCounts;
  readonly #accountId: number;
  readonly #end: TotalsAccumulator;

  constructor(statements: EventStatements, activity: ActivityCounts, accountId: number) {
    this.#statements = statements;
    this.#activity = activity;
    this.#accountId = accountId;
    this.#end = new TotalsAccumulator(statements.newestOf.get({ accountId }) ?? null);
  }

  /** Adds a transaction, unless it is already stored. @param parts the events of the transaction, in order */
  add(parts: readonly ChainEvent[]): void {
    const [event] = parts;
    if (!event) return;
    const key = transactionKey(event.signature);
    if (this.#statements.isStored(this.#accountId, key)) return;
    for (const part of parts) {
      this.#statements.addEvent(this.#accountId, key, part, this.#end.add(part));
    }
    this.#activity.add(this.#accountId, parts);
  }

  /** Call it once, after all transactions are added. */
  correctTotals(): void {
    const { wrongFromSlot } = this.#end;
    if (wrongFromSlot !== null) recomputeTotals(this.#statements, this.#accountId, wrongFromSlot);
  }
}

/**
 * Stores an account's final events with their running totals. Skips transactions that are already stored. Nearly all events
 * are newer than the stored ones and take one insert each. If an event is older, the totals of the events after it are
 * corrected.
 */
export function storeEvents(
  statements: EventStatements,
  activity: ActivityCounts,
  accountId: number,
  events: readonly ChainEvent[],
): void {
  if (events.length === 0) return;
  const history = new AccountHistory(statements, activity, accountId);
  for (let start = 0; start < events.length; ) {
    const end = transactionEndIndex(events, start);
    history.add(events.slice(start, end));
    start = end;
  }
  history.correctTotals();
}

/** Replaces an account's provisional events. Their totals continue those of the final events. */
export function replaceProvisional(
  statements: EventStatements,
  accountId: number,
  events: readonly EventRow[],
): void {
  statements.removeProvisional.run({ accountId });
  let totals: RunningTotals = statements.newestOf.get({ accountId }) ?? ZERO_TOTALS;
  const oldestFirst = events.toSorted((one, other) => one.slot - other.slot || one.position - other.position);
  for (const event of oldestFirst) {
    totals = totalsAfter(totals, event);
    statements.addProvisional(accountId, event, totals);
  }
}
