import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FROM,
  localMailSender,
  ORIGIN,
  openWithEveryMail,
  type StoreWithEveryMail,
} from '../testing/every-mail.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../testing/postfix.ts';
import { messageIdOf } from './message-thread.ts';

const NEVER_ABORTED = new AbortController().signal;
const skipReason = whyNoPostfix();

describe.skipIf(skipReason)(`a real mail server${skipReason === null ? '' : ` (${skipReason})`}`, () => {
  let folder: string;
  let everyMail: StoreWithEveryMail;
  let postfix: Postfix;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mails-'));
    const typed = { name: 'محمد בן 🦆👩🏽‍🚀', text: 'שלום 🦆\n.\nمرحبا\nzażółć' };
    [everyMail, postfix] = await Promise.all([
      openWithEveryMail(join(folder, 'app.db'), typed),
      startPostfix(),
    ]);
  });
  afterAll(async () => {
    await postfix?.stop();
    await everyMail?.store.close();
    await rm(folder, { recursive: true });
  });

  it('delivers every email with its fields unchanged', async () => {
    const teamAddress = `team@${postfix.domain}`;
    const send = localMailSender(everyMail.store, postfix.port, teamAddress);
    const outcomes = await Promise.all(everyMail.mails.map(({ delivery }) => send(delivery, NEVER_ABORTED)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: 'sent', providerId: expect.stringMatching(/^250 2\.0\.0 Ok/) });
    }
    const mails = await postfix.waitForMails(everyMail.mails.length);
    expect(mails).toHaveLength(everyMail.mails.length);
    for (const { title, delivery, composed } of everyMail.mails) {
      const expected = messageIdOf(delivery, ORIGIN);
      const mail = mails.find(({ messageId }) => messageId === `<${expected}>`);
      expect(mail, title).toMatchObject({
        from: { value: [FROM] },
        to: {
          value: [{ name: '', address: delivery.audience === 'team' ? teamAddress : 'ada@example.com' }],
        },
        date: new Date(delivery.createdAt),
        subject: composed.subject,
        text: composed.text,
        html: composed.html,
      });
      expect(mail?.replyTo?.value, title).toEqual(composed.replyTo ? [composed.replyTo] : undefined);
    }
  });

  it('rejects an address outside its domain, and the email fails', async () => {
    const teamMail = everyMail.mails.find(({ delivery }) => delivery.audience === 'team');
    if (!teamMail) throw new Error('There is no email to the team.');
    const send = localMailSender(everyMail.store, postfix.port, 'team@elsewhere.example');
    const outcome = await send(teamMail.delivery, NEVER_ABORTED);
    expect(outcome).toMatchObject({ kind: 'dead', code: '554', error: expect.stringContaining('denied') });
    expect(JSON.stringify(outcome)).not.toContain('team@elsewhere');
  });
});
