import { rmSync, writeFileSync } from 'node:fs';
import type Database from 'better-sqlite3';
import {
  type FileLoss,
  isWriteError,
  LOSS_TEXTS,
  type StoreProblem,
  StoreUnavailableError,
} from '../store-errors.ts';
import { backUp } from './backup-file.ts';
import { APP_FILE, guardStore, STORE_FILE_MODE } from './store-files.ts';
import { watchFile } from './watched-file.ts';

/**
 * After a failed write, this many bytes must fit on the disk before the disk counts as writable again. That is more than any form
 * without documents needs.
 */
const PROBE_BYTES = 1_048_576;

/** Detects when writes to `app.db` are no longer stored, because the file was lost, or the disk is full or rejects writes. */
export interface AppGuard {
  /** Why nothing can be stored; null while writing works. Costs two `stat` calls. */
  problem(): StoreProblem | null;
  /** After a failed write, checks whether the disk can be written to again. */
  tryToWrite(): void;
  /**
   * Copies a lost store to a path while this process can still read the store. If the store's file was removed or replaced, also
   * removes the write-ahead log that was left behind.
   * @throws {StoreUnavailableError} when the copy would be damaged or cannot be written. In that case nothing is left at the
   * path.
   */
  saveLost(target: string): Promise<number>;
  close(): void;
}

/** Watches a store's file that was just opened, and checks the file at every later call to the store. */
export function createAppGuard(client: Database.Database): AppGuard {
  const watchedFile = watchFile(client.name);
  const totalChanges = client.prepare<[], number>('select total_changes()').pluck();
  let loss: FileLoss | null = null;
  /** The connection's `total_changes()` when a write last failed; null while the disk is writable. */
  let changesAtFailure: number | null = null;

  const findLoss = (): FileLoss | null => {
    loss ??= watchedFile.loss();
    return loss;
  };
  const lostError = (fileLoss: FileLoss, cause?: unknown) =>
    new StoreUnavailableError(
      `${client.name} ${LOSS_TEXTS[fileLoss]} while the portal was using it. Nothing more can be stored. ${APP_FILE.remedy}`,
      { cause, problem: { kind: 'lost', loss: fileLoss } },
    );

  guardStore(client, {
    assertNotLost(when) {
      if (when === 'afterWriting') {
        findLoss();
        // A call that only reads does not prove that the disk can be written to.
        if (changesAtFailure !== null && totalChanges.get() !== changesAtFailure) changesAtFailure = null;
      }
      if (loss !== null) throw lostError(loss);
    },
    explain(error) {
      if (error instanceof StoreUnavailableError) return error;
      const foundLoss = findLoss();
      if (foundLoss !== null) return lostError(foundLoss, error);
      if (isWriteError(error)) changesAtFailure = totalChanges.get() ?? 0;
      return error;
    },
  });

  return {
    problem() {
      const foundLoss = findLoss();
      if (foundLoss !== null) return { kind: 'lost', loss: foundLoss };
      return changesAtFailure === null ? null : { kind: 'full' };
    },
    tryToWrite() {
      if (changesAtFailure === null) return;
      const probe = `${client.name}.probe`;
      try {
        writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: STORE_FILE_MODE, flush: true });
        changesAtFailure = null;
      } catch {
        // The disk still cannot be written to.
      } finally {
        rmSync(probe, { force: true });
      }
    },
    async saveLost(target) {
      const bytes = await backUp(client, target);
      if (loss === 'missing' || loss === 'replaced') watchedFile.clearLog();
      return bytes;
    },
    close() {
      if (!client.open) return;
      const foundLoss = findLoss();
      if (foundLoss === null || foundLoss === 'log-lost') {
        client.close();
        watchedFile.close();
        return;
      }
      // The database stays open: closing it would write the write-ahead log into the file that is now at the path.
      watchedFile.clearLog();
    },
  };
}
