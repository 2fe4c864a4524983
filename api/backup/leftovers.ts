import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backupTime, fileNamesIn } from './backups.ts';

const DAY_MS = 86_400_000;
/** Days after which an incomplete copy is deleted. No backup takes that long. */
const PARTIAL_DAYS = 1;
/** Days for which a replaced or lost `app.db` is kept (see `keptFilePath`). */
const KEPT_DAYS = 14;

/** Matches incomplete copies of interrupted backups, restores and uploads, and the files that SQLite writes next to them. */
const PARTIAL_NAME = /^app[-.].*\.partial(-journal|-wal|-shm)?$/;
/**
 * Matches names from `keptFilePath`. Names with a suffix belong to files that were moved together with `app.db`, such as its
 * write-ahead log.
 */
const KEPT_NAME = /^app\.db\.(?:before|lost)-(.*\.db)(-journal|-wal|-shm|\.tag)?$/;

export interface Leftover {
  readonly name: string;
  readonly path: string;
  /** Unix ms. */
  readonly deleteAt: number;
}

function leftoverOf(folder: string, name: string): Leftover | null {
  const path = join(folder, name);
  const keptSince = backupTime(`app-${KEPT_NAME.exec(name)?.[1]}`);
  if (!Number.isNaN(keptSince)) return { name, path, deleteAt: keptSince + KEPT_DAYS * DAY_MS };
  if (!PARTIAL_NAME.test(name)) return null;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : { name, path, deleteAt: stats.mtimeMs + PARTIAL_DAYS * DAY_MS };
}

/**
 * The copies of `app.db` that are not backups: incomplete copies, files that a restore replaced, and saved contents of lost
 * files. They hold personal data. A folder that cannot be read is skipped.
 */
export function leftoversIn(dataDir: string, backupsFolder: string): readonly Leftover[] {
  return [...new Set([dataDir, backupsFolder])].flatMap((folder) => {
    try {
      return fileNamesIn(folder).flatMap((name) => leftoverOf(folder, name) ?? []);
    } catch {
      return [];
    }
  });
}

/** @returns the names of the deleted leftovers */
export function sweepLeftovers(dataDir: string, backupsFolder: string, now: number): readonly string[] {
  const due = leftoversIn(dataDir, backupsFolder).filter(({ deleteAt }) => deleteAt <= now);
  for (const { path } of due) rmSync(path, { force: true, recursive: true });
  return due.map(({ name }) => name);
}
