import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { and, asc, desc, eq, lt, lte, sql } from './drizzle.ts';
import { accounts, alarms, events } from './index-schema.ts';
import { prepareInsertEvent, prepareIsStored } from './insert-event.ts';
import { signatureKey } from './signature-key.ts';

const value = (name: string) => sql.placeholder(name);

/** SQL of an account's events newest first, as its history is ordered. */
export const newestFirst = [desc(events.slot), desc(events.position), desc(events.id)] as const;
const oldestFirst = [asc(events.slot), asc(events.position), asc(events.id)] as const;

/** What an account's history adds up to after an event. */
export const totalFields = {
  historyTime: events.historyTime,
  totalIn: events.totalIn,
  totalOut: events.totalOut,
  movements: events.movements,
  staked: events.staked,
  unstaked: events.unstaked,
};

/** What finds a transaction: its signature, and the number made of it. */
export function ofSignature(signature: string): {
  readonly signature: string;
  readonly signatureKey: number;
} {
  return { signature, signatureKey: signatureKey(signature) };
}

// Spelled out, since a bound value would not let SQLite see that the partial index applies.
const isProvisional = sql`${events.status} = 'confirmed'`;
const isProvisionalAlarm = sql`${alarms.status} = 'confirmed'`;

/** The prepared statements by which the writer keeps events and cursors. */
export function prepareEventStatements(client: Database.Database, db: BetterSQLite3Database) {
  const ofAccount = eq(events.accountId, value('accountId'));
  const hasSignature = and(
    eq(events.signatureKey, value('signatureKey')),
    eq(events.signature, value('signature')),
  );
  const place = { signature: events.signature, slot: events.slot, position: events.position };
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
        cursorPosition: sql`${value('position')}`,
        caughtUpAt: sql`${value('caughtUpAt')}`,
      })
      .where(eq(accounts.id, value('id')))
      .prepare(),

    addEvent: prepareInsertEvent(client),
    isStored: prepareIsStored(client),
    storedEvents: db
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
      .where(and(hasSignature, ofAccount))
      .orderBy(asc(events.id))
      .prepare(),
    provisionalBySignature: db
      .select({
        id: events.id,
        accountId: events.accountId,
        slot: events.slot,
        kind: events.kind,
        wallet: events.wallet,
      })
      .from(events)
      // The plus keeps the planner off the index of what is provisional, which knows no signatures.
      .where(and(hasSignature, sql`+${events.status} = 'confirmed'`))
      .prepare(),
    removeEvent: db
      .delete(events)
      .where(eq(events.id, value('id')))
      .prepare(),
    finalize: db
      .update(events)
      .set({ status: 'finalized' })
      .where(and(hasSignature, sql`+${events.status} = 'confirmed'`))
      .prepare(),

    newestOf: db
      .select({ ...place, ...totalFields })
      .from(events)
      .where(ofAccount)
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestBefore: db
      .select({ ...place, ...totalFields })
      .from(events)
      .where(and(ofAccount, lt(events.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestUpTo: db
      .select(totalFields)
      .from(events)
      .where(and(ofAccount, lte(events.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    newestFinalUpTo: db
      .select({ signature: events.signature, slot: events.slot })
      .from(events)
      .where(and(ofAccount, lte(events.slot, value('slot')), eq(events.status, 'finalized')))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    historyFrom: db
      .select({
        id: events.id,
        slot: events.slot,
        position: events.position,
        blockTime: events.blockTime,
        kind: events.kind,
        delta: events.delta,
        ...totalFields,
      })
      .from(events)
      .where(
        and(
          ofAccount,
          sql`(${events.slot}, ${events.position}, ${events.id}) > (${value('slot')}, ${value('position')}, ${value('id')})`,
        ),
      )
      .orderBy(...oldestFirst)
      .limit(value('limit'))
      .prepare(),
    setTotals: db
      .update(events)
      .set({
        historyTime: sql`${value('historyTime')}`,
        totalIn: sql`${sql.param(value('totalIn'), events.totalIn)}`,
        totalOut: sql`${sql.param(value('totalOut'), events.totalOut)}`,
        movements: sql`${value('movements')}`,
        staked: sql`${sql.param(value('staked'), events.staked)}`,
        unstaked: sql`${sql.param(value('unstaked'), events.unstaked)}`,
      })
      .where(eq(events.id, value('id')))
      .prepare(),

    provisionalEvents: db
      .select({ ...place, account: accounts.address })
      .from(events)
      .innerJoin(accounts, eq(accounts.id, events.accountId))
      // One row of a transaction is enough: its parts stand and fall together.
      .where(and(isProvisional, lte(events.slot, value('slot')), eq(events.part, 0)))
      .orderBy(...oldestFirst)
      .limit(value('limit'))
      .prepare(),
    provisionalAlarms: db
      .select({ signature: alarms.signature, slot: alarms.slot, account: accounts.address })
      .from(alarms)
      .innerJoin(accounts, eq(accounts.id, alarms.accountId))
      .where(and(isProvisionalAlarm, lte(alarms.slot, value('slot'))))
      .orderBy(asc(alarms.slot), asc(alarms.id))
      .limit(value('limit'))
      .prepare(),
  };
}
export type EventStatements = ReturnType<typeof prepareEventStatements>;
