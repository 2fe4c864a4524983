import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';

/** Milliseconds that a predecessor may take to end. */
const PREDECESSOR_WAIT = 3_000;

/** A connection that nothing refers to any more is collected, and its lock with it. */
const held = new Set<Database.Database>();

/**
 * Takes the place of a store file's only writer, for as long as the process lives or until the place is given
 * back. The place is a lock of the operating system on an empty file beside the store, so a killed process
 * leaves none behind.
 * @returns gives the place back
 * @throws {StoreUnavailableError} where another process has it.
 */
export function takeWritersPlace(
  storeFile: string,
  { waitMs = PREDECESSOR_WAIT }: { readonly waitMs?: number } = {},
): () => void {
  const file = `${storeFile}.lock`;
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { timeout: waitMs });
    client.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    client?.close();
    const isTaken = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    const words = isTaken
      ? 'is being written by another process. End that one, or set DATA_DIR to another folder.'
      : 'cannot be locked for writing. Make its folder writable, or set DATA_DIR to another folder.';
    throw new StoreUnavailableError(`${storeFile} ${words}`, { cause: error });
  }
  const lock = client;
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
