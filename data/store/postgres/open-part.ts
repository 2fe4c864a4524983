import { type Deadlines, openDatabase } from './connection.ts';
import type { Database, DatabaseSettings } from './database.ts';
import { isMigrated, migrate, type StorePart } from './migrate.ts';

/** A statement of a migration may take long, or wait for another program that migrates. */
const MIGRATION_DEADLINES: Deadlines = { connect: 5_000, statement: 600_000 };

async function migratePart(settings: DatabaseSettings, part: StorePart): Promise<void> {
  const db = openDatabase({ ...settings, poolSize: 1 }, MIGRATION_DEADLINES);
  try {
    await migrate(db, settings.schema, part);
  } finally {
    await db.close();
  }
}

/**
 * Opens a database, and creates or migrates the tables of a part. Several programs may do that at once.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program.
 */
export async function openPart(settings: DatabaseSettings, part: StorePart): Promise<Database> {
  const db = openDatabase(settings);
  try {
    if (!(await isMigrated(db, settings.schema, part))) await migratePart(settings, part);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
