import '../../data/runtime/node-version.ts';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { documentKeyFile, isDocumentKey, readDocumentKeyFile } from '../../data/config/storage-variables.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { type MasterKey, masterKeyOf } from '../documents/master-key.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { backupFolder, backupsIn } from './backups.ts';
import { copiesAmong } from './remote/remote-names.ts';
import { configuredBucket } from './remote/remote-restore.ts';
import { failureReason } from './remote/remote-store.ts';
import type { S3Store } from './remote/s3-store.ts';
import { requireFileStore } from './require-file-store.ts';
import { restoreBackup, restoreSealedCopy } from './restore-copy.ts';
import { restoreReport } from './restore-report.ts';

interface Arguments {
  readonly requestedBackup: string | undefined;
  readonly force: string | undefined;
  /** `s3` for a copy in the bucket. */
  readonly from: string | undefined;
  /** The file with the private key for encrypted copies. */
  readonly identity: string | undefined;
  /** The names of erasure lists in the bucket that are skipped, because they cannot be read. */
  readonly excludedLists: readonly string[];
}

function readArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        force: { type: 'string' },
        from: { type: 'string' },
        identity: { type: 'string' },
        'without-list': { type: 'string', multiple: true },
      },
    });
    const { force, from, identity, 'without-list': excludedLists = [] } = values;
    if (positionals.length <= 1 && (from === undefined || from === 's3'))
      return { requestedBackup: positionals[0], force, from, identity, excludedLists };
  } catch {
    // Invalid options: the error below shows the usage.
  }
  throw new StartError(
    'Pass the name of one backup (or latest), and optionally --from s3, --identity FILE, --without-list NAME and --force NAME.',
    EXIT.usage,
  );
}

/** The master key. Null if there is no valid key, because a restore must not create one. */
async function readMasterKey(folder: string, configuredKey: string | null): Promise<MasterKey | null> {
  const text = configuredKey ?? (await readDocumentKeyFile(documentKeyFile(folder)));
  return text !== null && isDocumentKey(text) ? masterKeyOf(text) : null;
}

/**
 * Lists the copies, newest first. Shows their sizes, because a copy that is far smaller than the others may be from an empty
 * portal.
 */
function printCopies(
  location: string,
  copies: readonly { readonly name: string; readonly bytes: number }[],
  command: string,
): void {
  const lines = copies.map(({ name, bytes }) => `  ${name}  ${bytes} bytes\n`).join('');
  process.stdout.write(
    copies.length === 0
      ? `There is no backup in ${location}.\n`
      : `Backups in ${location}:\n${lines}Restore one with: npm run restore -- ${command}\n`,
  );
}

/** `npm run restore`: replaces `app.db` with a backup while the portal is stopped. Without a name, it lists the backups. */
await runMain('restore', async () => {
  const { dataDir, backup, documentKey, database } = readConfig();
  requireFileStore(database);
  const { requestedBackup, force, from, identity, excludedLists } = readArguments(process.argv.slice(2));
  const bucket = from === 's3' ? configuredBucket(backup.remote) : null;
  const backups = backupsIn(backupFolder(backup, resolve(dataDir)));
  if (requestedBackup === undefined) {
    if (bucket) {
      const sizes = new Map((await listOrExit(bucket)).map(({ name, bytes }) => [name, bytes]));
      const copies = copiesAmong([...sizes.keys()]).map((name) => ({ name, bytes: sizes.get(name) ?? 0 }));
      printCopies(bucket.label, copies, '--from s3 NAME (or latest) --identity FILE');
    } else {
      const copies = backups.map(({ name, path }) => ({ name, bytes: statSync(path).size }));
      printCopies(backupFolder(backup, resolve(dataDir)), copies, 'NAME (or latest)');
    }
    return;
  }
  const localBackup =
    requestedBackup === 'latest' ? backups[0] : backups.find(({ name }) => name === requestedBackup);
  const isSealed = bucket !== null || requestedBackup.endsWith('.age');
  if (requestedBackup === 'latest' && !localBackup && !isSealed)
    throw new StartError('There is no backup.', EXIT.tryAgain);
  const folder = await prepareDataDir(dataDir);
  const masterKey = await readMasterKey(folder, documentKey);
  const options = { folder, masterKey, force };
  const outcome = await storeOrExit(() =>
    isSealed
      ? restoreSealedCopy(
          { requestedCopy: requestedBackup, bucket, identityFile: identity, excludedLists },
          options,
        )
      : restoreBackup(localBackup?.path ?? resolve(requestedBackup), options),
  );
  process.stdout.write(
    `Restored ${join(folder, 'app.db')} from ${outcome.source}.\n${restoreReport(outcome)}`,
  );
});

async function listOrExit(bucket: S3Store): ReturnType<S3Store['listFiles']> {
  return bucket.listFiles().catch((error: unknown) => {
    throw new StartError(`${failureReason(error)}.`, EXIT.tryAgain);
  });
}
