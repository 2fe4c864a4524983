import type Database from 'better-sqlite3';
import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import type { EventSums } from '../ports.ts';
import { type RunningTotals, ZERO_TOTALS } from '../rules/running-totals.ts';
import type { TransactionKey } from '../rules/signature-key.ts';
import { and, asc, desc, equalsPlaceholder, lt, lte, placeholder, placeholderSql, sql } from './drizzle.ts';
import { accounts, allEvents, events, provisionalEvents } from './index-schema.ts';

export const newestFirst = [desc(allEvents.slot), desc(allEvents.position), desc(allEvents.id)] as const;

type EventTable = typeof events | typeof provisionalEvents | typeof allEvents;

/** The row id and the columns of a `ChainEvent`, except its account and status. */
const fieldsOf = <Table extends EventTable>({
  id,
  signature,
  slot,
  position,
  part,
  blockTime,
  kind,
  wallet,
  delta,
  stakeEntry,
}: Table) => ({ id, signature, slot, position, part, blockTime, kind, wallet, delta, stakeEntry });

const totalsOf = <Table extends EventTable>({
  historyTime,
  totalIn,
  totalOut,
  movements,
  staked,
  unstaked,
}: Table) => ({ historyTime, totalIn, totalOut, movements, staked, unstaked });

export const eventFields = { ...fieldsOf(allEvents), status: allEvents.status };
/** Includes the columns of the sort order: SQLite uses the indexes of both tables only if these columns are selected. */
export const totalFields = {
  slot: allEvents.slot,
  position: allEvents.position,
  id: allEvents.id,
  ...totalsOf(allEvents),
};

export const isBeforeCursor = sql`(${allEvents.slot}, ${allEvents.position}, ${allEvents.id}) < (${placeholder('slot')}, ${placeholder('position')}, ${placeholder('id')})`;
const isAfterCursor = sql`(${events.slot}, ${events.position}, ${events.id}) > (${placeholder('slot')}, ${placeholder('position')}, ${placeholder('id')})`;

export function prepareEventStatements(client: Database.Database, db: BetterSQLite3Database) {
  const ofAccount = equalsPlaceholder(events.accountId, 'accountId');
  const isProvisionalOfAccount = equalsPlaceholder(provisionalEvents.accountId, 'accountId');
  const positionColumns = { signature: events.signature, slot: events.slot, position: events.position };
  const selectNewest = (...conditions: readonly SQL[]) =>
    db
      .select({ ...positionColumns, ...totalsOf(events) })
      .from(events)
      .where(and(ofAccount, ...conditions))
      .orderBy(desc(events.slot), desc(events.position), desc(events.id))
      .limit(1)
      .prepare();
  return {
    ...prepareInserts(client),
    accountByAddress: db
      .select()
      .from(accounts)
      .where(equalsPlaceholder(accounts.address, 'address'))
      .prepare(),
    addAccount: db
      .insert(accounts)
      .values({ address: placeholder('address') })
      .returning()
      .prepare(),
    setCursor: db
      .update(accounts)
      .set({
        cursorSignature: placeholderSql('signature'),
        cursorSlot: placeholderSql('slot'),
        caughtUpAt: placeholderSql('caughtUpAt'),
      })
      .where(equalsPlaceholder(accounts.id, 'id'))
      .prepare(),
    setBeginning: db
      .update(accounts)
      .set({
        oldestSignature: placeholderSql('signature'),
        oldestSlot: placeholderSql('slot'),
        hasBeginning: sql`${placeholder('isProven')}`,
      })
      .where(equalsPlaceholder(accounts.id, 'id'))
      .prepare(),

    newestOf: selectNewest(),
    newestBefore: selectNewest(lt(events.slot, placeholder('slot'))),
    newestUpTo: selectNewest(lte(events.slot, placeholder('slot'))),
    historyAfter: db
      .select({ ...fieldsOf(events), ...totalsOf(events) })
      .from(events)
      .where(and(ofAccount, isAfterCursor, lte(events.slot, placeholder('upToSlot'))))
      .orderBy(asc(events.slot), asc(events.position), asc(events.id))
      .limit(placeholder('limit'))
      .prepare(),
    setTotals: db
      .update(events)
      .set({
        historyTime: placeholderSql('historyTime'),
        totalIn: sql`${sql.param(placeholder('totalIn'), events.totalIn)}`,
        totalOut: sql`${sql.param(placeholder('totalOut'), events.totalOut)}`,
        movements: placeholderSql('movements'),
        staked: sql`${sql.param(placeholder('staked'), events.staked)}`,
        unstaked: sql`${sql.param(placeholder('unstaked'), events.unstaked)}`,
      })
      .where(equalsPlaceholder(events.id, 'id'))
      .prepare(),

    provisionalOf: db
      .select(fieldsOf(provisionalEvents))
      .from(provisionalEvents)
      .where(isProvisionalOfAccount)
      .orderBy(asc(provisionalEvents.id))
      .prepare(),
    removeProvisional: db.delete(provisionalEvents).where(isProvisionalOfAccount).prepare(),
  };
}
export type EventStatements = ReturnType<typeof prepareEventStatements>;

/** The status is not stored: it follows from the table. */
export type EventRow = Omit<ChainEvent, 'account' | 'status'>;

const INSERTED_COLUMNS = [
  'account_id, signature, slot, position, part, block_time, history_time, kind, wallet, delta',
  'stake_entry, total_in, total_out, movements, staked, unstaked',
].join(', ');

/**
 * The statements that a backfill runs for every event, written as SQL: with Drizzle's placeholders, an insert would take twice
 * as long.
 */
function prepareInserts(client: Database.Database) {
  const insertInto = (table: string, columns: string) =>
    client.prepare<unknown[]>(
      `insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, '?')})`,
    );
  const insertFinal = insertInto('events', `${INSERTED_COLUMNS}, signature_key`);
  const insertProvisional = insertInto('provisional_events', INSERTED_COLUMNS);
  const findStored = client.prepare<[number, number, string]>(
    'select 1 from "events" where "signature_key" = ? and "account_id" = ? and "signature" = ?',
  );
  /** The values in the order of `INSERTED_COLUMNS`. */
  const rowParameters = (accountId: number, event: EventRow, totals: RunningTotals): unknown[] => [
    accountId,
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
    totals.totalIn.toString(),
    totals.totalOut.toString(),
    totals.movements,
    totals.staked.toString(),
    totals.unstaked.toString(),
  ];
  return {
    addEvent(accountId: number, key: TransactionKey, event: EventRow, totals: RunningTotals): void {
      insertFinal.run(...rowParameters(accountId, event, totals), key.signatureKey);
    },
    addProvisional(accountId: number, event: EventRow, totals: RunningTotals): void {
      insertProvisional.run(...rowParameters(accountId, event, totals));
    },
    isStored: (accountId: number, key: TransactionKey): boolean =>
      findStored.get(key.signatureKey, accountId, key.signature) !== undefined,
  };
}

export function eventSums(statements: EventStatements, address: string, upToSlot: number): EventSums {
  const account = statements.accountByAddress.get({ address });
  const newest = account && statements.newestUpTo.get({ accountId: account.id, slot: upToSlot });
  const { totalIn, totalOut, staked, unstaked } = newest ?? ZERO_TOTALS;
  return { totalIn, totalOut, staked, unstaked };
}
