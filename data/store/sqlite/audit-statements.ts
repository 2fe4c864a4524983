import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { auditRecords } from './app-schema.ts';
import { desc, eq, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements of the audit trail: for its own calls, and for those that record what they do. */
export function prepareAuditStatements(db: BetterSQLite3Database) {
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
        address: value('address'),
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
export type AuditStatements = ReturnType<typeof prepareAuditStatements>;
