import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'playwright/test';
import type { Portal } from './portal.ts';

/**
 * Every email that the portal has written to its outbox, decoded. The name of an email that is still being written does
 * not end in `.eml`.
 */
export async function readMails({ dataFolder }: Pick<Portal, 'dataFolder'>): Promise<readonly string[]> {
  const folder = join(dataFolder, 'outbox', 'mail');
  const names = await readdir(folder).catch(() => []);
  const mails = names.filter((name) => name.endsWith('.eml'));
  const texts = await Promise.all(mails.toSorted().map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '='));
}

/** Waits for an email to `recipient` that matches `pattern`. @returns the matching part of the email */
export async function waitForMailLink(
  portal: Pick<Portal, 'dataFolder'>,
  recipient: string,
  pattern: RegExp,
): Promise<string> {
  let link = '';
  await expect(async () => {
    const mails = (await readMails(portal)).filter((mail) => mail.includes(`To: ${recipient}`));
    link = mails.map((mail) => pattern.exec(mail)?.[0]).find((match) => match !== undefined) ?? '';
    expect(link).not.toBe('');
  }).toPass();
  return link;
}
