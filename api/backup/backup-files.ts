import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^app-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export interface BackupFile {
  readonly name: string;
  readonly path: string;
  /** When it was made, Unix ms. */
  readonly at: number;
}

/** What a backup of a moment (Unix ms) is called: `app-20260102T030405Z.db`. */
export function backupName(at: number): string {
  return `app-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`;
}

function momentOf(name: string): number | null {
  const parts = NAME.exec(name);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** The backups of a folder, newest first; none where there is no such folder. Other files are none. */
export function backupsIn(folder: string): readonly BackupFile[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return names
    .flatMap((name) => {
      const at = momentOf(name);
      return at === null ? [] : [{ name, path: join(folder, name), at }];
    })
    .sort((a, b) => b.at - a.at);
}

/** Makes a folder that its owner alone may look into. */
export function makeBackupFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Removes all but the newest. @returns the names of those removed */
export function pruneBackups(folder: string, keep: number): readonly string[] {
  const old = backupsIn(folder).slice(keep);
  for (const { path } of old) rmSync(path, { force: true });
  return old.map(({ name }) => name);
}
