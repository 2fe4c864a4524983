import { createHash } from 'node:crypto';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { auditRecords } from './app-schema.ts';
import { asc, desc, drizzle, equals, gt, isNotNull, lt, rowValues, value } from './drizzle.ts';
import { openForReading } from './open-database.ts';
import { APP_FILE, storeError } from './store-files.ts';

/** The hash before the first record of a chain. */
export const CHAIN_START = '0'.repeat(64);

/** Sorted by key, so that equal details always have the same hash. */
function sortedByKey(details: AuditRecord['details']): readonly (readonly [string, unknown])[] {
  return Object.entries(details).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** SHA-256 in hex over a record and the hash of the record before it. */
export function auditHash(previous: string, record: AuditRecord): string {
  const { id, at, actor, action, address = null, details } = record;
  const text = JSON.stringify([previous, id, at, actor, action, address, sortedByKey(details)]);
  return createHash('sha256').update(text).digest('hex');
}

/** A stored record; `hash` is null for records older than the chain. */
export interface StoredRecord extends AuditRecord {
  readonly sequence: number;
  readonly hash: string | null;
}

/** The first record that does not fit the chain before it. */
interface BrokenLink {
  readonly sequence: number;
  readonly id: string;
  /** `unlinked`: it has no hash although the chain has begun. `altered`: it, or one before it, was changed or removed. */
  readonly reason: 'unlinked' | 'altered';
}

export interface TrailCheck {
  readonly records: number;
  /** How many records are older than the chain. */
  readonly unlinked: number;
  /** The hash of the newest valid record; null when no chain has begun. No record before it can change unnoticed. */
  readonly head: string | null;
  readonly broken: BrokenLink | null;
  /** Whether a record has the expected hash. If so, the records up to it are the same as they were then. */
  readonly isExpectedHeadFound: boolean;
}

/**
 * Checks a trail in the order of recording, up to the first invalid record.
 * @param expectedHead the head of an earlier check; without it, a truncated trail looks complete
 */
export function checkTrail(trail: Iterable<StoredRecord>, expectedHead?: string): TrailCheck {
  let [records, unlinked] = [0, 0];
  let isExpectedHeadFound = false;
  let head: string | null = null;
  const checked = () => ({ records, unlinked, head, isExpectedHeadFound });
  for (const record of trail) {
    const { sequence, id, hash } = record;
    const broken = (reason: BrokenLink['reason']) => ({ ...checked(), broken: { sequence, id, reason } });
    if (hash === null) {
      if (head !== null) return broken('unlinked');
      unlinked += 1;
    } else {
      if (auditHash(head ?? CHAIN_START, record) !== hash) return broken('altered');
      head = hash;
      if (hash === expectedHead) isExpectedHeadFound = true;
    }
    records += 1;
  }
  return { ...checked(), broken: null };
}

const PAGE = 1_000;

/**
 * Checks the audit trail of an `app.db`, even while the portal writes to it. @param expectedHead as in `checkTrail`
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
      .where(gt(auditRecords.sequence, value('after')))
      .orderBy(asc(auditRecords.sequence))
      .limit(PAGE)
      .prepare();
    function* trail(): Generator<StoredRecord> {
      let after = -1;
      for (let records = page.all({ after }); records.length > 0; records = page.all({ after })) {
        yield* records;
        after = records.at(-1)?.sequence ?? after;
      }
    }
    // One transaction, so that all pages show the trail at one moment.
    return client.transaction(() => checkTrail(trail(), expectedHead))();
  } catch (error) {
    throw storeError(file, APP_FILE, error);
  } finally {
    client.close();
  }
}

export function prepareAuditStatements(db: BetterSQLite3Database) {
  const { sequence, id, at, actor, action, address, details, hash } = auditRecords;
  const record = { id, at, actor, action, address, details };
  const insert = db
    .insert(auditRecords)
    .values(rowValues(auditRecords, 'sequence'))
    .onConflictDoNothing({ target: id })
    .prepare();
  const head = db
    .select({ hash })
    .from(auditRecords)
    .where(isNotNull(hash))
    // Only the first row is read, without a limit: SQLite replans a statement whenever a limit is bound.
    .orderBy(desc(sequence))
    .prepare();
  return {
    /**
     * Adds a record, linked to the one before it, in the current transaction.
     * @returns false, with nothing added, when a record with this id exists
     */
    append(added: AuditRecord): boolean {
      const link = auditHash(head.get()?.hash ?? CHAIN_START, added);
      return insert.run({ ...added, address: added.address ?? null, hash: link }).changes > 0;
    },
    byId: db.select(record).from(auditRecords).where(equals(id, 'id')).prepare(),
    before: db
      .select({ ...record, sequence })
      .from(auditRecords)
      .where(lt(sequence, value('before')))
      .orderBy(desc(sequence))
      .limit(value('limit'))
      .prepare(),
  };
}
export type AuditStatements = ReturnType<typeof prepareAuditStatements>;
