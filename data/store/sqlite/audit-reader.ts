import { StoreUnavailableError } from '../store-errors.ts';
import { auditRecords } from './app-schema.ts';
import { checkTrail, type LinkedRecord, type TrailCheck } from './audit-chain.ts';
import { asc, drizzle, gt } from './drizzle.ts';
import { openForReading } from './open-database.ts';
import { storeFault } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

/** Records read at a time. */
const PAGE = 1_000;

/**
 * Checks the audit trail of an `app.db`, also while the portal writes to it. @param expectedHead as `checkTrail`
 * @throws {StoreUnavailableError} where there is no such file, or it cannot be read.
 */
export function checkAuditTrail(file: string, expectedHead?: string): TrailCheck {
  const { client, schema } = openForReading(file, APP_FILE);
  try {
    if (schema !== 'current') {
      throw new StoreUnavailableError(
        `${file} was written by an older version of the portal. Start the portal once, then check.`,
      );
    }
    const db = drizzle({ client });
    function* trail(): Generator<LinkedRecord> {
      for (let last = -1; ; ) {
        const page = db
          .select()
          .from(auditRecords)
          .where(gt(auditRecords.sequence, last))
          .orderBy(asc(auditRecords.sequence))
          .limit(PAGE)
          .all();
        yield* page;
        const newest = page.at(-1);
        if (!newest) return;
        last = newest.sequence;
      }
    }
    // One transaction: the trail as it stands at this moment.
    return client.transaction(() => checkTrail(trail(), expectedHead))();
  } catch (error) {
    throw storeFault(file, APP_FILE, error);
  } finally {
    client.close();
  }
}
