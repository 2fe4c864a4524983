import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { acquireWriterLock } from '../../data/store/sqlite/writer-lock.ts';
import { REMOTE_STATE_FILE } from './remote/remote-state.ts';

const RETRY_INTERVAL_MS = 500;

const isLockTaken = ({ cause }: Error): boolean =>
  cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');

/**
 * Acquires the lock for sending copies of this data folder, and waits while another process holds it. Without the lock, two
 * processes would send different files under the same name, because encrypting a file again produces different bytes. One of
 * them would then find a file that it did not send. A killed process leaves no lock behind.
 * @param onWait called once if another process holds the lock
 * @returns a function that releases the lock
 * @throws the signal's reason once it is aborted
 */
export async function lockSending(
  folder: string,
  signal: AbortSignal,
  onWait: () => void,
): Promise<() => void> {
  for (let attempts = 0; ; attempts += 1) {
    signal.throwIfAborted();
    try {
      return acquireWriterLock(join(folder, REMOTE_STATE_FILE), 0);
    } catch (error) {
      if (!(error instanceof Error && isLockTaken(error))) throw error;
    }
    if (attempts === 0) onWait();
    await setTimeout(RETRY_INTERVAL_MS, undefined, { signal });
  }
}
