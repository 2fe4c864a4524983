import { createHash, randomBytes } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  documentKeyFault,
  documentKeyFile,
  isDocumentKey,
  readDocumentKeyFile,
} from '../../data/config/document-key.ts';
import { faultsText } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';

const KEY_BYTES = 32;
/** Hex digits of a key's SHA-256 by which it is known again without being known. */
const NAME_DIGITS = 16;

/** The key that wraps the data key of every document. */
export interface MasterKey {
  /** 32 bytes. */
  readonly bytes: Buffer;
  /** The first 16 hex digits of its SHA-256, kept with what it wraps. */
  readonly name: string;
}

/** @param text 32 bytes in base64, as `isDocumentKey` takes them */
export function masterKeyOf(text: string): MasterKey {
  const bytes = Buffer.from(text, 'base64');
  return { bytes, name: createHash('sha256').update(bytes).digest('hex').slice(0, NAME_DIGITS) };
}

/** Makes a key in a file for its owner alone. A key that another process made first is left as it is. */
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    // Under its name it is whole from the first moment: a half-written key would be lost with all it wraps.
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft);
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/**
 * The master key: the configured one, else that of the key file in the folder of the store files, which is made (mode
 * 600) where it is not there.
 * @throws {StartError} code 78 where the file holds no key or cannot be read or made.
 */
export async function openMasterKey(folder: string, configured: string | null): Promise<MasterKey> {
  if (configured !== null) return masterKeyOf(configured);
  const file = documentKeyFile(folder);
  const refuse = async (cause?: unknown) => {
    const known = await documentKeyFault(folder);
    const fault = known ?? { variable: 'DATA_DIR', fault: `names a folder where ${file} cannot be made.` };
    return new StartError(faultsText([fault]), EXIT.configuration, { cause });
  };
  try {
    if ((await readDocumentKeyFile(file)) === null) await makeKeyFile(file);
    const key = await readDocumentKeyFile(file);
    if (key !== null && isDocumentKey(key)) return masterKeyOf(key);
  } catch (error) {
    throw await refuse(error);
  }
  throw await refuse();
}
