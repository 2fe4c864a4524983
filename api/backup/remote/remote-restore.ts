import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RemoteCopyConfig } from '../../../data/config/remote-copy-variables.ts';
import { EXIT, StartError } from '../../../data/runtime/exit-codes.ts';
import { checkErasures, ERASURE_LIST, mergeErasures } from '../../retention/erasure-list.ts';
import { tagPath } from '../copy-tag.ts';
import { backupNameOf, copiesAmong, copyTime, erasureListsAmong } from './remote-names.ts';
import { failureReason } from './remote-store.ts';
import { createS3Store, type S3Store } from './s3-store.ts';
import { toWebStream, unpack, unseal } from './sealed-file.ts';

/**
 * The folder for a decrypted copy, in the data folder. Because of this name, the portal deletes the folder after a day if a
 * crash leaves it behind.
 */
const COPY_FOLDER = 'app.db.decrypted.partial';

/** @throws {StartError} if no bucket is configured */
export function configuredBucket(remote: RemoteCopyConfig | null): S3Store {
  if (remote?.target.kind === 's3') return createS3Store(remote.target);
  throw new StartError('Set BACKUP_S3_URL to the bucket that has the copies.', EXIT.configuration);
}

async function readIdentities(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) {
    throw new StartError('Pass the file with the private key: --identity FILE', EXIT.usage);
  }
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new StartError(`${file} cannot be read: ${failureReason(error)}`, EXIT.configuration);
  });
  const identities = content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (identities.length === 0) {
    throw new StartError(
      `${file} contains no age private key, which begins with AGE-SECRET-KEY-.`,
      EXIT.configuration,
    );
  }
  return identities;
}

/** @throws {StartError} if a list cannot be decrypted or is malformed. The message names every such list. */
async function readLists(
  bucket: S3Store,
  names: readonly string[],
  identities: readonly string[],
): Promise<readonly string[]> {
  const lists: string[] = [];
  const unreadable: string[] = [];
  let reason = '';
  for (const name of names) {
    const sealed = await bucket.open(name);
    try {
      const list = await text(await unseal(sealed, identities));
      checkErasures(list);
      lists.push(list);
    } catch (error) {
      unreadable.push(name);
      reason = failureReason(error);
    }
  }
  if (unreadable.length === 0) return lists;
  const optionsText = unreadable.map((name) => `--without-list ${name}`).join(' ');
  throw new StartError(
    `These lists of erasures cannot be read (${reason}): ${unreadable.join(', ')}. Nothing was restored. If the key was replaced, add the old private key to the --identity file. To restore without the erasures that are only in these lists, add: ${optionsText}`,
    EXIT.failure,
  );
}

interface FetchedCopy {
  /** The path of the decrypted backup. Its tag is in the same folder. */
  readonly path: string;
  readonly skippedLists: readonly string[];
  remove(): Promise<void>;
}

export interface SealedCopy {
  /** The name of a copy in the bucket, or `latest`. Without a bucket, the path of a copy. */
  readonly requestedCopy: string;
  /** Null for a copy that is a file on this machine. */
  readonly bucket: S3Store | null;
  readonly identityFile: string | undefined;
  /** The names of the erasure lists in the bucket that are skipped, because they cannot be read. */
  readonly excludedLists: readonly string[];
}

/**
 * Decrypts a copy into the data folder. Adds the erasures listed in the copy and in the bucket to the list in the data
 * folder. Call it while the portal is stopped.
 * @throws {StartError} if there is no such copy, or it is damaged or cannot be decrypted. `app.db` is unchanged.
 */
export async function fetchCopy(
  { requestedCopy, bucket, identityFile, excludedLists }: SealedCopy,
  folder: string,
): Promise<FetchedCopy> {
  const identities = await readIdentities(identityFile);
  const target = join(folder, COPY_FOLDER);
  const remove = () => rm(target, { recursive: true, force: true });
  await remove();
  try {
    const names = (await bucket?.list()) ?? [basename(requestedCopy)];
    const name =
      requestedCopy === 'latest'
        ? copiesAmong(names)[0]
        : names.find((one) => one === basename(requestedCopy));
    if (name === undefined) throw new Error(`there is no copy ${requestedCopy}`);
    if (Number.isNaN(copyTime(name)))
      throw new Error(`${name} is not the name of a copy. Rename the file to its original name`);
    const backup = backupNameOf(name);
    const sealed = bucket ? await bucket.open(name) : toWebStream(createReadStream(requestedCopy));
    await unpack(await unseal(sealed, identities), target, [backup, tagPath(backup), ERASURE_LIST]);
    const lists = [await readFile(join(target, ERASURE_LIST), 'utf8').catch(() => '')];
    const remoteLists = bucket ? erasureListsAmong(names) : [];
    const skippedLists = remoteLists.filter((list) => excludedLists.includes(list));
    const includedLists = remoteLists.filter((list) => !excludedLists.includes(list));
    if (bucket) lists.push(...(await readLists(bucket, includedLists, identities)));
    await mergeErasures(folder, lists);
    return { path: join(target, backup), skippedLists, remove };
  } catch (error) {
    await remove();
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The copy cannot be used: ${failureReason(error)}. Nothing was restored.`,
      EXIT.failure,
    );
  }
}
