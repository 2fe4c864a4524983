import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The variable, and the file in its place, that hold the master key of the documents people send. */

const BYTES = 32;
/** 32 bytes in base64: 43 digits, of which the last ends on zero bits, and one sign of padding. */
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Beside the store files, where the variable is not set. */
export const DOCUMENT_KEY_FILE = 'document.key';

/** Whether a text is a master key. */
export function isDocumentKey(text: string): boolean {
  return KEY.test(text);
}

export const DOCUMENT_VARIABLES = {
  DOCUMENT_KEY: z
    .string()
    .refine(isDocumentKey, {
      error: `is not ${BYTES} bytes in base64. Make one with: openssl rand -base64 ${BYTES}`,
    })
    .optional(),
};

/** Where the key file of a folder of store files is. */
export function documentKeyFile(dataDir: string): string {
  return join(resolve(dataDir), DOCUMENT_KEY_FILE);
}

/** The key in a file of its own; null where there is no file. What is not a key is handed out as it is. */
export async function readDocumentKeyFile(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** What is wrong with the key file of a folder of store files, or null where it is right or not there. Makes nothing. */
export async function documentKeyFault(
  dataDir: string,
): Promise<{ readonly variable: string; readonly fault: string } | null> {
  const file = documentKeyFile(dataDir);
  const restore =
    'Put back the file that was there, or set DOCUMENT_KEY to the key that documents were encrypted with.';
  try {
    const key = await readDocumentKeyFile(file);
    if (key === null || isDocumentKey(key)) return null;
    return { variable: 'DOCUMENT_KEY', fault: `is not set, and ${file} holds no key. ${restore}` };
  } catch {
    return { variable: 'DOCUMENT_KEY', fault: `is not set, and ${file} cannot be read. ${restore}` };
  }
}
