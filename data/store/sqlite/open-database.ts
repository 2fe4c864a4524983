import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import { migrateToNewest, type SchemaState, schemaState } from './schema-version.ts';
import { storeFault } from './store-faults.ts';
import type { StoreFile } from './store-files.ts';

/** Milliseconds that a writer waits for another process's lock, and a reader for the writer's log being recovered. */
const WRITER_WAIT = 5_000;
const READER_WAIT = 1_000;
const READER_CACHE_KIB = 16_384;
/** The log is cut back to this after it was folded into the file: bulk writing makes it longer than following needs. */
const LOG_SIZE_LIMIT = 64 * 1024 * 1024;

/**
 * Sets a writing connection up. The order matters:
 * 1. `foreign_keys` off, while a migration may rebuild tables (inside a transaction the pragma would do nothing).
 * 2. `journal_mode = WAL`, so that readers never wait for the writer. It is the first statement that writes to the file,
 *    so it comes after the file was found to be ours; and before `synchronous`, whose NORMAL is only safe in WAL
 *    (a power cut may lose the newest commits, but never harms the file or parts rows from their cursor).
 * 3. `synchronous`, before the first commit.
 * 4. The migrations.
 * 5. `foreign_keys` on, for everything after.
 * `busy_timeout` comes before all of these (as the `timeout` option): each of them may meet another process's lock.
 */
function prepareForWriting(client: Database.Database, kind: StoreFile): void {
  client.pragma('foreign_keys = OFF');
  if (client.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
    throw new StoreUnavailableError(
      `${client.name} lies on a file system without shared memory (a network drive?). Set DATA_DIR to a local disk.`,
    );
  }
  client.pragma(`synchronous = ${kind.synchronous}`);
  client.pragma(`secure_delete = ${kind.secureDelete ? 'ON' : 'OFF'}`);
  client.pragma(`cache_size = -${kind.cacheKib}`);
  client.pragma(`wal_autocheckpoint = ${kind.checkpointPages}`);
  client.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT}`);
  migrateToNewest(client, kind);
  client.pragma('foreign_keys = ON');
}

/**
 * Opens a store file to write, making it and its schema where there is none.
 * @throws {StoreUnavailableError} where it cannot be opened or written, is no database, is another program's, or newer
 * than this program. The file is then as it was.
 */
export function openForWriting(file: string, kind: StoreFile): Database.Database {
  let client: Database.Database | undefined;
  try {
    // SQLite falls back to reading where it may not write, and makes files readable by all: so the file is made here.
    closeSync(openSync(file, 'a', kind.mode));
    client = new Database(file, { fileMustExist: true, timeout: WRITER_WAIT });
    schemaState(client, kind);
    prepareForWriting(client, kind);
    return client;
  } catch (error) {
    client?.close();
    throw storeFault(file, kind, error);
  }
}

/**
 * Opens an existing store file to read only, with the state of its schema.
 * @throws {StoreUnavailableError} as `openForWriting`.
 */
export function openForReading(
  file: string,
  kind: StoreFile,
): { client: Database.Database; schema: SchemaState } {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true, timeout: READER_WAIT });
    client.pragma(`secure_delete = ${kind.secureDelete ? 'ON' : 'OFF'}`);
    client.pragma(`cache_size = -${READER_CACHE_KIB}`);
    return { client, schema: schemaState(client, kind) };
  } catch (error) {
    client?.close();
    throw storeFault(file, kind, error);
  }
}
