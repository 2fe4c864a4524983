import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContactMessage } from '../../../data/store/contact-port.ts';
import { SUBMITTED_AT, sampleMessage } from '../../../data/store/testing/sample-submissions.ts';
import type { DraftedDelivery, SubmissionReaders } from './draft.ts';
import { createMailSender } from './mail-sender.ts';
import { outboxTransport } from './outbox-transport.ts';

const referenceNumber = 'BD-20260102-123456';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbox-'));
});
afterEach(() => rm(folder, { recursive: true }));

const sample = (changes: Partial<ContactMessage> = {}): ContactMessage => ({
  ...sampleMessage(),
  referenceNumber,
  ...changes,
});

function sendOf(message: ContactMessage | null) {
  const nothing = async () => null;
  const submissions: SubmissionReaders = {
    applications: { applicationByReference: nothing, requestByReference: nothing, statusOf: nothing },
    contacts: { messageByReference: async () => message },
    loans: { byReference: nothing },
  };
  const send = createMailSender({
    submissions,
    transport: outboxTransport(folder),
    from: { name: 'BlackDuck', address: 'portal@example.com' },
    team: 'team@example.com',
    origin: 'https://portal.example.com',
    decimals: async () => 6,
  });
  return (changes: Partial<DraftedDelivery>) =>
    send(
      {
        id: '0f7e',
        event: 'contact-message.received',
        referenceNumber,
        channel: 'mail',
        audience: 'applicant',
        recipient: changes.audience === 'team' ? null : 'ada@example.com',
        messageId: '0f7e@blackduck-portal',
        attemptCount: 0,
        fence: 1,
        createdAt: SUBMITTED_AT,
        ...changes,
      },
      new AbortController().signal,
    );
}

/** The mail about a message, as who gets it reads it. */
async function received(
  message: ContactMessage,
  audience: DraftedDelivery['audience'],
): Promise<ParsedMail & { readonly text: string; readonly html: string }> {
  await sendOf(message)({ audience });
  const [file = ''] = await readdir(folder);
  const parsed = await simpleParser(await readFile(join(folder, file)));
  return { ...parsed, text: parsed.text ?? '', html: parsed.html || '' };
}

const HOSTILE = {
  name: '<img src=x onerror=alert(1)> "Ann", bo@example.com',
  subject: 'Free\u202e tokens',
  message: "</bdi><script>alert('1')</script>\nName: Somebody else\nhttps://evil.example",
};

describe('the mails of a message to support', () => {
  it('tell the sender the reference and when to expect an answer, and none of the words of the form', async () => {
    const mail = await received(sample(HOSTILE), 'applicant');
    expect(mail).toMatchObject({
      subject: `We have your message ${referenceNumber}`,
      messageId: '<0f7e@blackduck-portal>',
      to: { value: [{ address: 'ada@example.com' }] },
    });
    expect(mail.replyTo).toBeUndefined();
    for (const words of [referenceNumber, 'We respond within 24 hours.', '2 January 2026 at 03:04 UTC']) {
      expect(mail.text).toContain(words);
      expect(mail.html).toContain(words);
    }
    expect(mail.text + mail.html).not.toMatch(/alert|Ann|tokens|evil|application-status/);
  });

  it('bring the team every field, and the answer goes to the sender', async () => {
    const name = 'محمد 🦆';
    const mail = await received(sample({ name, category: 'technical' }), 'team');
    expect(mail).toMatchObject({
      subject: `Message to support ${referenceNumber}`,
      to: { value: [{ address: 'team@example.com' }] },
      replyTo: { value: [{ name, address: 'ada@example.com' }] },
    });
    const facts = mail.text.split(/\n(?! )/);
    for (const line of [
      'Name: \u2068محمد 🦆\u2069',
      'Email: ada@example.com',
      'Category: Technical (priority)',
      'Subject: My stake',
      'Message: When does my lock end?\n    I staked in May.',
      'Wallet, as the sender names it: FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
    ]) {
      expect(facts).toContain(line);
    }
    expect(mail.text).toContain('https://portal.example.com/admin/dashboard');
  });

  it('leave out what was not given', async () => {
    const { text } = await received(sample({ subject: null, category: null, walletAddress: null }), 'team');
    expect(text).not.toMatch(/Subject|Category|Wallet/);
  });

  it('show hostile words as the words they are, in a place of their own', async () => {
    const mail = await received(sample(HOSTILE), 'team');
    expect(mail.html).not.toMatch(/<(img|script)/);
    expect(mail.text.split(/\n(?! )/).filter((line) => line.startsWith('Name'))).toEqual([
      `Name: ${HOSTILE.name}`,
    ]);
    expect(mail.text).toContain('Subject: Free tokens');
    expect(mail.replyTo?.value).toEqual([{ name: HOSTILE.name, address: 'ada@example.com' }]);
  });

  it('are given up where nothing is stored, or the event is not told by mail', async () => {
    expect(await sendOf(null)({})).toMatchObject({ kind: 'dead' });
    expect(await sendOf(sample())({ event: 'contact-message.answered' })).toMatchObject({ kind: 'dead' });
    expect(await readdir(folder)).toEqual([]);
  });
});
