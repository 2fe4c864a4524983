import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AppStore, AuditRecord } from '../ports.ts';
import { auditRecords } from './app-schema.ts';
import { createCardStore } from './card-store.ts';
import { desc, drizzle, eq, sql } from './drizzle.ts';
import { openForWriting } from './open-database.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import { takeWritersPlace } from './writer-lock.ts';

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

function openAsOnlyWriter(file: string): { readonly client: Database.Database; close(): void } {
  const giveBackPlace = takeWritersPlace(file);
  try {
    const client = openForWriting(file, APP_FILE);
    return {
      client,
      close() {
        client.close();
        giveBackPlace();
      },
    };
  } catch (error) {
    giveBackPlace();
    throw error;
  }
}

/**
 * Opens `app.db` as its only writer, making it where there is none.
 * @throws {StoreUnavailableError} where another process has it, or the file cannot be opened or written, is no database,
 * is another program's, or newer than this program.
 */
export async function openAppStore(file: string): Promise<AppStore> {
  const { client, close } = openAsOnlyWriter(file);
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
    cards: createCardStore(client, record),
    recordAudit: (added) => inStore(client, APP_FILE, () => record.immediate(added)),
    auditTrail: (limit) => inStore(client, APP_FILE, () => audit.newest.all({ limit: Math.max(0, limit) })),
    close: async () => close(),
  };
}
