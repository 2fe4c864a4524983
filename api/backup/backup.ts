import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { createLogger } from '../../data/runtime/log.ts';
import { setPrivateUmask } from '../../data/runtime/private-files.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { backUpFile } from '../../data/store/sqlite/backup-file.ts';
import { openMasterKey } from '../documents/master-key.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { backupFolder, backupTime, takeBackup } from './backups.ts';
import { withTag } from './copy-tag.ts';
import { RemoteCopies } from './remote/remote-copies.ts';
import { failureReason } from './remote/remote-store.ts';
import { requireFileStore } from './require-file-store.ts';

/** `npm run backup`: backs up `app.db` now, even while the portal runs. Also copies the backup elsewhere, if configured. */
await runMain('backup', async () => {
  const { dataDir, logLevel, backup, documentKey, database } = readConfig();
  requireFileStore(database);
  const folder = resolve(dataDir);
  setPrivateUmask();
  const masterKey = await openMasterKey(folder, documentKey);
  const { name, path, bytes, removed } = await storeOrExit(() =>
    takeBackup({
      folder: backupFolder(backup, folder),
      keep: backup.keep,
      now: Date.now(),
      backUp: withTag((target) => backUpFile(join(folder, 'app.db'), target), masterKey),
    }),
  );
  process.stdout.write(`${path} (${bytes} bytes)\n`);
  for (const old of removed) process.stdout.write(`Removed ${old}, to keep ${backup.keep} backups.\n`);
  if (backup.remote) {
    const log = createLogger('backup', logLevel);
    const backupsFolder = backupFolder(backup, folder);
    const copies = new RemoteCopies({ config: backup.remote, folder, backupsFolder, now: Date.now, log });
    await copies.send().catch((error: unknown) => {
      const isCopied = copies.state().newestAt === backupTime(name);
      const outcome = isCopied
        ? 'The backup is complete and was copied elsewhere, but older copies could not be removed'
        : 'The backup is complete, but was not copied elsewhere';
      throw new StartError(`${outcome}: ${failureReason(error)}.`, EXIT.tryAgain);
    });
    process.stdout.write('The backup was encrypted, copied elsewhere and verified.\n');
  }
  process.stdout.write(
    'The backup does not contain the document key. Store document.key (or DOCUMENT_KEY) elsewhere.\n',
  );
});
