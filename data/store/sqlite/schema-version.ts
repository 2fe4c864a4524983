import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import { readMigrationFiles } from './drizzle.ts';
import type { StoreFile } from './store-files.ts';

/** The statements of each migration, oldest first. A file's schema version is how many of them it has been through. */
function migrationsOf(kind: StoreFile): readonly (readonly string[])[] {
  const files = readMigrationFiles({ migrationsFolder: fileURLToPath(kind.migrations) });
  return files.map((migration) => migration.sql);
}

function pragmaNumber(client: Database.Database, name: 'application_id' | 'user_version'): number {
  return Number(client.pragma(name, { simple: true }));
}

/** Where a file stands: `empty` (no schema yet), `older` than this program, `current`. */
export type SchemaState = 'empty' | 'older' | 'current';

/**
 * Reads whose file this is and how far its schema is, without writing.
 * @throws {StoreUnavailableError} where it is another program's, or of a newer schema than this program knows.
 */
export function schemaState(client: Database.Database, kind: StoreFile): SchemaState {
  // One transaction: another process may be making the file between one read and the next.
  const [owner, version, tables] = client.transaction(
    () =>
      [
        pragmaNumber(client, 'application_id'),
        pragmaNumber(client, 'user_version'),
        Number(client.prepare('select count(*) from sqlite_schema').pluck().get()),
      ] as const,
  )();
  if (owner === 0 && version === 0 && tables === 0) return 'empty';
  if (owner !== kind.applicationId) {
    throw new StoreUnavailableError(
      `${client.name} is a database of something else. Move it away, or set DATA_DIR to another folder.`,
    );
  }
  const known = migrationsOf(kind).length;
  if (version > known) {
    throw new StoreUnavailableError(
      `${client.name} was written by a newer version of this program (its schema is ${version}, this program knows ` +
        `${known}). Start the newer version, or set DATA_DIR to another folder.`,
    );
  }
  return version < known ? 'older' : 'current';
}

/**
 * Brings a file to the newest schema in one transaction: all of it, or nothing. To be called with `foreign_keys` off,
 * since a migration may rebuild a table that others point to. @throws as `schemaState`.
 */
export function migrateToNewest(client: Database.Database, kind: StoreFile): void {
  if (schemaState(client, kind) === 'current') return;
  const migrations = migrationsOf(kind);
  const migrate = client.transaction(() => {
    // Asked again under the lock: another process may have migrated while this one waited for it.
    if (schemaState(client, kind) === 'current') return;
    const done = pragmaNumber(client, 'user_version');
    for (const statement of migrations.slice(done).flat()) client.exec(statement);
    const broken = client.pragma('foreign_key_check');
    if (Array.isArray(broken) && broken.length > 0) {
      throw new StoreUnavailableError(`${client.name} is damaged: rows point to nothing. ${kind.mend}`);
    }
    client.pragma(`application_id = ${kind.applicationId}`);
    client.pragma(`user_version = ${migrations.length}`);
  });
  migrate.immediate();
}
