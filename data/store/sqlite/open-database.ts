import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { notifyMigrating } from '../../runtime/shutdown.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { readMigrationFiles } from './drizzle.ts';
import { compileLazily } from './lazy-statements.ts';
import { STORE_FILE_MODE, type StoreFile, storeError } from './store-files.ts';

/** How long (ms) a writer waits for another process's lock. */
const WRITER_WAIT_MS = 5_000;
/** How long (ms) a reader waits while another process recovers the write-ahead log. */
const READER_WAIT_MS = 1_000;
const READER_CACHE_KIB = 16_384;
/** The write-ahead log is truncated to this size after a checkpoint: a backfill makes it longer than later commits need. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

type Migrations = readonly (readonly string[])[];

const migrationsByFile = new WeakMap<StoreFile, Migrations>();

/** The statements of each migration, oldest first. A file's schema version is the number of migrations applied to it. */
function migrationsOf(kind: StoreFile): Migrations {
  const cached = migrationsByFile.get(kind);
  if (cached !== undefined) return cached;
  const files = readMigrationFiles({ migrationsFolder: fileURLToPath(kind.migrations) });
  const migrations = files.map((migration) => migration.sql);
  migrationsByFile.set(kind, migrations);
  return migrations;
}

function pragmaNumber(client: Database.Database, name: 'application_id' | 'user_version'): number {
  return Number(client.pragma(name, { simple: true }));
}

type SchemaState = 'empty' | 'older' | 'current';

/**
 * Checks the file's application id and schema version, without writing to it.
 * @throws {StoreUnavailableError} when the file belongs to another program, or its schema is newer than this program's.
 */
export function schemaState(client: Database.Database, kind: StoreFile): SchemaState {
  // In one transaction, because another process may create the schema between two reads.
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
      `${client.name} belongs to another program. Move it away, or set DATA_DIR to another folder.`,
    );
  }
  const newestVersion = migrationsOf(kind).length;
  if (version > newestVersion) {
    throw new StoreUnavailableError(
      `${client.name} was written by a newer version of this program (its schema version is ${version}; ` +
        `this program supports up to ${newestVersion}). Start the newer version, ${kind.downgradeRemedy}, ` +
        'or set DATA_DIR to another folder.',
    );
  }
  return version < newestVersion ? 'older' : 'current';
}

/**
 * Migrates a file to the newest schema in one transaction. `foreign_keys` must be off, because a migration may rebuild a
 * table that other tables reference. @throws like `schemaState`.
 */
function migrateToNewest(client: Database.Database, kind: StoreFile): void {
  const state = schemaState(client, kind);
  if (state === 'current') return;
  if (state === 'older') notifyMigrating();
  const migrations = migrationsOf(kind);
  const migrate = client.transaction(() => {
    // Checked again under the lock: another process may have migrated in the meantime.
    if (schemaState(client, kind) === 'current') return;
    const appliedCount = pragmaNumber(client, 'user_version');
    for (const statement of migrations.slice(appliedCount).flat()) client.exec(statement);
    const brokenReferences = client.pragma('foreign_key_check');
    if (Array.isArray(brokenReferences) && brokenReferences.length > 0) {
      throw new StoreUnavailableError(
        `${client.name} is damaged: some rows refer to rows that do not exist. ${kind.remedy}`,
      );
    }
    client.pragma(`application_id = ${kind.applicationId}`);
    client.pragma(`user_version = ${migrations.length}`);
  });
  migrate.immediate();
}

/**
 * Sets up a connection for writing. The order matters:
 * 1. `foreign_keys` off while migrations may rebuild tables (inside a transaction the pragma has no effect).
 * 2. `journal_mode = WAL`, so that readers never wait for the writer. It is the first statement that writes, so it comes
 *    after the check of the application id. It comes before `synchronous`, because NORMAL is safe only in WAL: a power cut may
 *    lose the newest commits, but never damages the file or separates rows from their cursor.
 * 3. `synchronous`, before the first commit.
 * 4. The migrations.
 * 5. `foreign_keys` on.
 * `busy_timeout` is set before all of these, with the option `timeout`, since each may have to wait for another process.
 */
function prepareForWriting(client: Database.Database, kind: StoreFile): void {
  client.pragma('foreign_keys = OFF');
  if (client.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
    throw new StoreUnavailableError(
      `${client.name} is on a file system without shared memory (a network drive?). Set DATA_DIR to a local disk.`,
    );
  }
  client.pragma(`synchronous = ${kind.synchronous}`);
  client.pragma(`secure_delete = ${kind.secureDelete ? 'ON' : 'OFF'}`);
  client.pragma(`cache_size = -${kind.cacheKib}`);
  client.pragma(`wal_autocheckpoint = ${kind.checkpointPages}`);
  client.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  migrateToNewest(client, kind);
  client.pragma('foreign_keys = ON');
}

/**
 * Opens a store file for writing, and creates it with its schema if it does not exist.
 * @throws {StoreUnavailableError} when the file cannot be opened or written, is not a database, belongs to another
 * program, or is newer than this program. The file is then unchanged.
 */
export function openForWriting(file: string, kind: StoreFile): Database.Database {
  let client: Database.Database | undefined;
  try {
    // Opened here first, because SQLite silently opens a file read-only if it may not write to it, and creates files that
    // everyone can read.
    closeSync(openSync(file, 'a', STORE_FILE_MODE));
    client = new Database(file, { fileMustExist: true, timeout: WRITER_WAIT_MS });
    schemaState(client, kind);
    prepareForWriting(client, kind);
    compileLazily(client);
    return client;
  } catch (error) {
    client?.close();
    throw storeError(file, kind, error);
  }
}

/**
 * Opens an existing store file read-only, and checks the state of its schema.
 * @throws {StoreUnavailableError} like `openForWriting`.
 */
export function openForReading(
  file: string,
  kind: StoreFile,
): { client: Database.Database; schema: SchemaState } {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true, timeout: READER_WAIT_MS });
    client.pragma(`secure_delete = ${kind.secureDelete ? 'ON' : 'OFF'}`);
    client.pragma(`cache_size = -${READER_CACHE_KIB}`);
    const schema = schemaState(client, kind);
    compileLazily(client);
    return { client, schema };
  } catch (error) {
    client?.close();
    throw storeError(file, kind, error);
  }
}
