import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import type { StoreFile } from './store-files.ts';

const OTHER_FOLDER = 'or set DATA_DIR to another folder';

function explain(code: string, kind: StoreFile): string | null {
  if (code.startsWith('SQLITE_NOTADB'))
    return `is not a database of this portal. Move it away, ${OTHER_FOLDER}.`;
  if (code.startsWith('SQLITE_CORRUPT')) return `is damaged. ${kind.mend}`;
  if (code.startsWith('SQLITE_FULL'))
    return 'cannot grow: the disk is full. Free some space, then start again.';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return 'is locked by another process. End it, then start again.';
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    return `cannot be opened or written. Make the file and its folder writable, ${OTHER_FOLDER}.`;
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return `cannot be read or written: its disk answers with errors. Check the disk, ${OTHER_FOLDER}.`;
  }
  return null;
}

/**
 * What went wrong with a file, in an operator's words where the cause lies outside the program; any other error comes
 * back as it was, since it is a fault of the program.
 */
export function storeFault(file: string, kind: StoreFile, error: unknown): unknown {
  if (error instanceof Database.SqliteError) {
    const words = explain(error.code, kind);
    if (words !== null) {
      return new StoreUnavailableError(`${file} ${words} (${error.code})`, { cause: error });
    }
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return new StoreUnavailableError(
      `${file} cannot be opened for writing. Make the file and its folder writable, ${OTHER_FOLDER}. (${String(error.code)})`,
      { cause: error },
    );
  }
  return error;
}

/** Runs the synchronous work of one call as its promise, and puts its faults into an operator's words. */
export async function inStore<T>(client: Database.Database, kind: StoreFile, work: () => T): Promise<T> {
  if (!client.open)
    throw new StoreUnavailableError(`${client.name} was closed by this program; open it again.`);
  try {
    return work();
  } catch (error) {
    throw storeFault(client.name, kind, error);
  }
}
