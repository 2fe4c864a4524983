import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The mails of some deliveries that lie in the outbox, also those that were never finished.
 * @param folder null where there is no outbox
 */
export async function outboxMails(
  folder: string | null,
  deliveries: readonly string[],
): Promise<readonly string[]> {
  if (folder === null || deliveries.length === 0) return [];
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  const wanted = new Set(deliveries);
  // A name ends in the delivery's id, which is a UUID.
  return names
    .filter((name) => wanted.has(/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml/.exec(name)?.[1] ?? ''))
    .map((name) => join(folder, name));
}

/** Removes the mails of some deliveries from the outbox. @returns how many there were */
export async function removeOutboxMails(
  folder: string | null,
  deliveries: readonly string[],
): Promise<number> {
  const mails = await outboxMails(folder, deliveries);
  for (const path of mails) await rm(path, { force: true });
  return mails.length;
}
