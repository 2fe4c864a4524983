import { rmSync, statSync } from 'node:fs';

/** The place of a store file that this program has open. */
export interface FilePlace {
  /** Whether the path still leads to the file that was opened. Costs one `stat`. */
  isHeld(): boolean;
  /**
   * Takes away the log that the opened file left at its place, unless another lies there by now: beside another file
   * SQLite would take it for that file's log and spoil it. To be called where the place is no longer held.
   */
  clearLog(): void;
}

/** Device and inode: what stays the same while a file does, whatever its name; null where there is none. */
export function fileIdentity(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** Remembers which file lies at a path; to be called right after it was opened. */
export function holdPlace(file: string): FilePlace {
  const log = `${file}-wal`;
  const identity = fileIdentity(file);
  const logIdentity = fileIdentity(log);
  return {
    isHeld: () => fileIdentity(file) === identity,
    clearLog() {
      if (logIdentity === null || fileIdentity(log) !== logIdentity) return;
      for (const part of [log, `${file}-shm`]) rmSync(part, { force: true });
    },
  };
}
