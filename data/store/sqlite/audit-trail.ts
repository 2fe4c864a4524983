import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AuditFilter, AuditPosition, AuditRecord, StoredAuditRecord } from '../audit-port.ts';
import {
  auditHash,
  CHAIN_START,
  checkTrail,
  type StoredRecord,
  type TrailCheck,
} from '../rules/audit-chain.ts';
import { auditConditions, conditionValues, whereClause } from '../rules/list-conditions.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { auditRecords } from './app-schema.ts';
import {
  asc,
  desc,
  drizzle,
  equalsPlaceholder,
  gt,
  isNotNull,
  lt,
  placeholder,
  rowPlaceholders,
} from './drizzle.ts';
import { LIMIT, statementCache } from './list-statements.ts';
import { openForReading } from './open-database.ts';
import { APP_FILE, storeError } from './store-files.ts';

const PAGE_SIZE = 1_000;

/**
 * Checks the audit trail of an `app.db`, even while the portal writes to it. @param expectedHead as in `createTrailCheck`
 * @throws {StoreUnavailableError} when there is no such file, or it cannot be read.
 */
export function checkAuditTrail(file: string, expectedHead?: string): TrailCheck {
  const { client, schema } = openForReading(file, APP_FILE);
  try {
    if (schema !== 'current') {
      throw new StoreUnavailableError(
        `${file} was written by an older version of the portal. Start the portal once, then check again.`,
      );
    }
    const page = drizzle({ client })
      .select()
      .from(auditRecords)
      .where(gt(auditRecords.sequence, placeholder('after')))
      .orderBy(asc(auditRecords.sequence))
      .limit(PAGE_SIZE)
      .prepare();
    function* trail(): Generator<StoredRecord> {
      let after = -1;
      for (let records = page.all({ after }); records.length > 0; records = page.all({ after })) {
        yield* records;
        after = records.at(-1)?.sequence ?? after;
      }
    }
    // The pages are read in one transaction, so that they all show the same state of the trail.
    return client.transaction(() => checkTrail(trail(), expectedHead))();
  } catch (error) {
    throw storeError(file, APP_FILE, error);
  } finally {
    client.close();
  }
}

/** @param onAppended called in the transaction of each added record */
export function prepareAuditStatements(
  db: BetterSQLite3Database,
  onAppended: (record: AuditRecord) => void = () => {},
) {
  const { sequence, id, at, actor, action, address, details, hash } = auditRecords;
  const recordColumns = { id, at, actor, action, address, details };
  const insert = db
    .insert(auditRecords)
    .values(rowPlaceholders(auditRecords, 'sequence'))
    .onConflictDoNothing({ target: id })
    .prepare();
  const head = db
    .select({ hash })
    .from(auditRecords)
    .where(isNotNull(hash))
    // Has no limit, although only the first row is read: SQLite replans a statement whenever a limit is bound.
    .orderBy(desc(sequence))
    .prepare();
  return {
    /**
     * Adds a record, linked to the previous one, in the current transaction.
     * @returns false, without adding anything, when a record with this id exists
     */
    append(added: AuditRecord): boolean {
      const newHash = auditHash(head.get()?.hash ?? CHAIN_START, added);
      const { changes } = insert.run({ ...added, address: added.address ?? null, hash: newHash });
      if (changes > 0) onAppended(added);
      return changes > 0;
    },
    byId: db.select(recordColumns).from(auditRecords).where(equalsPlaceholder(id, 'id')).prepare(),
    recordsBefore: db
      .select({ ...recordColumns, sequence })
      .from(auditRecords)
      .where(lt(sequence, placeholder('before')))
      .orderBy(desc(sequence))
      .limit(placeholder('limit'))
      .prepare(),
  };
}
export type AuditStatements = ReturnType<typeof prepareAuditStatements>;

const REFERENCE = "json_extract(details, '$.referenceNumber')";

/**
 * Prepares filtered reads of the trail. The filters by reference, actor and action each have an index sorted by time. A read uses
 * the index for the first of these filters, in this order, that is set. If none is set, it uses the index by time.
 */
export function prepareAuditSearch(client: Database.Database) {
  const statements = statementCache(client);
  return {
    find(filter: AuditFilter, limit: number, after: AuditPosition | null): readonly StoredAuditRecord[] {
      const { reference, actor, action } = filter;
      const filters = { reference, actor, action };
      const indexColumn = Object.entries(filters).find(([, value]) => value !== undefined)?.[0] ?? 'at';
      const conditions = auditConditions(filter, after, REFERENCE);
      const rows = statements(
        `select sequence, id, at, actor, action, address, details from audit_records indexed by audit_records_${indexColumn}
         ${whereClause(conditions)} order by at desc, sequence desc ${LIMIT}`,
      ).all(...conditionValues(conditions), limit) as (Omit<StoredAuditRecord, 'details'> & {
        details: string;
      })[];
      return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
    },
    actions: () =>
      statements(`
        with recursive found (action) as (
          select min(action) from audit_records
          union all
          select (select min(action) from audit_records where action > found.action) from found where found.action is not null
        )
        select action from found where action is not null`)
        .pluck()
        .all() as string[],
  };
}
