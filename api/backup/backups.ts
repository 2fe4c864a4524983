import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { BackupConfig } from '../../data/config/storage-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { startJob } from '../../data/runtime/schedule.ts';
import { tagPath } from './copy-tag.ts';

/** Matches the name of a backup, which contains its time in ISO 8601's basic format: `app-20260102T030405Z.db`. */
const BACKUP_NAME = /^app-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

const DAY_MS = 86_400_000;

export interface BackupFile {
  readonly name: string;
  readonly path: string;
  /** When the backup was taken (Unix ms). */
  readonly at: number;
}

/** The folder may not exist yet. */
export function backupFolder(config: Pick<BackupConfig, 'folder'>, dataDir: string): string {
  return config.folder ?? join(dataDir, 'backups');
}

/** @param at when the backup is taken (Unix ms) */
export function backupName(at: number): string {
  return `app-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.db`;
}

/**
 * The path for an `app.db` that is kept although it is no longer in use. The path contains the reason and the time.
 * @param reason `before`: a restore replaced the file. `lost`: the file was lost while the portal ran, and the portal saved its
 * whole content.
 * @param at Unix ms
 */
export function keptFilePath(file: string, reason: 'before' | 'lost', at: number): string {
  return `${file}.${reason}-${backupName(at).slice('app-'.length)}`;
}

export const isLostFile = (name: string): boolean => name.startsWith('app.db.lost-');

/** When the backup with this file name was taken (Unix ms); `NaN` if it is not the name of a backup. */
export function backupTime(name: string): number {
  return Date.parse(BACKUP_NAME.test(name) ? name.replace(BACKUP_NAME, '$1-$2-$3T$4:$5:$6Z') : '');
}

export function fileNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The backups in a folder, newest first. Ignores other files. Empty if the folder is missing. */
export function backupsIn(folder: string): readonly BackupFile[] {
  return fileNamesIn(folder)
    .map((name) => ({ name, path: join(folder, name), at: backupTime(name) }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => b.at - a.at);
}

/** When the newest backup was taken (Unix ms); null if there is none, undefined if the folder cannot be read. */
export function newestBackupAt(folder: string): number | null | undefined {
  try {
    return backupsIn(folder)[0]?.at ?? null;
  } catch {
    return undefined;
  }
}

interface CreatedBackup extends BackupFile {
  readonly bytes: number;
  readonly removed: readonly string[];
}

/** Takes one backup, then removes the oldest ones, so that at most `keep` backups remain. */
export async function takeBackup(options: {
  readonly folder: string;
  readonly keep: number;
  /** Unix ms. */
  readonly now: number;
  /** Writes a complete copy to a path. @returns its length in bytes */
  readonly backUp: (target: string) => Promise<number>;
}): Promise<CreatedBackup> {
  const { folder, keep, now, backUp } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A backup that was made while the clock was wrong may be dated in the future. The new backup must still be the newest.
  const at = Math.max(now, (newestBackupAt(folder) ?? 0) + 1_000);
  const name = backupName(at);
  const path = join(folder, name);
  const bytes = await backUp(path);
  const old = backupsIn(folder).slice(keep);
  for (const backup of old) {
    for (const file of [backup.path, tagPath(backup.path)]) rmSync(file, { force: true });
  }
  return { name, path, at, bytes, removed: old.map((backup) => backup.name) };
}

/**
 * Takes backups on a schedule, and one at startup if the newest backup is older than a day. Reports the age of the newest
 * backup as a metric.
 * @returns a function that stops the schedule and waits for a backup that is still being taken
 */
export function startBackups(options: {
  readonly config: Pick<BackupConfig, 'cronPattern' | 'folder' | 'keep'>;
  readonly dataDir: string;
  readonly backUp: (target: string) => Promise<number>;
  readonly now: () => number;
  readonly log: Logger;
  readonly registry: Registry;
  readonly onTaken?: () => void;
}): () => Promise<void> {
  const { config, dataDir, backUp, now, log, registry, onTaken } = options;
  const folder = backupFolder(config, dataDir);
  new Gauge({
    name: 'portal_backup_age_seconds',
    help: 'Age of the newest backup of app.db; no value when there is none, +Inf if the folder cannot be read.',
    registers: [registry],
    collect() {
      this.remove();
      const newestAt = newestBackupAt(folder);
      if (newestAt !== null) this.set((now() - (newestAt ?? Number.NEGATIVE_INFINITY)) / 1_000);
    },
  });
  if (config.cronPattern === null) return async () => {};
  const job = {
    name: 'backup',
    cronPattern: config.cronPattern,
    run: async () => {
      const { name, bytes, removed } = await takeBackup({ folder, keep: config.keep, now: now(), backUp });
      log.info({ name, bytes, removed: removed.length }, 'backed up app.db');
      onTaken?.();
    },
  };
  return startJob(job, log, { runsNow: now() - (newestBackupAt(folder) ?? 0) > DAY_MS });
}
