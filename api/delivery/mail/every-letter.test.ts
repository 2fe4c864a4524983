import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUBMISSION_KINDS } from '../../../data/model/submission-status.ts';
import { type EveryLetter, LETTER_TERMS, openWithEveryLetter, type Words } from '../testing/every-letter.ts';
import { type SmtpPeer, startSmtpPeer } from '../testing/smtp-peer.ts';
import { createMailSender } from './mail-sender.ts';
import { smtpTransport } from './smtp-transport.ts';

const FROM = { name: 'BlackDuck 🦆', address: 'portal@example.com' };
const TEAM = 'team@example.com';

const FOREIGN: Words = { name: 'محمد בן 🦆👩🏽‍🚀', text: 'שלום 🦆\nمرحبا\nzażółć' };
const HOSTILE: Words = {
  name: 'Ann\r\nBcc: all@example.com\r\nSubject: other\r\n\r\nbody, <all@example.com>',
  text: 'one\r\n.\r\nMAIL FROM:<all@example.com>\r\nBcc: all@example.com',
};

/** All that a mail has by way of headers: nothing that was typed in adds another. */
const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
];

describe.each([
  ['in scripts from right to left and with emoji', FOREIGN],
  ['with line ends that would make headers and commands', HOSTILE],
])('every letter, of words %s', (_case, words) => {
  let folder: string;
  let every: EveryLetter;
  let smtp: SmtpPeer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-'));
    [every, smtp] = await Promise.all([openWithEveryLetter(join(folder, 'app.db'), words), startSmtpPeer()]);
  });
  afterAll(async () => {
    await smtp.close();
    await every.store.close();
    await rm(folder, { recursive: true });
  });

  it('is among those that are sent', () => {
    expect(every.letters.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        ...SUBMISSION_KINDS.flatMap((kind) => [`${kind}.received applicant`, `${kind}.received team`]),
        'card-application.approved applicant',
        'card-application.refused applicant',
        'verification-request.approved applicant',
        'verification-request.refused applicant',
      ]),
    );
  });

  it('is read back field by field as it was written, to one address alone', async () => {
    const { port } = smtp;
    const send = createMailSender({
      submissions: every.store,
      transport: smtpTransport({ kind: 'smtp', host: '127.0.0.1', port, isSecure: false, credentials: null }),
      from: FROM,
      team: TEAM,
      origin: LETTER_TERMS.origin,
      decimals: async () => LETTER_TERMS.decimals,
    });
    for (const { what, delivery, composed } of every.letters) {
      const outcome = await send(delivery, new AbortController().signal);
      expect(outcome, what).toMatchObject({ kind: 'sent' });
      const mail = smtp.taken.at(-1);
      const to = delivery.audience === 'team' ? TEAM : 'ada@example.com';
      expect(mail?.from, what).toBe(FROM.address);
      expect(mail?.to, what).toEqual([to]);
      expect(mail?.parsed, what).toMatchObject({
        from: { value: [FROM] },
        to: { value: [{ name: '', address: to }] },
        messageId: `<${delivery.messageId}>`,
        date: new Date(delivery.createdAt),
        subject: composed.subject,
        text: composed.text,
        // A mail has line ends of one kind, whatever was typed in.
        html: composed.html.replaceAll('\r\n', '\n'),
      });
      const { replyTo } = composed;
      // Line ends in a name are encoded with it, and end no header.
      expect(mail?.parsed.replyTo?.value, what).toEqual(replyTo ? [replyTo] : undefined);
      const expected = replyTo ? [...HEADERS, 'reply-to'] : HEADERS;
      expect([...(mail?.parsed.headers.keys() ?? [])].toSorted(), what).toEqual(expected.toSorted());
    }
    expect(smtp.taken).toHaveLength(every.letters.length);
  });
});
