import { and, asc, desc, eq, lt, lte, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { accounts, events } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** SQL of `events` newest first, as its history is ordered. */
export const newestFirst = [desc(events.slot), desc(events.position), desc(events.id)] as const;

// The leading plus keeps the planner off the index by account: what is asked for lies at the end of the slots, while
// that index would sort the account's whole history to find it.
const accountUnindexed = sql`+${events.accountId} = ${value('accountId')}`;

/** The prepared statements by which the writer keeps events and cursors. */
export function prepareEventStatements(db: BetterSQLite3Database) {
  const storedFields = {
    id: events.id,
    accountId: events.accountId,
    slot: events.slot,
    position: events.position,
    blockTime: events.blockTime,
    kind: events.kind,
    wallet: events.wallet,
    delta: events.delta,
    status: events.status,
  };
  const totalFields = {
    historyTime: events.historyTime,
    totalIn: events.totalIn,
    totalOut: events.totalOut,
    movements: events.movements,
  };
  return {
    accountByAddress: db
      .select()
      .from(accounts)
      .where(eq(accounts.address, value('address')))
      .prepare(),
    addAccount: db
      .insert(accounts)
      .values({ address: value('address') })
      .returning()
      .prepare(),
    allAccounts: db.select().from(accounts).prepare(),
    setCursor: db
      .update(accounts)
      .set({
        cursorSignature: sql`${value('signature')}`,
        cursorSlot: sql`${value('slot')}`,
        caughtUpAt: sql`${value('caughtUpAt')}`,
      })
      .where(eq(accounts.id, value('id')))
      .prepare(),

    addEvent: db
      .insert(events)
      .values({
        accountId: value('accountId'),
        signature: value('signature'),
        slot: value('slot'),
        position: value('position'),
        blockTime: value('blockTime'),
        historyTime: value('historyTime'),
        kind: value('kind'),
        wallet: value('wallet'),
        delta: value('delta'),
        status: value('status'),
        totalIn: value('totalIn'),
        totalOut: value('totalOut'),
        movements: value('movements'),
      })
      .onConflictDoNothing({ target: [events.signature, events.accountId] })
      .prepare(),
    storedEvent: db
      .select(storedFields)
      .from(events)
      .where(and(eq(events.signature, value('signature')), eq(events.accountId, value('accountId'))))
      .prepare(),
    provisionalBySignature: db
      .select({ id: events.id, accountId: events.accountId, slot: events.slot })
      .from(events)
      .where(and(eq(events.signature, value('signature')), eq(events.status, 'confirmed')))
      .prepare(),
    removeEvent: db
      .delete(events)
      .where(eq(events.id, value('id')))
      .prepare(),
    finalize: db
      .update(events)
      .set({ status: 'finalized' })
      .where(and(eq(events.signature, value('signature')), eq(events.status, 'confirmed')))
      .prepare(),

    /** The end of an account's history, by the index that ends there. */
    newestOf: db
      .select({ signature: events.signature, slot: events.slot, position: events.position, ...totalFields })
      .from(events)
      .where(eq(events.accountId, value('accountId')))
      .orderBy(desc(events.historyTime), ...newestFirst)
      .limit(1)
      .prepare(),
    newestBefore: db
      .select({ signature: events.signature, slot: events.slot, position: events.position, ...totalFields })
      .from(events)
      .where(and(accountUnindexed, lt(events.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    historyFrom: db
      .select({ id: events.id, blockTime: events.blockTime, delta: events.delta, ...totalFields })
      .from(events)
      .where(and(accountUnindexed, sql`${events.slot} >= ${value('slot')}`))
      .orderBy(asc(events.slot), asc(events.position), asc(events.id))
      .prepare(),
    setTotals: db
      .update(events)
      .set({
        historyTime: sql`${value('historyTime')}`,
        totalIn: sql`${sql.param(value('totalIn'), events.totalIn)}`,
        totalOut: sql`${sql.param(value('totalOut'), events.totalOut)}`,
        movements: sql`${value('movements')}`,
      })
      .where(eq(events.id, value('id')))
      .prepare(),

    provisionalUpTo: db
      .select({ signature: events.signature, account: accounts.address, slot: events.slot })
      .from(events)
      .innerJoin(accounts, eq(accounts.id, events.accountId))
      // Spelled out, since a bound value would not let SQLite see that the partial index applies.
      .where(and(sql`${events.status} = 'confirmed'`, lte(events.slot, value('slot'))))
      .orderBy(asc(events.slot), asc(events.position), asc(events.id))
      .limit(value('limit'))
      .prepare(),
  };
}
export type EventStatements = ReturnType<typeof prepareEventStatements>;
