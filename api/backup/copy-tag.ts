import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { MasterKey } from '../documents/master-key.ts';

/**
 * The path of the tag for a copy of `app.db`. The tag proves that this portal wrote the copy under this name, and that nobody
 * has changed the copy.
 */
export const tagPath = (copy: string): string => `${copy}.tag`;

const MODE = 0o600;

/** The HMAC-SHA256 of the copy's name and content, in hex. */
async function tagOf(copy: string, { bytes }: MasterKey): Promise<string> {
  const key = Buffer.from(hkdfSync('sha256', bytes, '', 'copies of app.db', 32));
  const hmac = createHmac('sha256', key).update(`${basename(copy)}\n`);
  for await (const chunk of createReadStream(copy)) hmac.update(chunk);
  return hmac.digest('hex');
}

export async function writeTag(copy: string, masterKey: MasterKey): Promise<void> {
  await writeFile(tagPath(copy), `${await tagOf(copy, masterKey)}\n`, { mode: MODE, flush: true });
}

export async function hasValidTag(copy: string, masterKey: MasterKey): Promise<boolean> {
  const storedTag = await readFile(tagPath(copy), 'utf8').catch(() => null);
  if (storedTag === null) return false;
  const [a, b] = [storedTag.trim(), await tagOf(copy, masterKey)].map((text) => Buffer.from(text, 'utf8'));
  return a !== undefined && b !== undefined && a.length === b.length && timingSafeEqual(a, b);
}

type WriteCopy = (target: string) => Promise<number>;

export function withTag(write: WriteCopy, masterKey: MasterKey): WriteCopy {
  return async (target) => {
    const bytes = await write(target);
    await writeTag(target, masterKey);
    return bytes;
  };
}
