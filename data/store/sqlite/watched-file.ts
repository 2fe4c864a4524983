import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { FileLoss } from '../store-errors.ts';

export interface WatchedFile {
  /** How the open file or its write-ahead log was lost; null if neither was lost. Costs two `stat` calls. */
  loss(): FileLoss | null;
  /**
   * Removes the write-ahead log of the opened file, unless another log has replaced it. SQLite would apply the old log to
   * the file that is now at the path, and damage that file. Call this once the opened file has been removed, replaced
   * or overwritten.
   */
  clearLog(): void;
  /** Call it after the database is closed: closing a descriptor of the file releases the locks that SQLite has on it. */
  close(): void;
}

const statsOf = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false });
type Stats = NonNullable<ReturnType<typeof statsOf>>;

const identityOf = ({ dev, ino }: Stats) => `${dev}:${ino}`;

/** Device and inode, which stay the same when a file is renamed. Null when there is no file. */
export function fileIdentity(file: string): string | null {
  const stats = statsOf(file);
  return stats === undefined ? null : identityOf(stats);
}

const HEADER_BYTES = 100;
const WAL_MODE = 2;
/**
 * A write-ahead log begins with one of two numbers, depending on the byte order of its checksums. See "WAL Header" at
 * sqlite.org/fileformat2.html.
 */
const LOG_MAGIC_NUMBERS: readonly number[] = [0x377f0682, 0x377f0683];

function read(descriptor: number, bytes: number): Buffer | null {
  const buffer = Buffer.alloc(bytes);
  return readSync(descriptor, buffer, 0, bytes, 0) === bytes ? buffer : null;
}

/** Remembers which file and which write-ahead log are at a path. Call it right after opening the database in WAL mode. */
export function watchFile(file: string): WatchedFile {
  const log = `${file}-wal`;
  const descriptor = openSync(file, 'r');
  const logDescriptor = openSync(log, 'r');
  const descriptors = [descriptor, logDescriptor];
  const identity = fileIdentity(file);
  const logIdentity = fileIdentity(log);
  let loss: FileLoss | null = null;
  let checkedModifiedNs: bigint | null = null;
  let changeCounter = 0;

  /**
   * Whether the file is complete and no older than at the last check. A copy that another program wrote over it has another
   * journal mode or an earlier change counter. See "The Database Header" at sqlite.org/fileformat2.html.
   */
  const isOwnContent = (size: bigint): boolean => {
    const header = read(descriptor, HEADER_BYTES);
    if (header === null || header.toString('latin1', 0, 15) !== 'SQLite format 3') return false;
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const newCounter = header.readUInt32BE(24);
    const isComplete = size >= BigInt(pageSize) * BigInt(header.readUInt32BE(28));
    if (!isComplete || header[18] !== WAL_MODE || newCounter < changeCounter) return false;
    changeCounter = newCounter;
    return true;
  };
  const findLoss = (): FileLoss | null => {
    const stats = statsOf(file);
    if (stats === undefined) return 'missing';
    if (identityOf(stats) !== identity) return 'replaced';
    // The file changes only at a checkpoint, so its header is rarely read.
    if (stats.mtimeNs !== checkedModifiedNs) {
      if (!isOwnContent(stats.size)) return 'overwritten';
      checkedModifiedNs = stats.mtimeNs;
    }
    const logStats = statsOf(log);
    if (logStats === undefined || identityOf(logStats) !== logIdentity) return 'log-lost';
    const isLog =
      logStats.size === 0n || LOG_MAGIC_NUMBERS.includes(read(logDescriptor, 4)?.readUInt32BE() ?? 0);
    return isLog ? null : 'log-lost';
  };

  return {
    loss() {
      if (descriptors.length > 0) loss ??= findLoss();
      return loss;
    },
    clearLog() {
      if (logIdentity === null || fileIdentity(log) !== logIdentity) return;
      for (const logFile of [log, `${file}-shm`]) rmSync(logFile, { force: true });
    },
    close() {
      for (const openDescriptor of descriptors.splice(0)) closeSync(openDescriptor);
    },
  };
}
