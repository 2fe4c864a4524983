import { isDeepStrictEqual } from 'node:util';
import { desc, eq, sql } from 'drizzle-orm';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { AppStore, AuditRecord } from '../ports.ts';
import { auditRecords } from './app-schema.ts';
import { openForWriting } from './open-database.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

const value = (name: string) => sql.placeholder(name);

function prepareAuditStatements(db: BetterSQLite3Database) {
  const record = {
    id: auditRecords.id,
    at: auditRecords.at,
    actor: auditRecords.actor,
    action: auditRecords.action,
    details: auditRecords.details,
  };
  return {
    add: db
      .insert(auditRecords)
      .values({
        id: value('id'),
        at: value('at'),
        actor: value('actor'),
        action: value('action'),
        details: value('details'),
      })
      .onConflictDoNothing({ target: auditRecords.id })
      .prepare(),
    byId: db
      .select(record)
      .from(auditRecords)
      .where(eq(auditRecords.id, value('id')))
      .prepare(),
    newest: db
      .select(record)
      .from(auditRecords)
      .orderBy(desc(auditRecords.at), desc(auditRecords.sequence))
      .limit(value('limit'))
      .prepare(),
  };
}

/**
 * Opens `app.db`, making it where there is none.
 * @throws {StoreUnavailableError} where the file cannot be opened or written, is no database, is another program's, or
 * newer than this program.
 */
export async function openAppStore(file: string): Promise<AppStore> {
  const client = openForWriting(file, APP_FILE);
  const audit = prepareAuditStatements(drizzle({ client }));
  const record = client.transaction((added: AuditRecord): void => {
    if (audit.add.run({ ...added }).changes > 0) return;
    if (!isDeepStrictEqual(audit.byId.get({ id: added.id }), added)) {
      throw new RangeError(
        `The audit record ${added.id} exists with other contents; it is never overwritten.`,
      );
    }
  });
  return {
    recordAudit: (added) => inStore(client, APP_FILE, () => record.immediate(added)),
    auditTrail: (limit) => inStore(client, APP_FILE, () => audit.newest.all({ limit: Math.max(0, limit) })),
    close: async () => {
      client.close();
    },
  };
}
