import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';

const PREDECESSOR_WAIT_MS = 3_000;

/** Keeps the locking connections from being garbage-collected, which would release the locks. */
const lockConnections = new Set<Database.Database>();

/**
 * Makes this process the only writer of a store file until it ends or releases the lock. The operating system locks an empty
 * file next to the store, so a killed process leaves no lock behind.
 * @param waitMs how long to wait for another writer to end
 * @returns a function that releases the lock
 * @throws {StoreUnavailableError} when another process holds the lock.
 */
export function acquireWriterLock(storeFile: string, waitMs = PREDECESSOR_WAIT_MS): () => void {
  let client: Database.Database | undefined;
  try {
    client = new Database(`${storeFile}.lock`, { timeout: waitMs });
    client.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    client?.close();
    const isTaken = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    const text = isTaken
      ? 'is being written by another process. Stop that process, or set DATA_DIR to another folder.'
      : 'cannot be locked for writing. Make its folder writable, or set DATA_DIR to another folder.';
    throw new StoreUnavailableError(`${storeFile} ${text}`, { cause: error });
  }
  const lock = client;
  lockConnections.add(lock);
  return () => {
    lockConnections.delete(lock);
    lock.close();
  };
}
