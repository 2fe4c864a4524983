import { createTrailCheck, type StoredRecord, type TrailCheck } from '../rules/audit-chain.ts';
import { openDatabase } from './connection.ts';
import type { DatabaseSettings } from './database.ts';
import { requireMigrated } from './migrate.ts';

const PAGE_SIZE = 1_000;

/**
 * Checks the trail while the portal writes to it.
 * @param expectedHead the head that an earlier check returned; without it, a truncated trail looks complete
 * @throws {StoreUnavailableError} when the database cannot be used, or has not been migrated to this version.
 */
export async function checkAuditTrail(
  settings: DatabaseSettings,
  expectedHead?: string,
): Promise<TrailCheck> {
  const db = openDatabase({ ...settings, poolSize: 1 });
  const page = db.statement<StoredRecord>(
    `select sequence, id, at, actor, action, details, address, hash from $.audit_records where sequence > $1 order by sequence limit ${PAGE_SIZE}`,
  );
  const check = createTrailCheck(expectedHead);
  try {
    await requireMigrated(db, settings.schema, 'app');
    for (let after = 0; ; ) {
      const records = await db.all(page, after);
      const isValid = records.every(check.add);
      after = records.at(-1)?.sequence ?? after;
      if (!isValid || records.length < PAGE_SIZE) return check.result();
    }
  } finally {
    await db.close();
  }
}
