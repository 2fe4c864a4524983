import '../../data/runtime/node-version.ts';
import { randomBytes } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { documentKeyFile, isDocumentKey, readDocumentKeyFile } from '../../data/config/storage-variables.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { restore } from '../../data/store/sqlite/backup-file.ts';
import { acquireWriterLock } from '../../data/store/sqlite/writer-lock.ts';
import { AdminPasswords } from '../admin/passwords.ts';
import { type MasterKey, masterKeyOf } from '../documents/master-key.ts';
import { readErasures } from '../retention/erasure-list.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { backupFolder, backupsIn, isLostFile, keptFile } from './backups.ts';
import { hasValidTag, writeTag } from './copy-tag.ts';
import { requireFileStore } from './require-file-store.ts';
import { restoreReport } from './restore-report.ts';

function readArguments(args: readonly string[]): { wanted: string | undefined; force: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { force: { type: 'string' } },
    });
    if (positionals.length <= 1) return { wanted: positionals[0], force: values.force };
  } catch {
    // The usage is printed below.
  }
  throw new StartError('Pass the name of one backup or latest, and optionally --force NAME.', EXIT.usage);
}

/** The master key; null if there is none, because a restore must not create one. */
async function readMasterKey(folder: string, configured: string | null): Promise<MasterKey | null> {
  const text = configured ?? (await readDocumentKeyFile(documentKeyFile(folder)));
  return text !== null && isDocumentKey(text) ? masterKeyOf(text) : null;
}

/** `npm run restore`: replaces `app.db` with a backup while the portal is stopped. Without a name it lists the backups. */
await runMain('restore', async () => {
  const { dataDir, backup, documentKey, database } = readConfig();
  requireFileStore(database);
  const { wanted, force } = readArguments(process.argv.slice(2));
  const backups = backupsIn(backupFolder(backup, resolve(dataDir)));
  if (wanted === undefined) {
    const folder = backupFolder(backup, resolve(dataDir));
    const list = backups.length === 0 ? `There is no backup in ${folder}.` : `Backups in ${folder}:`;
    const names = backups.map(({ name }) => `  ${name}\n`).join('');
    process.stdout.write(`${list}\n${names}Restore one with: npm run restore -- NAME (or latest)\n`);
    return;
  }
  const known = wanted === 'latest' ? backups[0] : backups.find(({ name }) => name === wanted);
  if (wanted === 'latest' && !known) throw new StartError('There is no backup.', EXIT.tryAgain);
  const source = known?.path ?? resolve(wanted);
  const copy = basename(source);
  const folder = await prepareDataDir(dataDir);
  const file = join(folder, 'app.db');
  const masterKey = await readMasterKey(folder, documentKey);
  const isForced = force === copy;
  const outcome = await storeOrExit(async () => {
    const releaseLock = acquireWriterLock(file);
    try {
      const isAuthentic = masterKey !== null && (await hasValidTag(source, masterKey));
      if (!isAuthentic && !isForced) throw unverified(source, copy, masterKey !== null);
      const at = Date.now();
      const movedTo = keptFile(file, 'before', at);
      const erasures = await readErasures(folder, masterKey);
      const restored = await restore(source, file, movedTo, {
        copy,
        at,
        isForced,
        isNewest: isAuthentic && isLostFile(copy),
        lockedHash: await new AdminPasswords().hash(randomBytes(32).toString('base64')),
        erasures,
      });
      if (restored.hasReplaced && masterKey !== null) await writeTag(movedTo, masterKey);
      return { ...restored, movedTo, isAuthentic, withOtherKey: erasures.withOtherKey };
    } finally {
      releaseLock();
    }
  });
  process.stdout.write(`Restored ${file} from ${source}.\n${restoreReport(outcome)}`);
});

function unverified(source: string, copy: string, hasKey: boolean): StartError {
  const why = hasKey
    ? 'has no valid tag: it was changed or renamed, was made with another document key, or its .tag file is missing'
    : 'cannot be verified, because the document key is missing';
  return new StartError(
    `${source} ${why}. Nothing was restored. If you know where it comes from, add: --force ${copy}`,
    EXIT.failure,
  );
}
