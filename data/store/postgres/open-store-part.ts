import { MIGRATION_TIMEOUT_MS } from '../../runtime/shutdown.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { type Deadlines, openDatabase } from './connection.ts';
import type { Database, DatabaseSettings } from './database.ts';
import { isMigrated, migrate, type StorePart } from './migrate.ts';

/** Long, because a migration or maintenance statement may take minutes. */
const LONG_DEADLINES: Deadlines = { connectMs: 5_000, statementMs: MIGRATION_TIMEOUT_MS };

async function withLongDeadlines(
  settings: DatabaseSettings,
  work: (db: Database) => Promise<unknown>,
): Promise<void> {
  const db = openDatabase({ ...settings, poolSize: 1 }, LONG_DEADLINES);
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

/**
 * Removes deleted rows from the files of tables. Their bytes may stay in the unused space of a page until that page is written
 * again.
 */
export const vacuum = (settings: DatabaseSettings, tables: readonly string[]): Promise<void> =>
  withLongDeadlines(settings, (db) => {
    const names = tables.map((table) => `$.${table}`).join(', ');
    return db.run({ ...db.statement(`vacuum ${names}`), name: undefined });
  });

/** @throws {StoreUnavailableError} while the schema holds an incomplete copy of another store */
async function requireComplete(db: Database, schema: string): Promise<void> {
  if ((await db.get(db.statement('select from $.copy_state'))) === null) return;
  throw new StoreUnavailableError(
    `The schema "${schema}" of the database holds an incomplete copy. Finish it with npm run store -- copy, or set DATABASE_SCHEMA to another schema.`,
  );
}

/**
 * Opens a database, and creates or migrates the tables of a part. Several programs may do that at the same time.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program or holds an
 * incomplete copy.
 */
export async function openStorePart(settings: DatabaseSettings, part: StorePart): Promise<Database> {
  const db = openDatabase(settings);
  try {
    if (!(await isMigrated(db, settings.schema, part))) {
      await withLongDeadlines(settings, (longDeadlineDb) => migrate(longDeadlineDb, settings.schema, part));
    }
    if (part === 'app') await requireComplete(db, settings.schema);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
