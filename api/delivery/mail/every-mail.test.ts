// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUBMISSION_KINDS } from '../../../data/model/submission-status.ts';
import {
  type EnteredTexts,
  FROM,
  localMailSender,
  ORIGIN,
  openWithEveryMail,
  type StoreWithEveryMail,
} from '../testing/every-mail.ts';
import { type SmtpPeer, startSmtpPeer } from '../testing/smtp-peer.ts';
import { MAIL_TEMPLATES } from './mail-sender.ts';
import { messageIdOf } from './message-thread.ts';

const TEAM_ADDRESS = 'team@example.com';

/** Right-to-left text, emoji, and line breaks that could become headers and commands. */
const ENTERED_TEXTS: EnteredTexts = {
  name: 'محمد בן 🦆👩🏽‍🚀\r\nBcc: all@example.com\r\nSubject: other\r\n\r\nbody, <all@example.com>',
  text: 'שלום 🦆\nمرحبا\nzażółć\r\n.\r\nMAIL FROM:<all@example.com>\r\nBcc: all@example.com',
};

/** All headers of an email. No typed text may add another header. */
const HEADER_NAMES =
  'auto-submitted content-type date from message-id mime-version reply-to subject to'.split(' ');

describe('every email with hostile and right-to-left texts', () => {
  let folder: string;
  let everyMail: StoreWithEveryMail;
  let smtp: SmtpPeer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mails-'));
    [everyMail, smtp] = await Promise.all([
      openWithEveryMail(join(folder, 'app.db'), ENTERED_TEXTS),
      startSmtpPeer(),
    ]);
  });
  afterAll(async () => {
    await smtp.close();
    await everyMail.store.close();
    await rm(folder, { recursive: true });
  });

  it('is composed, one for each template', () => {
    const templates = SUBMISSION_KINDS.flatMap((kind) =>
      Object.keys(MAIL_TEMPLATES[kind]).map((key) => `${kind}.${key}`),
    );
    expect(everyMail.mails.map(({ title }) => title).toSorted()).toEqual(templates.toSorted());
  });

  it('arrives with each field unchanged, at one address only', async () => {
    const send = localMailSender(everyMail.store, smtp.port, TEAM_ADDRESS);
    const { signal } = new AbortController();
    // All at the same time, because the server waits 100 ms before each greeting.
    const outcomes = await Promise.all(everyMail.mails.map(({ delivery }) => send(delivery, signal)));
    for (const [index, { title, delivery, composed }] of everyMail.mails.entries()) {
      expect(outcomes[index], title).toMatchObject({ kind: 'sent' });
      const messageId = `<${messageIdOf(delivery, ORIGIN)}>`;
      const mail = smtp.received.find(({ parsed }) => parsed.messageId === messageId);
      const to = delivery.audience === 'team' ? TEAM_ADDRESS : 'ada@example.com';
      expect(mail?.from, title).toBe(FROM.address);
      expect(mail?.to, title).toEqual([to]);
      expect(mail?.parsed, title).toMatchObject({
        from: { value: [FROM] },
        to: { value: [{ name: '', address: to }] },
        date: new Date(delivery.createdAt),
        subject: composed.subject,
        text: composed.text,
        // Emails have one kind of line break, whatever was typed.
        html: composed.html.replaceAll('\r\n', '\n'),
      });
      // Line breaks in a name are encoded, so they do not end the header.
      expect(mail?.parsed.replyTo?.value, title).toEqual([composed.replyTo]);
      const isFirst = delivery.event.endsWith('.received');
      const expected = isFirst ? HEADER_NAMES : [...HEADER_NAMES, 'in-reply-to', 'references'];
      expect([...(mail?.parsed.headers.keys() ?? [])].toSorted(), title).toEqual(expected.toSorted());
    }
    expect(smtp.received).toHaveLength(everyMail.mails.length);
  });

  it('has its own Message-ID under the portal’s domain, and refers only to emails that were sent', () => {
    const ids = new Set(smtp.received.map(({ parsed }) => parsed.messageId));
    expect(ids.size).toBe(everyMail.mails.length);
    for (const { parsed } of smtp.received) {
      expect(parsed.messageId).toMatch(/@portal\.example\.com>$/);
      if (parsed.references !== undefined) expect(ids).toContain(parsed.references);
      expect(parsed.inReplyTo).toBe(parsed.references);
    }
  });
});
