import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EveryLetter, LETTER_TERMS, openWithEveryLetter } from '../testing/every-letter.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../testing/postfix.ts';
import { createMailSender } from './mail-sender.ts';
import { smtpTransport } from './smtp-transport.ts';

const FROM = { name: 'BlackDuck 🦆', address: 'portal@example.com' };
const NEVER = new AbortController().signal;
const whyNot = whyNoPostfix();

describe.skipIf(whyNot)(`a real mail server${whyNot === null ? '' : ` (${whyNot})`}`, () => {
  let folder: string;
  let every: EveryLetter;
  let postfix: Postfix;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-'));
    const words = { name: 'محمد בן 🦆👩🏽‍🚀', text: 'שלום 🦆\n.\nمرحبا\nzażółć' };
    [every, postfix] = await Promise.all([
      openWithEveryLetter(join(folder, 'app.db'), words),
      startPostfix(),
    ]);
  });
  afterAll(async () => {
    await postfix?.stop();
    await every?.store.close();
    await rm(folder, { recursive: true });
  });

  const senderTo = (team: string) =>
    createMailSender({
      submissions: every.store,
      transport: smtpTransport({
        kind: 'smtp',
        host: '127.0.0.1',
        port: postfix.port,
        isSecure: false,
        credentials: null,
      }),
      from: FROM,
      team,
      origin: LETTER_TERMS.origin,
      decimals: async () => LETTER_TERMS.decimals,
    });

  it('takes every letter, and delivers each with its fields as they were written', async () => {
    const team = `team@${postfix.domain}`;
    const send = senderTo(team);
    const outcomes = await Promise.all(every.letters.map(({ delivery }) => send(delivery, NEVER)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: 'sent', providerId: expect.stringMatching(/^250 2\.0\.0 Ok/) });
    }
    const mails = await postfix.delivered(every.letters.length);
    expect(mails).toHaveLength(every.letters.length);
    for (const { what, delivery, composed } of every.letters) {
      const mail = mails.find(({ messageId }) => messageId === `<${delivery.messageId}>`);
      expect(mail, what).toMatchObject({
        from: { value: [FROM] },
        to: { value: [{ name: '', address: delivery.audience === 'team' ? team : 'ada@example.com' }] },
        date: new Date(delivery.createdAt),
        subject: composed.subject,
        text: composed.text,
        html: composed.html,
      });
      expect(mail?.replyTo?.value, what).toEqual(composed.replyTo ? [composed.replyTo] : undefined);
    }
  });

  it('refuses an address that it has no mailbox for, and the mail is given up', async () => {
    const letter = every.letters.find(({ delivery }) => delivery.audience === 'team');
    if (!letter) throw new Error('there is a letter to the team');
    const outcome = await senderTo('team@elsewhere.example')(letter.delivery, NEVER);
    expect(outcome).toMatchObject({ kind: 'dead', code: '554', error: expect.stringContaining('denied') });
    expect(JSON.stringify(outcome)).not.toContain('team@elsewhere');
  });
});
