import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { BackupConfig } from '../../data/config/backup-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { startSchedule } from '../../data/runtime/schedule.ts';
import { backupsIn } from './backup-files.ts';
import { takeBackup } from './take-backup.ts';

/** Where backups are, whether or not one was made. */
export function backupFolder(config: BackupConfig, dataDir: string): string {
  return config.folder ?? join(dataDir, 'backups');
}

const DAY_MS = 86_400_000;

/**
 * Makes backups on their schedule, and one at the start where none of the last day is there. Their age is a metric.
 * @returns ends it, after the one that is being made
 */
export function startBackups(options: {
  readonly config: BackupConfig;
  /** The folder of the store files. */
  readonly dataDir: string;
  readonly backUp: (target: string) => Promise<number>;
  readonly now: () => number;
  readonly log: Logger;
  readonly registry: Registry;
}): () => Promise<void> {
  const { config, dataDir, backUp, now, log, registry } = options;
  const folder = backupFolder(config, dataDir);
  const age = new Gauge({
    name: 'portal_backup_age_seconds',
    help: 'Time since the newest backup of app.db was made; no value where there is none.',
    registers: [registry],
    collect() {
      this.reset();
      const newest = backupsIn(folder)[0];
      if (newest) this.set((now() - newest.at) / 1_000);
    },
  });
  if (config.pattern === null) return async () => void age.reset();
  const job = {
    name: 'backup',
    pattern: config.pattern,
    run: async () => {
      const { name, bytes, removed } = await takeBackup({ folder, keep: config.keep, now: now(), backUp });
      log.info({ name, bytes, removed: removed.length }, 'app.db was backed up');
    },
  };
  const stop = new AbortController();
  const schedule = startSchedule({ jobs: [job], log, signal: stop.signal });
  const newest = backupsIn(folder)[0];
  if (!newest || now() - newest.at > DAY_MS) schedule.runNow(job);
  return async () => {
    stop.abort();
    await schedule.ended;
  };
}
