import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import { auditRecords } from './app-schema.ts';
import { auditHash, CHAIN_START } from './audit-chain.ts';
import { desc, eq, isNotNull, lt, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements of the audit trail: for its own calls, and for those that record what they do. */
export function prepareAuditStatements(db: BetterSQLite3Database) {
  const record = {
    id: auditRecords.id,
    at: auditRecords.at,
    actor: auditRecords.actor,
    action: auditRecords.action,
    address: auditRecords.address,
    details: auditRecords.details,
  };
  const insert = db
    .insert(auditRecords)
    .values({
      id: value('id'),
      at: value('at'),
      actor: value('actor'),
      action: value('action'),
      address: value('address'),
      details: value('details'),
      hash: value('hash'),
    })
    .onConflictDoNothing({ target: auditRecords.id })
    .prepare();
  const head = db
    .select({ hash: auditRecords.hash })
    .from(auditRecords)
    .where(isNotNull(auditRecords.hash))
    // The first row alone is read, without a limit: SQLite plans a statement anew each time one is bound.
    .orderBy(desc(auditRecords.sequence))
    .prepare();
  return {
    /**
     * Adds a record with its link to the one before it, inside the transaction that is under way.
     * @returns false, with nothing added, where a record of that id is there.
     */
    append(added: AuditRecord): boolean {
      const hash = auditHash(head.get()?.hash ?? CHAIN_START, added);
      return insert.run({ ...added, address: added.address ?? null, hash }).changes > 0;
    },
    byId: db
      .select(record)
      .from(auditRecords)
      .where(eq(auditRecords.id, value('id')))
      .prepare(),
    before: db
      .select({ ...record, sequence: auditRecords.sequence })
      .from(auditRecords)
      .where(lt(auditRecords.sequence, value('before')))
      .orderBy(desc(auditRecords.sequence))
      .limit(value('limit'))
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
