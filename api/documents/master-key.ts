import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { problemsText } from '../../data/config/read-config.ts';
import {
  documentKeyFile,
  documentKeyProblem,
  isDocumentKey,
  readDocumentKeyFile,
} from '../../data/config/storage-variables.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { SubmissionStore } from '../../data/store/submission-port.ts';

const KEY_BYTES = 32;
const ID_DIGITS = 16;

/** The key that encrypts the data key of every document. */
export interface MasterKey {
  /** 32 bytes. */
  readonly bytes: Buffer;
  /** The first 16 hex digits of the key's SHA-256. They identify the key without revealing it. */
  readonly id: string;
}

/** @param text 32 bytes in base64, checked by `isDocumentKey` */
export function masterKeyOf(text: string): MasterKey {
  const bytes = Buffer.from(text, 'base64');
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, ID_DIGITS) };
}

/**
 * Returns a function that computes HMAC-SHA256 digests. Without the key, nobody can check whether a digest belongs to a
 * given text. Each purpose has its own key.
 */
export function keyedDigest({ bytes }: MasterKey, purpose: string): (text: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', bytes, '', purpose, KEY_BYTES));
  return (text) => createHmac('sha256', key).update(text).digest();
}

/** Creates a key file that only its owner can read. Changes nothing if another process has just created the file. */
async function createKeyFile(file: string): Promise<void> {
  const temporaryFile = `${file}.${randomBytes(8).toString('hex')}`;
  const handle = await open(temporaryFile, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    // The link makes the whole key visible at once, so that no process uses a partly written key.
    await link(temporaryFile, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporaryFile);
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/**
 * The configured master key, or else the key in the data folder's key file. Creates the file (mode 600) if it is missing.
 * @throws {StartError} exit code 78 if the file has no valid key or cannot be read or created
 */
export async function openMasterKey(folder: string, configuredKey: string | null): Promise<MasterKey> {
  if (configuredKey !== null) return masterKeyOf(configuredKey);
  const file = documentKeyFile(folder);
  const keyFileError = async (cause?: unknown) => {
    const message = `is a folder where ${file} cannot be created.`;
    const problem = (await documentKeyProblem(folder)) ?? { variable: 'DATA_DIR', message };
    return new StartError(problemsText([problem]), EXIT.configuration, { cause });
  };
  try {
    if ((await readDocumentKeyFile(file)) === null) await createKeyFile(file);
    const key = await readDocumentKeyFile(file);
    if (key !== null && isDocumentKey(key)) return masterKeyOf(key);
  } catch (error) {
    throw await keyFileError(error);
  }
  throw await keyFileError();
}

export async function warnOfOtherKeys(
  store: Pick<SubmissionStore, 'countByMasterKey'>,
  { id }: MasterKey,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  for (const { masterKeyId, documents } of await store.countByMasterKey()) {
    if (masterKeyId === id) continue;
    log.error(
      { masterKeyId, currentMasterKeyId: id, documents },
      'documents are encrypted with another master key: set DOCUMENT_KEY to that key or restore document.key',
    );
  }
}
