import { join } from 'node:path';
import { type BackupFile, backupName, makeBackupFolder, pruneBackups } from './backup-files.ts';

export interface TakenBackup extends BackupFile {
  readonly bytes: number;
  /** Names of older ones that made place for it. */
  readonly removed: readonly string[];
}

/** Makes one backup, and then removes those beyond the number that is kept: never the other way round. */
export async function takeBackup(options: {
  readonly folder: string;
  readonly keep: number;
  /** Unix ms. */
  readonly now: number;
  /** Writes a whole copy to a path. @returns its length in bytes */
  readonly backUp: (target: string) => Promise<number>;
}): Promise<TakenBackup> {
  const { folder, keep, now, backUp } = options;
  makeBackupFolder(folder);
  const name = backupName(now);
  const path = join(folder, name);
  const bytes = await backUp(path);
  return { name, path, at: now, bytes, removed: pruneBackups(folder, keep) };
}
