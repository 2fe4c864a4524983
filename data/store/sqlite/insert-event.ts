import type Database from 'better-sqlite3';
import { getTableColumns, getTableName } from './drizzle.ts';
import { events } from './index-schema.ts';

type NewEvent = Omit<typeof events.$inferSelect, 'id' | 'walletBeginning'>;

/**
 * Prepares the statement that a backfill runs for every event, straight on the driver: filling Drizzle's placeholders
 * costs as much again as the insert.
 */
export function prepareInsertEvent(client: Database.Database): (event: NewEvent) => void {
  const { id: _id, walletBeginning: _generated, ...columns } = getTableColumns(events);
  const filled = Object.entries(columns).map(([field, column]) => ({
    field: field as keyof NewEvent,
    column,
  }));
  const names = filled.map(({ column }) => `"${column.name}"`).join(', ');
  const values = filled.map(() => '?').join(', ');
  const statement = client.prepare(`insert into "${getTableName(events)}" (${names}) values (${values})`);
  return (event) => {
    statement.run(
      filled.map(({ field, column }) => {
        const value = event[field];
        return value === null ? null : column.mapToDriverValue(value);
      }),
    );
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
