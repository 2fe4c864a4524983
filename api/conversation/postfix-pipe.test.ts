// @module-tag slow
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import nodemailer from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../delivery/testing/postfix.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import type { MailOutcome } from './take-mail.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/postfix/forward-mail.sh', import.meta.url));
const SECRET = 'a-secret-of-the-mail-server-0123456789';
const skipReason = whyNoPostfix();

it('Postfix’s pipe exits with code 75, which keeps the email queued, if its settings cannot be read', () => {
  expect(spawnSync('sh', [SCRIPT, join(tmpdir(), 'no-settings')], { input: 'Subject: Hello' }).status).toBe(
    75,
  );
});

describe.skipIf(skipReason)(`Postfix's pipe${skipReason === null ? '' : ` (${skipReason})`}`, () => {
  let portal: TestPortal;
  let postfix: Postfix;
  let outcomes: MailOutcome[];
  beforeEach(async () => {
    outcomes = [];
    portal = await startTestPortal({
      now: Date.now,
      inboundMail: { secret: SECRET, ownAddresses: [], onMail: (outcome) => void outcomes.push(outcome) },
    });
    const folder = temporaryFolder();
    // The pipe runs as another user, who needs access to the folder.
    await chmod(folder, 0o755);
    await copyFile(SCRIPT, join(folder, 'forward-mail.sh'));
    const settings = `PORTAL_URL=http://127.0.0.1:${portal.port}\nINBOUND_WEBHOOK_SECRET=${SECRET}\n`;
    await writeFile(join(folder, 'settings'), settings);
    postfix = await startPostfix(`${join(folder, 'forward-mail.sh')} ${join(folder, 'settings')}`);
  });
  afterEach(async () => {
    await postfix.stop();
    await portal.close();
  });

  const send = (subject: string) =>
    nodemailer
      .createTransport({ host: '127.0.0.1', port: postfix.port, secure: false, ignoreTLS: true })
      .sendMail({
        from: 'ada@example.org',
        to: `answers@${postfix.domain}`,
        subject,
        text: 'Zażółć, then\n.\nand the end.',
      });

  it('forwards an email to its record, and keeps it in the queue while the portal cannot store it', async () => {
    const reference = await submitApplication(portal.store);
    const { receive } = portal.store.conversations;
    let failures = 0;
    portal.store.conversations.receive = async () => {
      failures += 1;
      throw new StoreUnavailableError('The disk is full.');
    };
    await send(reference);
    await vi.waitFor(() => expect(failures).toBeGreaterThan(0), { timeout: 60_000 });
    portal.store.conversations.receive = receive;
    await vi.waitFor(() => expect(outcomes).toEqual(['answer']), { timeout: 60_000 });
    const [message] = await portal.store.conversations.messagesOf(reference);
    expect(message).toMatchObject({ sender: 'ada@example.org', text: 'Zażółć, then\n.\nand the end.' });
  });
});
