import type Database from 'better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import { getTableColumns, getTableName } from './drizzle.ts';
import { events } from './index-schema.ts';
import type { RunningTotals } from './running-totals.ts';

type NewEvent = Omit<typeof events.$inferSelect, 'id' | 'walletBeginning'>;

/** What an event is found by. */
type Place = Pick<NewEvent, 'accountId' | 'signatureKey'>;

/** The values of an event for the driver, in the order of `COLUMNS`. Written out: this runs for every event of a backfill. */
function valuesOf(event: ChainEvent, place: Place, totals: RunningTotals): unknown[] {
  return [
    place.accountId,
    place.signatureKey,
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
  ];
}
const COLUMNS = [
  'accountId',
  'signatureKey',
  'signature',
  'slot',
  'position',
  'part',
  'blockTime',
  'historyTime',
  'kind',
  'wallet',
  'delta',
  'stakeEntry',
  'status',
  'totalIn',
  'totalOut',
  'movements',
  'staked',
  'unstaked',
] as const satisfies readonly (keyof NewEvent)[];

/**
 * Prepares the statement that a backfill runs for every event, straight on the driver: filling Drizzle's placeholders
 * costs as much again as the insert.
 */
export function prepareInsertEvent(
  client: Database.Database,
): (event: ChainEvent, place: Place, totals: RunningTotals) => void {
  const columns = getTableColumns(events);
  const names = COLUMNS.map((field) => `"${columns[field].name}"`).join(', ');
  const values = COLUMNS.map(() => '?').join(', ');
  const statement = client.prepare(`insert into "${getTableName(events)}" (${names}) values (${values})`);
  return (event, place, totals) => {
    statement.run(valuesOf(event, place, totals));
  };
}

/** Prepares the look-up whether an account has an event of a transaction, which precedes every insert. */
export function prepareIsStored(
  client: Database.Database,
): (of: Pick<NewEvent, 'signatureKey' | 'signature' | 'accountId'>) => boolean {
  const statement = client.prepare<unknown[]>(
    'select 1 from "events" where "signature_key" = ? and "account_id" = ? and "signature" = ?',
  );
  return ({ signatureKey, signature, accountId }) =>
    statement.get(signatureKey, accountId, signature) !== undefined;
}
