import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import { openForReading } from './open-database.ts';
import { schemaState } from './schema-version.ts';
import { storeFault } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

/** What a file is called while it is not whole. */
const PARTIAL = '.partial';

function onDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a whole copy of `app.db` and finds it sound: ours, of a schema that this program knows, undamaged, no row
 * pointing to nothing.
 * @throws {StoreUnavailableError} where it is not.
 */
export function checkBackup(file: string): void {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    if (schemaState(client, APP_FILE) === 'empty') throw new StoreUnavailableError(`${file} is empty.`);
    const faults = client.pragma('quick_check', { simple: true });
    const orphans = client.pragma('foreign_key_check');
    if (faults !== 'ok' || !Array.isArray(orphans) || orphans.length > 0) {
      throw new StoreUnavailableError(`${file} is damaged. Take another backup.`);
    }
  } catch (error) {
    throw storeFault(file, APP_FILE, error);
  } finally {
    client?.close();
  }
}

/** Makes a copy one file that needs no log beside it, for its owner alone, and brings it onto the disk. */
function settle(file: string): void {
  chmodSync(file, APP_FILE.mode);
  const client = new Database(file, { fileMustExist: true });
  try {
    client.pragma('journal_mode = DELETE');
  } finally {
    client.close();
  }
  checkBackup(file);
  onDisk(file);
}

/**
 * Copies an open `app.db` while it is written to, by SQLite's backup. The copy is checked before it gets its name, so a
 * file of that name is whole.
 * @returns its length in bytes
 * @throws {StoreUnavailableError} where it cannot be written, or the copy is not sound; nothing is left then.
 */
export async function backUp(client: Database.Database, target: string): Promise<number> {
  const partial = `${target}${PARTIAL}`;
  try {
    rmSync(partial, { force: true });
    // Made here, so that nobody else may read it even while it grows.
    closeSync(openSync(partial, 'wx', APP_FILE.mode));
    await client.backup(partial);
    settle(partial);
    renameSync(partial, target);
    onDisk(dirname(target));
    return statSync(target).size;
  } catch (error) {
    for (const part of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${part}`, { force: true });
    throw storeFault(target, APP_FILE, error);
  }
}

/** The same from another process than the one that writes. */
export async function backUpFile(file: string, target: string): Promise<number> {
  const { client } = openForReading(file, APP_FILE);
  try {
    return await backUp(client, target);
  } finally {
    client.close();
  }
}

/**
 * Puts a copy in the place of `app.db`, whose writer has to have its place (`takeWritersPlace`). What was there is kept
 * under another name; killed at any moment, either the old or the new file is whole at its place.
 * @param keptAs where the file of now goes
 * @returns whether there was one
 * @throws {StoreUnavailableError} where the copy is not sound or a file cannot be written. `app.db` is then as it was.
 */
export async function restore(backup: string, file: string, keptAs: string): Promise<boolean> {
  checkBackup(backup);
  const partial = `${file}.restored${PARTIAL}`;
  await backUpCopy(backup, partial);
  const isThere = existsSync(file);
  if (isThere) keepAside(file, keptAs);
  renameSync(partial, file);
  onDisk(dirname(file));
  return isThere;
}

async function backUpCopy(backup: string, target: string): Promise<void> {
  const client = new Database(backup, { readonly: true, fileMustExist: true });
  try {
    await backUp(client, target);
  } finally {
    client.close();
  }
}

/** Folds the log into the file and copies both; a file too damaged for that is moved away with its log as it is. */
function keepAside(file: string, keptAs: string): void {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { fileMustExist: true });
    client.pragma('wal_checkpoint(TRUNCATE)');
    client.prepare('vacuum into ?').run(keptAs);
    client.pragma('journal_mode = DELETE');
    client.close();
    chmodSync(keptAs, APP_FILE.mode);
    onDisk(keptAs);
  } catch {
    client?.close();
    rmSync(keptAs, { force: true });
    // The log first: a log without its file is nothing, but beside another file SQLite would take it for that file's.
    for (const part of ['-wal', '-shm', '']) {
      if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${keptAs}${part}`);
    }
  }
}
