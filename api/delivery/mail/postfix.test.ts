import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EveryMail, FROM, localMailSender, ORIGIN, openWithEveryMail } from '../testing/every-mail.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../testing/postfix.ts';
import { messageIdOf } from './message-thread.ts';

const NEVER = new AbortController().signal;
const whyNot = whyNoPostfix();

describe.skipIf(whyNot)(`a real mail server${whyNot === null ? '' : ` (${whyNot})`}`, () => {
  let folder: string;
  let every: EveryMail;
  let postfix: Postfix;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mails-'));
    const typed = { name: 'محمد בן 🦆👩🏽‍🚀', text: 'שלום 🦆\n.\nمرحبا\nzażółć' };
    [every, postfix] = await Promise.all([openWithEveryMail(join(folder, 'app.db'), typed), startPostfix()]);
  });
  afterAll(async () => {
    await postfix?.stop();
    await every?.store.close();
    await rm(folder, { recursive: true });
  });

  it('delivers every email with its fields unchanged', async () => {
    const team = `team@${postfix.domain}`;
    const send = localMailSender(every.store, postfix.port, team);
    const outcomes = await Promise.all(every.mails.map(({ delivery }) => send(delivery, NEVER)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: 'sent', providerId: expect.stringMatching(/^250 2\.0\.0 Ok/) });
    }
    const mails = await postfix.delivered(every.mails.length);
    expect(mails).toHaveLength(every.mails.length);
    for (const { title, delivery, composed } of every.mails) {
      const expected = messageIdOf(delivery, ORIGIN);
      const mail = mails.find(({ messageId }) => messageId === `<${expected}>`);
      expect(mail, title).toMatchObject({
        from: { value: [FROM] },
        to: { value: [{ name: '', address: delivery.audience === 'team' ? team : 'ada@example.com' }] },
        date: new Date(delivery.createdAt),
        subject: composed.subject,
        text: composed.text,
        html: composed.html,
      });
      expect(mail?.replyTo?.value, title).toEqual(composed.replyTo ? [composed.replyTo] : undefined);
    }
  });

  it('rejects an address without a mailbox, and the email fails', async () => {
    const teamMail = every.mails.find(({ delivery }) => delivery.audience === 'team');
    if (!teamMail) throw new Error('There is no email to the team.');
    const send = localMailSender(every.store, postfix.port, 'team@elsewhere.example');
    const outcome = await send(teamMail.delivery, NEVER);
    expect(outcome).toMatchObject({ kind: 'dead', code: '554', error: expect.stringContaining('denied') });
    expect(JSON.stringify(outcome)).not.toContain('team@elsewhere');
  });
});
