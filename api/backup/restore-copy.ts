import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { restore } from '../../data/store/sqlite/backup-file.ts';
import { acquireWriterLock } from '../../data/store/sqlite/writer-lock.ts';
import { PasswordHasher } from '../admin/passwords.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { readErasures } from '../retention/erasure-list.ts';
import { isLostFile, keptFilePath } from './backups.ts';
import { hasValidTag, writeTag } from './copy-tag.ts';
import { fetchCopy, type SealedCopy } from './remote/remote-restore.ts';

interface RestoreOptions {
  /** The data folder. */
  readonly folder: string;
  /** Null if there is no valid key. */
  readonly masterKey: MasterKey | null;
  /** The name of the copy to restore even if it cannot be verified. */
  readonly force?: string | undefined;
}

const appFile = (folder: string) => join(folder, 'app.db');

/** Replaces `app.db` with the backup at this path. The caller must hold the writer lock of `app.db`. */
async function replaceStore(source: string, { folder, masterKey, force }: RestoreOptions) {
  const file = appFile(folder);
  const copy = basename(source);
  const isForced = force === copy;
  const isAuthentic = masterKey !== null && (await hasValidTag(source, masterKey));
  if (!isAuthentic && !isForced) throw unverifiedError(source, copy, masterKey !== null);
  const at = Date.now();
  const movedTo = keptFilePath(file, 'before', at);
  const erasures = await readErasures(folder, masterKey);
  const outcome = await restore(source, file, movedTo, {
    copy,
    at,
    isForced,
    isNewest: isAuthentic && isLostFile(copy),
    unusablePasswordHash: await new PasswordHasher().hash(randomBytes(32).toString('base64')),
    erasures,
  });
  if (outcome.hasReplaced && masterKey !== null) await writeTag(movedTo, masterKey);
  const erasuresWithOtherKey = erasures.auditRecordIds.length - erasures.repeatableIds.length;
  return { ...outcome, movedTo, isAuthentic, erasuresWithOtherKey };
}

/**
 * Replaces `app.db` with the backup at a path while the portal is stopped.
 * @throws {StartError} if the backup cannot be used or verified. `app.db` is then unchanged.
 * @throws {StoreUnavailableError} if the portal is running, or the store cannot be used
 */
export async function restoreBackup(path: string, options: RestoreOptions) {
  const releaseLock = acquireWriterLock(appFile(options.folder));
  try {
    return { ...(await replaceStore(path, options)), source: path, skippedLists: [] };
  } finally {
    releaseLock();
  }
}

/** Like `restoreBackup`, but with an encrypted copy of a backup. */
export async function restoreSealedCopy(sealedCopy: SealedCopy, options: RestoreOptions) {
  const releaseLock = acquireWriterLock(appFile(options.folder));
  try {
    const { path, skippedLists, remove } = await fetchCopy(sealedCopy, options.folder);
    try {
      const outcome = await replaceStore(path, options);
      return { ...outcome, source: `the copy of ${basename(path)}`, skippedLists };
    } finally {
      await remove();
    }
  } finally {
    releaseLock();
  }
}

function unverifiedError(source: string, copy: string, hasKey: boolean): StartError {
  const reason = hasKey
    ? 'has no valid tag: it was changed or renamed, was made with another document key, or its .tag file is missing'
    : 'cannot be verified, because the document key is missing';
  return new StartError(
    `${source} ${reason}. Nothing was restored. If you know where it comes from, add: --force ${copy}`,
    EXIT.failure,
  );
}
