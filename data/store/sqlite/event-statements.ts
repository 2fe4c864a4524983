import type Database from 'better-sqlite3';
import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent, PlacedTransaction } from '../chain-rows.ts';
import type { EventSums, IndexWriter } from '../ports.ts';
import { and, asc, desc, eq, lt, lte, newValue, sql, value } from './drizzle.ts';
import { accounts, alarms, events } from './index-schema.ts';

/** What an account's history adds up to after one of its events. Amounts are unsigned base units. */
export interface RunningTotals {
  readonly historyTime: number | null;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  readonly movements: number;
  /** The part of the totals that the staking program moved. */
  readonly staked: bigint;
  readonly unstaked: bigint;
}

/** The totals before the first event. */
export const NO_HISTORY: RunningTotals = {
  historyTime: null,
  totalIn: 0n,
  totalOut: 0n,
  movements: 0,
  staked: 0n,
  unstaked: 0n,
};

/** Orders an account's events newest first. */
export const newestFirst = [desc(events.slot), desc(events.position), desc(events.id)] as const;
const oldestFirst = [asc(events.slot), asc(events.position), asc(events.id)] as const;

/** The columns of a `ChainEvent` except its account, and the row id. */
export const eventFields = {
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
};

export const totalFields = {
  historyTime: events.historyTime,
  totalIn: events.totalIn,
  totalOut: events.totalOut,
  movements: events.movements,
  staked: events.staked,
  unstaked: events.unstaked,
};

/** Events at a later place of the history than the placeholders `slot`, `position` and `id`. */
const isAfterPlace = sql`(${events.slot}, ${events.position}, ${events.id}) > (${value('slot')}, ${value('position')}, ${value('id')})`;
/** Events at an earlier place than those placeholders. */
export const isBeforePlace = sql`(${events.slot}, ${events.position}, ${events.id}) < (${value('slot')}, ${value('position')}, ${value('id')})`;

// A literal: with a bound value, SQLite cannot tell that the partial index applies.
const isProvisional = sql`${events.status} = 'confirmed'`;
const isProvisionalAlarm = sql`${alarms.status} = 'confirmed'`;

/**
 * A hash of a signature, 0 to 2^53 − 1. An index of these numbers is a tenth of an index of the texts and stays in memory.
 * Two signatures may share a hash, so the text is compared as well.
 */
function signatureKey(signature: string): number {
  let high = 0x811c9dc5;
  let low = 0x2545f491;
  for (let index = 0; index < signature.length; index += 1) {
    const code = signature.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 15;
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** The values that find a transaction's events. */
export const keyOf = (signature: string) => ({ signature, signatureKey: signatureKey(signature) });
export type TransactionKey = Readonly<ReturnType<typeof keyOf>>;

/** The prepared statements that write events and cursors. */
export function prepareEventStatements(client: Database.Database, db: BetterSQLite3Database) {
  const ofAccount = eq(events.accountId, value('accountId'));
  const hasSignature = and(
    eq(events.signatureKey, value('signatureKey')),
    eq(events.signature, value('signature')),
  );
  // The plus keeps the planner off the index of provisional events, which does not hold signatures.
  const isProvisionalOfSignature = and(hasSignature, sql`+${isProvisional}`);
  const place = { signature: events.signature, slot: events.slot, position: events.position };
  const newest = (...conditions: readonly SQL[]) =>
    db
      .select({ ...place, ...totalFields })
      .from(events)
      .where(and(ofAccount, ...conditions))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare();
  return {
    ...prepareInsert(client),
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
        cursorSignature: newValue('signature'),
        cursorSlot: newValue('slot'),
        cursorPosition: newValue('position'),
        caughtUpAt: newValue('caughtUpAt'),
      })
      .where(eq(accounts.id, value('id')))
      .prepare(),

    storedEvents: db
      .select(eventFields)
      .from(events)
      .where(and(hasSignature, ofAccount))
      .orderBy(asc(events.id))
      .prepare(),
    provisionalBySignature: db
      .select({ ...eventFields, accountId: events.accountId })
      .from(events)
      .where(isProvisionalOfSignature)
      .prepare(),
    removeEvent: db
      .delete(events)
      .where(eq(events.id, value('id')))
      .prepare(),
    finalize: db.update(events).set({ status: 'finalized' }).where(isProvisionalOfSignature).prepare(),

    newestOf: newest(),
    newestBefore: newest(lt(events.slot, value('slot'))),
    newestUpTo: newest(lte(events.slot, value('slot'))),
    newestFinalUpTo: newest(lte(events.slot, value('slot')), eq(events.status, 'finalized')),
    /** Oldest first, after a place and up to a slot. */
    historyAfter: db
      .select({ ...eventFields, ...totalFields })
      .from(events)
      .where(and(ofAccount, isAfterPlace, lte(events.slot, value('upToSlot'))))
      .orderBy(...oldestFirst)
      .limit(value('limit'))
      .prepare(),
    setTotals: db
      .update(events)
      .set({
        historyTime: newValue('historyTime'),
        totalIn: sql`${sql.param(value('totalIn'), events.totalIn)}`,
        totalOut: sql`${sql.param(value('totalOut'), events.totalOut)}`,
        movements: newValue('movements'),
        staked: sql`${sql.param(value('staked'), events.staked)}`,
        unstaked: sql`${sql.param(value('unstaked'), events.unstaked)}`,
      })
      .where(eq(events.id, value('id')))
      .prepare(),

    provisionalEvents: db
      .select({ ...place, account: accounts.address })
      .from(events)
      .innerJoin(accounts, eq(accounts.id, events.accountId))
      // One row per transaction is enough: its parts are stored and removed together.
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

const INSERTED_COLUMNS = [
  'account_id, signature_key, signature, slot, position, part, block_time, history_time, kind, wallet, delta',
  'stake_entry, status, total_in, total_out, movements, staked, unstaked',
].join(', ');

/**
 * The two statements that a backfill runs for every event, written in SQL: filling Drizzle's placeholders would
 * double the cost of the insert.
 */
function prepareInsert(client: Database.Database) {
  const insert = client.prepare<unknown[]>(
    `insert into events (${INSERTED_COLUMNS}) values (${INSERTED_COLUMNS.replaceAll(/\w+/g, '?')})`,
  );
  const stored = client.prepare<[number, number, string]>(
    'select 1 from "events" where "signature_key" = ? and "account_id" = ? and "signature" = ?',
  );
  return {
    addEvent(accountId: number, key: TransactionKey, event: ChainEvent, totals: RunningTotals): void {
      // In the order of INSERTED_COLUMNS.
      insert.run(
        accountId,
        key.signatureKey,
        event.signature,
        event.slot,
        event.position,
        event.part,
        event.blockTime,
        totals.historyTime,
        event.kind,
        event.wallet,
        event.delta.toString(),
        event.stakeEntry,
        event.status,
        totals.totalIn.toString(),
        totals.totalOut.toString(),
        totals.movements,
        totals.staked.toString(),
        totals.unstaked.toString(),
      );
    },
    /** Whether an account has an event of a transaction. */
    isStored: (accountId: number, key: TransactionKey): boolean =>
      stored.get(key.signatureKey, accountId, key.signature) !== undefined,
  };
}

/** @see IndexWriter.eventSums */
export function eventSums(statements: EventStatements, address: string, upToSlot: number): EventSums {
  const account = statements.accountByAddress.get({ address });
  const newest = account && statements.newestUpTo.get({ accountId: account.id, slot: upToSlot });
  const { totalIn, totalOut, staked, unstaked } = newest ?? NO_HISTORY;
  return { totalIn, totalOut, staked, unstaked };
}

/** @see IndexWriter.finalEvent */
export function finalEvent(
  statements: EventStatements,
  address: string,
  upToSlot: number,
): PlacedTransaction | null {
  const account = statements.accountByAddress.get({ address });
  const newest = account && statements.newestFinalUpTo.get({ accountId: account.id, slot: upToSlot });
  return newest ? { signature: newest.signature, slot: newest.slot, account: address } : null;
}

/** @see IndexWriter.provisionalEvents */
export function provisionalTransactions(
  statements: EventStatements,
  ...[slot, limit]: Parameters<IndexWriter['provisionalEvents']>
): readonly PlacedTransaction[] {
  const bounds = { slot, limit: Math.max(0, limit) };
  const found = new Map<string, PlacedTransaction>();
  const rows = [...statements.provisionalEvents.all(bounds), ...statements.provisionalAlarms.all(bounds)];
  for (const { signature, account, slot: at } of rows) {
    const key = `${signature} ${account}`;
    if (!found.has(key)) found.set(key, { signature, account, slot: at });
  }
  return [...found.values()].sort((one, other) => one.slot - other.slot).slice(0, bounds.limit);
}
