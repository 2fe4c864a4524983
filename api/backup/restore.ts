import '../../data/runtime/node-version.ts';
import { join, resolve } from 'node:path';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { restore } from '../../data/store/sqlite/backup-file.ts';
import { acquireWriterLock } from '../../data/store/sqlite/writer-lock.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { backupFolder, backupsIn, replacedFile } from './backups.ts';

/** `npm run restore`: replaces `app.db` with a backup while the portal is stopped. Without a name it lists the backups. */
await runMain('restore', async () => {
  const { dataDir, backup } = readConfig();
  const [wanted, ...more] = process.argv.slice(2);
  if (more.length > 0) throw new StartError('Pass the name of one backup, or latest.', EXIT.usage);
  const folder = backupFolder(backup, resolve(dataDir));
  const backups = backupsIn(folder);
  if (wanted === undefined) {
    const list = backups.length === 0 ? `There is no backup in ${folder}.` : `Backups in ${folder}:`;
    const names = backups.map(({ name }) => `  ${name}\n`).join('');
    process.stdout.write(`${list}\n${names}Restore one with: npm run restore -- NAME (or latest)\n`);
    return;
  }
  const known = wanted === 'latest' ? backups[0] : backups.find(({ name }) => name === wanted);
  if (wanted === 'latest' && !known) throw new StartError(`There is no backup in ${folder}.`, EXIT.tryAgain);
  const source = known?.path ?? resolve(wanted);
  const file = join(await prepareDataDir(dataDir), 'app.db');
  const movedTo = replacedFile(file, Date.now());
  const hasReplacedFile = await storeOrExit(async () => {
    const releaseLock = acquireWriterLock(file);
    try {
      return await restore(source, file, movedTo);
    } finally {
      releaseLock();
    }
  });
  process.stdout.write(`Restored ${file} from ${source}.\n`);
  if (hasReplacedFile)
    process.stdout.write(`The replaced file is ${movedTo}. Delete it when the portal works again.\n`);
});
