import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import { openForReading, schemaState } from './open-database.ts';
import { adaptRestoredCopy, type RestoreOptions, type RestoreOutcome } from './restored-store.ts';
import { APP_FILE, STORE_FILE_MODE, storeError } from './store-files.ts';

const PARTIAL_SUFFIX = '.partial';

/**
 * The suffixes of a database's log files, then of the database file itself. If a log stayed behind, SQLite would apply it to
 * the next file at the same path.
 */
const FILE_SUFFIXES = ['-journal', '-wal', '-shm', ''];

function removePartial(partialFile: string): void {
  for (const suffix of FILE_SUFFIXES) rmSync(`${partialFile}${suffix}`, { force: true });
}

export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads all of a copy of `app.db` and checks its application id, schema, integrity and foreign keys.
 * @throws {StoreUnavailableError} when any of these checks fails.
 */
export function checkBackup(file: string): void {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    if (schemaState(client, APP_FILE) === 'empty') throw new StoreUnavailableError(`${file} is empty.`);
    const integrity = client.pragma('quick_check', { simple: true });
    const orphans = client.pragma('foreign_key_check');
    if (integrity !== 'ok' || !Array.isArray(orphans) || orphans.length > 0) {
      throw new StoreUnavailableError(`${file} is damaged. Use another backup.`);
    }
  } catch (error) {
    throw storeError(file, APP_FILE, error);
  } finally {
    client?.close();
  }
}

/**
 * Turns a copy into a single file that has no log and that only its owner can read. Checks the file and syncs it to disk.
 */
function finishCopy(file: string): void {
  chmodSync(file, STORE_FILE_MODE);
  const client = new Database(file, { fileMustExist: true });
  try {
    client.pragma('journal_mode = DELETE');
  } finally {
    client.close();
  }
  checkBackup(file);
  syncToDisk(file);
}

/**
 * Copies an open `app.db` with SQLite's backup API while it is in use. The copy is checked before it is renamed to `target`,
 * so a file of that name is always complete.
 * @returns the length of the copy in bytes
 * @throws {StoreUnavailableError} when the copy cannot be written or is damaged. In that case nothing is left behind.
 */
export async function backUp(client: Database.Database, target: string): Promise<number> {
  const partialFile = `${target}${PARTIAL_SUFFIX}`;
  try {
    removePartial(partialFile);
    // Created here with its final permissions, so that no other user can read the copy while it grows.
    closeSync(openSync(partialFile, 'wx', STORE_FILE_MODE));
    await client.backup(partialFile);
    finishCopy(partialFile);
    renameSync(partialFile, target);
    syncToDisk(dirname(target));
    return statSync(target).size;
  } catch (error) {
    removePartial(partialFile);
    throw storeError(target, APP_FILE, error);
  }
}

async function backUpAndClose(client: Database.Database, target: string): Promise<number> {
  try {
    return await backUp(client, target);
  } finally {
    client.close();
  }
}

/** Like `backUp`, but for a process that does not have the file open. */
export async function backUpFile(file: string, target: string): Promise<number> {
  return backUpAndClose(openForReading(file, APP_FILE).client, target);
}

/**
 * Replaces `app.db` with a backup, and saves the replaced file. The caller must hold the writer's lock. If the process is
 * killed, `app.db` is either the complete old file or the complete new one. It can be missing only if the old file was
 * missing or too damaged to copy.
 * @param movedTo the new path of the replaced file
 * @returns what was changed in the restored file, and whether there was a file to replace
 * @throws {StoreUnavailableError} when the backup is damaged, its audit trail was changed and `isForced` is false, or a
 * file cannot be written. `app.db` is then unchanged.
 */
export async function restore(
  backup: string,
  file: string,
  movedTo: string,
  changes: RestoreOptions,
): Promise<RestoreOutcome & { readonly hasReplaced: boolean }> {
  checkBackup(backup);
  const partialFile = `${file}.restored${PARTIAL_SUFFIX}`;
  try {
    // An interrupted restore may have left a partial file and its log.
    removePartial(partialFile);
    await backUpAndClose(new Database(backup, { readonly: true, fileMustExist: true }), partialFile);
    const outcome = await adaptRestoredCopy(partialFile, file, changes);
    syncToDisk(partialFile);
    const hasReplaced = existsSync(file);
    saveReplacedFile(file, movedTo);
    renameSync(partialFile, file);
    syncToDisk(dirname(file));
    return { ...outcome, hasReplaced };
  } catch (error) {
    removePartial(partialFile);
    throw storeError(file, APP_FILE, error);
  }
}

/**
 * Applies the log to the file and copies the file to `movedTo`. If the file is too damaged for that, moves it together with
 * its log. If the file is missing, moves its log alone.
 */
function saveReplacedFile(file: string, movedTo: string): void {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { fileMustExist: true });
    client.pragma('wal_checkpoint(TRUNCATE)');
    client.prepare('vacuum into ?').run(movedTo);
    client.pragma('journal_mode = DELETE');
    client.close();
    chmodSync(movedTo, STORE_FILE_MODE);
    syncToDisk(movedTo);
  } catch {
    client?.close();
    rmSync(movedTo, { force: true });
    // The log is moved first, because SQLite would apply it to the next file at the same path.
    for (const suffix of FILE_SUFFIXES) {
      if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${movedTo}${suffix}`);
    }
  }
}
