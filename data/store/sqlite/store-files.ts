import Database from 'better-sqlite3';
import { isWriteError, StoreUnavailableError } from '../store-errors.ts';

/** Mode bits of a new store file: only its owner can read it. */
export const STORE_FILE_MODE = 0o600;

export interface StoreFile {
  /** SQLite's `application_id`: four letters that identify the program and the kind of file. */
  readonly applicationId: number;
  readonly migrations: URL;
  readonly synchronous: 'NORMAL' | 'FULL';
  readonly cacheKib: number;
  /** The number of pages in the write-ahead log that triggers a checkpoint. */
  readonly checkpointPages: number;
  /** Whether deleted data is overwritten immediately. This slows down writing and matters only for personal data. */
  readonly secureDelete: boolean;
  readonly remedy: string;
  /** How an operator can go back to this version after a newer version wrote the file. Part of a sentence. */
  readonly downgradeRemedy: string;
}

/** The index can be rebuilt from the chain, so its file is tuned for bulk writing. */
export const INDEX_FILE: StoreFile = {
  applicationId: 0x42_44_49_58, // BDIX
  migrations: new URL('./migrations/index/', import.meta.url),
  synchronous: 'NORMAL',
  cacheKib: 4_096,
  checkpointPages: 20_000,
  secureDelete: false,
  remedy: 'Rebuild it from the chain with: npm run indexer -- --rebuild',
  downgradeRemedy: 'put back a copy from before the update, delete the file (which loses past market prices)',
};

/**
 * The app store cannot be rebuilt, so every commit is synced to disk. It is confidential, so deleted data is overwritten.
 */
export const APP_FILE: StoreFile = {
  applicationId: 0x42_44_41_50, // BDAP
  migrations: new URL('./migrations/app/', import.meta.url),
  synchronous: 'FULL',
  cacheKib: 16_384,
  checkpointPages: 4_000,
  secureDelete: true,
  remedy: 'Stop the portal and restore a backup with: npm run restore',
  downgradeRemedy: 'restore a backup from before the update with npm run restore',
};

const OTHER_FOLDER_HINT = 'or set DATA_DIR to another folder';

function explain(code: string, kind: StoreFile): string | null {
  if (code.startsWith('SQLITE_NOTADB'))
    return `is not a database of this portal. Move it away, ${OTHER_FOLDER_HINT}.`;
  if (code.startsWith('SQLITE_CORRUPT')) return `is damaged. ${kind.remedy}`;
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code))
    return 'cannot grow: the disk is full. Free some space, then restart.';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return 'is locked by another process. Stop that process, then restart.';
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    return `cannot be opened or written. Make the file and its folder writable, ${OTHER_FOLDER_HINT}.`;
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return `cannot be read or written. Check the disk and the user's quota, ${OTHER_FOLDER_HINT}.`;
  }
  return null;
}

/**
 * Turns an error with a cause outside the program into a `StoreUnavailableError` that says what an operator can do.
 * Any other error is a bug and is returned unchanged.
 */
export function storeError(file: string, kind: StoreFile, error: unknown): unknown {
  const problem = isWriteError(error) ? ({ kind: 'full' } as const) : null;
  if (error instanceof Database.SqliteError) {
    const text = explain(error.code, kind);
    if (text !== null) {
      return new StoreUnavailableError(`${file} ${text} (${error.code})`, { cause: error, problem });
    }
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return new StoreUnavailableError(
      `${file} cannot be opened for writing. Make the file and its folder writable, ${OTHER_FOLDER_HINT}. (${String(error.code)})`,
      { cause: error, problem },
    );
  }
  return error;
}

/** Detects when writes no longer reach a store's file. */
interface StoreGuard {
  /** @throws {StoreUnavailableError} if the file is known to be lost. With `afterWriting`, checks the file again. */
  assertNotLost(when?: 'afterWriting'): void;
  /** Returns a `StoreUnavailableError` if the file was lost, otherwise `error` itself. Remembers a failed write. */
  explain(error: unknown): unknown;
}

const guards = new WeakMap<Database.Database, StoreGuard>();

/** Makes `runInStore` and group commits check `guard` at every later call. */
export function guardStore(client: Database.Database, guard: StoreGuard): void {
  guards.set(client, guard);
}

/**
 * Runs synchronous work on an open store, and translates the errors of that work with `storeError`.
 * @throws {StoreUnavailableError} if the file cannot be used or was lost. In that case, the work is not acknowledged.
 */
export function runGuarded<T>(client: Database.Database, kind: StoreFile, work: () => T): T {
  const guard = guards.get(client);
  guard?.assertNotLost();
  try {
    const result = work();
    guard?.assertNotLost('afterWriting');
    return result;
  } catch (error) {
    throw explainError(client, kind, error);
  }
}

/** Returns the error to throw instead of `error`: the guard detects a lost file, and `storeError` says what to do. */
export function explainError(client: Database.Database, kind: StoreFile, error: unknown): unknown {
  return storeError(client.name, kind, guards.get(client)?.explain(error) ?? error);
}

/** Like `runGuarded`, but checks that the connection is open, and returns a promise. */
export async function runInStore<T>(client: Database.Database, kind: StoreFile, work: () => T): Promise<T> {
  assertOpen(client);
  return runGuarded(client, kind, work);
}

/** @throws {StoreUnavailableError} when the connection is closed. */
export function assertOpen(client: Database.Database): void {
  if (!client.open) {
    throw new StoreUnavailableError(`${client.name} was closed by this program. Open it again.`);
  }
}

/** Whether an error says that the file is damaged. Retrying then cannot help. */
export function isStoreDamage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Database.SqliteError) return /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code);
  }
  return false;
}
