import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { backUpFile } from '../../data/store/sqlite/backup-file.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { backupFolder, takeBackup } from './backups.ts';

/** `npm run backup`: takes a backup of `app.db` now, also while the portal runs. */
await runMain('backup', async () => {
  const { dataDir, backup } = readConfig();
  const folder = resolve(dataDir);
  try {
    const { path, bytes, removed } = await takeBackup({
      folder: backupFolder(backup, folder),
      keep: backup.keep,
      now: Date.now(),
      backUp: (target) => backUpFile(join(folder, 'app.db'), target),
    });
    process.stdout.write(`${path} (${bytes} bytes)\n`);
    for (const name of removed) process.stdout.write(`Removed ${name}: ${backup.keep} are kept.\n`);
    process.stdout.write(
      'The backup does not contain the document key: store that file (or DOCUMENT_KEY) elsewhere.\n',
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
});
