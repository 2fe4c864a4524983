// @module-tag slow
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rateLimits } from '../../data/config/rate-limits.ts';
import { FILE_LIMITS, MAX_MAIL_BYTES } from '../../data/model/conversation.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { store, useAppStore } from '../../data/store/testing/test-stores.ts';
import { openDocument } from '../documents/sealed-document.ts';
import { blankPng, samplePdf } from '../documents/testing/sample-documents.ts';
import { TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { readMail } from './read-mail.ts';
import { type InboundMailContext, storeMail, takeMail } from './take-mail.ts';
import { mailContext } from './testing/mail-context.ts';

const AT = Date.UTC(2026, 0, 3);

function mail(headers: Readonly<Record<string, string>> = {}, body = 'Here it is.'): Buffer {
  const all = {
    From: 'Ada <ADA@example.com>',
    To: 'answers@example.com',
    Subject: 'Re: Your stake',
    'Message-ID': '<answer@example.com>',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([...lines, '', body, ''].join('\r\n'));
}

const CLAIM = { channel: 'mail', now: AT, leasedUntil: AT + 1, limit: 9 } as const;
const SENT_ATTEMPT = {
  at: AT,
  outcome: 'sent',
  providerId: null,
  code: null,
  error: null,
  maskedRecipient: '…',
  latencyMs: 1,
} as const;

const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const attachedPart = (name: string, type: string, content: Buffer) =>
  `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`;
const MULTIPART = { 'MIME-Version': '1.0', 'Content-Type': 'multipart/mixed; boundary=b' };

describe('an incoming email', () => {
  useAppStore();

  /** Reads the email in this process, which is much faster than in the program that `takeMail` starts. */
  const take = async (raw: Uint8Array, changes: Partial<InboundMailContext> = {}) =>
    storeMail(await readMail(raw), mailContext(store, { now: () => AT, ...changes }));
  const takeInProgram = (raw: Uint8Array) => takeMail(raw, mailContext(store, { now: () => AT }));
  const storedMessages = async (reference: string) =>
    (await store.conversations.messagesOf(reference)).map(({ kind, sender, text }) => [kind, sender, text]);
  const answerDeliveries = async (reference: string) =>
    (await store.deliveries.deliveriesOf(reference)).filter(({ event }) => event.includes('.answered:'));

  it('goes to the record of the email that it answers, even if the portal’s domain has changed since', async () => {
    const reference = await submitApplication(store);
    const other = await submitApplication(store);
    const [delivery] = await store.deliveries.deliveriesOf(reference);
    const named = { 'In-Reply-To': `<${delivery?.id}@old.example>`, Subject: `Re: ${other}` };
    expect(await take(mail(named))).toBe('answer');
    const receipt = { References: `<x@y> <${reference}.applicant@portal.example>`, 'Message-ID': '<two@x>' };
    expect(await take(mail(receipt))).toBe('answer');
    expect(await storedMessages(reference)).toEqual([
      ['answer', 'ADA@example.com', 'Here it is.'],
      ['answer', 'ADA@example.com', 'Here it is.'],
    ]);
    expect(await storedMessages(other)).toEqual([]);
    expect(await answerDeliveries(reference)).toHaveLength(2);
  });

  it('goes to the record that its recipient or subject names, and keeps its sender’s address', async () => {
    const reference = await submitApplication(store);
    const tagged = { To: `answers+${reference.toLowerCase()}@example.com`, From: 'eve@example.org' };
    expect(await take(mail(tagged))).toBe('answer');
    expect(await take(mail({ Subject: `AW: ${reference} x`, 'Message-ID': '<two@x>' }))).toBe('answer');
    expect((await storedMessages(reference)).map(([, sender]) => sender)).toEqual([
      'eve@example.org',
      'ADA@example.com',
    ]);
  });

  it('becomes one message to support, without a receipt to its sender, if it names no known record', async () => {
    const unknown = { Subject: 'About BD-20260101-123456', From: '=?utf-8?q?=C5=81uk?= <luk@example.org>' };
    const long = `Hello.\n${'word '.repeat(2_000)}`;
    expect(await take(mail(unknown, long))).toBe('new');
    expect(await take(mail(unknown, long))).toBe('known');
    const { records } = await store.erasures.find({ email: 'luk@example.org', walletAddress: null });
    expect(records).toHaveLength(1);
    const [{ referenceNumber = '' } = {}] = records;
    const stored = await store.submissions.find('contact-message', referenceNumber);
    expect(stored).toMatchObject({ name: 'Łuk', email: 'luk@example.org', subject: unknown.Subject });
    expect((await storedMessages(referenceNumber))[0]?.[2]).toBe(long.trim());
    const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
    expect(deliveries.map(({ audience, event }) => [audience, event])).toEqual([
      ['team', 'contact-message.received'],
      ['team', 'contact-message.received'],
    ]);
  });

  it('becomes one message to support even if it is read again days later', async () => {
    const outcomes: string[] = [];
    for (const days of [0, 1, 3, 6]) {
      const now = () => AT + days * 86_400_000;
      outcomes.push(await take(mail(), { now }));
    }
    expect(outcomes).toEqual(['new', 'known', 'known', 'known']);
    expect(await store.records.counts(0)).toMatchObject({ contacts: { open: 1 } });
  });

  it('is not stored beyond its sender’s daily limit of messages to support, unless it is an answer', async () => {
    const reference = await submitApplication(store);
    const write = (id: string, headers = {}) => take(mail({ 'Message-ID': `<${id}@x>`, ...headers }));
    expect(await write('one')).toBe('new');
    expect(await write('two', { From: 'ada+other@example.com' })).toBe('new');
    expect(await write('three')).toBe('limited');
    expect(await write('one')).toBe('known');
    expect(await write('four', { From: 'eve@example.com' })).toBe('new');
    expect(await write('five', { Subject: reference })).toBe('answer');
    expect(await store.records.counts(0)).toMatchObject({ contacts: { open: 3 } });
  });

  it('is not stored beyond its record’s daily limit, which counts the applicant, others and programs separately', async () => {
    const [kept = '', merged = ''] = [await submitMessage(store), await submitMessage(store)];
    const seen = async (referenceNumber: string) => ({
      referenceNumber,
      changedAt: (await store.submissions.find('contact-message', referenceNumber))?.changedAt ?? 0,
    });
    const actor = { adminId: 'admin-one', address: '::1', at: AT };
    await store.records.merge({ kept: await seen(kept), merged: [await seen(merged)] }, actor);
    const write = (id: string, headers = {}, at = AT) =>
      take(mail({ Subject: kept, 'Message-ID': `<${id}@x>`, ...headers }), {
        now: () => at,
        rateLimits: rateLimits({ 'inbound-answers-of-record': 2 }),
      });
    expect(await write('one')).toBe('answer');
    expect(await write('two', { Subject: merged })).toBe('answer');
    expect(await write('three', { Subject: merged })).toBe('limited');
    expect(await write('of another person', { From: 'eve@example.org' })).toBe('answer');
    expect(await write('two')).toBe('known');
    expect(await write('four', { Precedence: 'bulk' })).toBe('automatic');
    expect(await write('three', {}, AT + 86_400_000)).toBe('answer');
    expect(await store.conversations.messagesOf(kept)).toHaveLength(5);
  });

  it('notifies the team, unless the sender’s previous answer came under ten minutes ago and got no reply', async () => {
    const reference = await submitApplication(store);
    const noticesAfter = async (id: string, minutes: number, headers = {}) => {
      const now = () => AT + minutes * 60_000;
      const raw = mail({ Subject: reference, 'Message-ID': `<${id}@x>`, ...headers });
      await take(raw, { now });
      return (await answerDeliveries(reference)).length / 2;
    };
    expect(await noticesAfter('program', 0, { Precedence: 'bulk' })).toBe(0);
    expect(await noticesAfter('one', 1)).toBe(1);
    expect(await noticesAfter('two', 10)).toBe(1);
    expect(await noticesAfter('three', 20)).toBe(2);
    expect(await noticesAfter('of another person', 29, { From: 'eve@example.org' })).toBe(3);
    expect(await noticesAfter('after another person', 30)).toBe(4);
    const reply = {
      referenceNumber: reference,
      kind: 'reply',
      subject: 'Re',
      text: 'Yes',
      files: [],
    } as const;
    const after = (await store.conversations.messagesOf(reference)).at(-1)?.id ?? null;
    const actor = { adminId: 'admin-one', address: '::1', at: AT + 31 * 60_000 };
    expect((await store.conversations.reply({ ...reply, after }, actor)).kind).toBe('sent');
    expect(await noticesAfter('four', 32)).toBe(5);
  });

  it('from a program is marked as automatic, notifies nobody, and is dropped if it names no record', async () => {
    const reference = await submitApplication(store);
    const automaticHeaders = [
      { 'Auto-Submitted': 'auto-replied' },
      { Precedence: 'bulk' },
      { 'X-Auto-Response-Suppress': 'All' },
      { 'Return-Path': '<>' },
      { From: 'MAILER-DAEMON@example.org' },
    ];
    for (const [index, sign] of automaticHeaders.entries()) {
      const named = { Subject: reference, 'Message-ID': `<${index}@x>`, ...sign };
      expect(await take(mail(named)), JSON.stringify(sign)).toBe('automatic');
      expect(await take(mail({ 'Message-ID': `<${index}@y>`, ...sign })), JSON.stringify(sign)).toBe(
        'dropped',
      );
    }
    expect((await storedMessages(reference)).map(([kind]) => kind)).toEqual(
      automaticHeaders.map(() => 'automatic-answer'),
    );
    expect(await answerDeliveries(reference)).toEqual([]);
    expect(await take(mail({ Subject: reference, 'Auto-Submitted': 'no' }))).toBe('answer');
  });

  it('reopens a closed message to support, unless a program sent the email', async () => {
    const reference = await submitMessage(store);
    const status = async () => (await store.submissions.find('contact-message', reference))?.status;
    const actor = { adminId: 'admin-one', address: '::1', at: AT };
    const { changedAt = 0 } = (await store.submissions.find('contact-message', reference)) ?? {};
    const closing = { referenceNumber: reference, changedAt, status: 'closed', reason: null } as const;
    await store.records.decideContact(closing, actor);
    await take(mail({ Subject: reference, Precedence: 'bulk', 'Message-ID': '<one@x>' }));
    expect(await status()).toBe('closed');
    await take(mail({ Subject: reference }));
    expect(await status()).toBe('open');
  });

  it('is ignored if the portal itself sent it', async () => {
    const reference = await submitApplication(store);
    expect(await take(mail({ From: 'Portal <portal+x@example.com>', Subject: reference }))).toBe('own');
    expect(await storedMessages(reference)).toEqual([]);
  });

  it('that reports a failed delivery marks only the email to that recipient as failed', async () => {
    const reference = await submitApplication(store);
    const report = (action: string, recipient: string) =>
      mail(
        {
          From: 'MAILER-DAEMON@example.org',
          'Message-ID': `<${action}@example.org>`,
          'MIME-Version': '1.0',
          'Content-Type': 'multipart/report;\r\n report-type=delivery-status;\r\n boundary="b"',
        },
        part('text/plain', 'Sorry.') +
          part(
            'message/delivery-status',
            `Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; ${recipient}\r\nAction: ${action}\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n no such user`,
          ) +
          part(
            'text/rfc822-headers',
            `From: x\r\nMessage-ID:\r\n <${reference}.applicant@portal.example.com>\r\nTo: y`,
          ) +
          '--b--',
      );
    for (const { id, fence } of await store.deliveries.claimDue(CLAIM))
      await store.deliveries.recordAttempt({ id, fence }, SENT_ATTEMPT, { state: 'sent' });
    const state = async () =>
      (await store.deliveries.deliveriesOf(reference)).find(
        ({ channel, audience }) => channel === 'mail' && audience === 'applicant',
      )?.state;
    expect(await take(report('delayed', 'ada@example.com'))).toBe('dropped');
    expect(await take(report('failed', 'eve@example.com'))).toBe('bounce');
    expect(await state()).toBe('sent');
    expect(await take(report('failed', 'ada@example.com'))).toBe('bounce');
    expect(await state()).toBe('dead');
    const repeated = report('failed', 'ada@example.com')
      .toString()
      .replace(/Final-Recipient.*user/s, (group) => `${group}\r\n\r\n`.repeat(1_000));
    expect((await readMail(Buffer.from(repeated))).bounces).toHaveLength(50);
    expect((await readMail(report('failed', 'ada@example.com'))).bounces).toEqual([
      {
        messageId: `${reference}.applicant@portal.example.com`,
        recipient: 'ada@example.com',
        code: '5.1.1',
        text: '550 5.1.1 no such user',
      },
    ]);
  });

  it('is read as plain text without invisible characters, with the names and types of attachments', async () => {
    const html = '<style>p{}</style><p>One<br>two</p><script>alert(1)</script><img src=x alt=pixel>';
    const attached = `--b\r\nContent-Type: application/x-sh; name="../\u202Eevil\u0000.sh"\r\nContent-Disposition: attachment\r\n\r\nhello\r\n`;
    const read = await readMail(
      mail({ ...MULTIPART, Subject: ' two\u202E\r\n lines ' }, `${part('text/html', html)}${attached}--b--`),
    );
    expect(read.text).toBe('One\ntwo');
    expect(read.subject).toBe('two lines');
    expect(read.attachments).toMatchObject([
      { fileName: '../evil.sh', mediaType: 'application/x-sh', isCut: false },
    ]);
  });

  it('is read quickly even if it has long runs of spaces', async () => {
    const gap = `a${' '.repeat(1_000_000)}b`;
    const word = `=?utf-8?b?${Buffer.from(gap.slice(0, 150_000)).toString('base64')}?=`;
    const body = `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(`One \n${gap}`).toString('base64')}\r\n`;
    const read = await readMail(mail({ ...MULTIPART, Subject: word }, `${body}--b--`));
    expect(read.text).toBe('One\na');
    expect(read.subject).toBe('a');
  });

  it('is unreadable if reading it takes too much time or memory, and other emails are still read', async () => {
    const slow = `${part('text/plain', 'Hello')}${part('text/html', '<a href="'.repeat(1_000_000))}--b--`;
    const lines = `${'x'.repeat(47)}\r\n`.repeat(299_000);
    const pdf = attachedPart(
      'a.pdf',
      'application/pdf',
      samplePdf({ inside: `%${'x'.repeat(10_000_000)}\n` }),
    );
    const outcomes = await Promise.all([
      takeInProgram(mail({ ...MULTIPART, 'Message-ID': '<slow@x>' }, slow)),
      takeInProgram(mail({ 'Message-ID': '<lines@x>' }, lines)),
      takeInProgram(
        mail({ ...MULTIPART, 'Message-ID': '<other@x>' }, `${part('text/plain', 'Hello')}${pdf}--b--`),
      ),
    ]);
    expect(outcomes).toEqual(['unreadable', 'unreadable', 'new']);
  });

  it('is left for later if the program that reads it cannot start', async () => {
    const { execPath } = process;
    process.execPath = '/missing';
    await expect(takeInProgram(mail())).rejects.toBeInstanceOf(StoreUnavailableError);
    process.execPath = execPath;
    expect(await takeInProgram(mail())).toBe('new');
  });

  it('has its allowed files stored encrypted, and the reason recorded for each refused file', async () => {
    const reference = await submitApplication(store);
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    const webp = await sharp(blankPng(3, 2)).webp().toBuffer();
    const files: readonly (readonly [name: string, type: string, content: Buffer])[] = [
      ['../photo.exe', 'application/x-msdownload', blankPng(2, 2)],
      ['a.webp', 'image/webp', webp],
      ['note', 'text/plain', Buffer.from('Zażółć <script>')],
      ['doc', 'application/octet-stream', samplePdf()],
      ['picture.jpg', 'image/jpeg', heic],
      ['photo.png', 'image/png', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')],
      [
        'run.pdf',
        'application/pdf',
        samplePdf({ catalog: '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>' }),
      ],
      ['bytes.txt', 'text/plain', Buffer.from([0xff, 0xfe, 0x00])],
    ];
    const parts = files.map(([name, type, content]) => attachedPart(name, type, content)).join('');
    const raw = mail({ ...MULTIPART, Subject: reference }, `${part('text/plain', 'Look.')}${parts}--b--`);
    expect(await takeInProgram(raw)).toBe('answer');
    const attachments = (await store.conversations.messagesOf(reference))[0]?.attachments ?? [];
    expect(attachments.map(({ fileName, mediaType, refusal }) => [fileName, mediaType, refusal])).toEqual([
      ['photo.png', 'image/png', null],
      ['a.jpg', 'image/jpeg', null],
      ['note.txt', 'text/plain', null],
      ['doc.pdf', 'application/pdf', null],
      ['picture.heic', 'image/heic', null],
      ['photo.png', 'application/zip', 'type'],
      ['run.pdf', 'application/pdf', 'active'],
      ['bytes.txt', 'text/plain', 'type'],
    ]);
    const [, , note] = attachments;
    const stored = await store.conversations.readFile(note?.fileId ?? '');
    if (!stored) throw new Error('The file is not stored.');
    expect(openDocument(TEST_MASTER_KEY, stored.id, stored).toString()).toBe('Zażółć <script>');
    expect(stored.content.includes('script')).toBe(false);
  });

  it('has its files stored up to the limit, but not if a program sent it or disk space is low', async () => {
    const reference = await submitApplication(store);
    const many = Array.from({ length: FILE_LIMITS.perMail + 1 }, (_, index) =>
      attachedPart(`${index}.txt`, 'text/plain', Buffer.from(`${index}`)),
    ).join('');
    const send = (id: string, headers = {}, changes = {}) =>
      take(
        mail({ ...MULTIPART, Subject: reference, 'Message-ID': `<${id}@x>`, ...headers }, `${many}--b--`),
        changes,
      );
    await send('one');
    await send('two', { Precedence: 'bulk' });
    await send('three', {}, { isDiskSpaceLow: () => true });
    const refusals = (await store.conversations.messagesOf(reference)).map(({ attachments }) =>
      attachments.map(({ refusal }) => refusal),
    );
    expect(refusals[0]).toEqual([...Array(FILE_LIMITS.perMail).fill(null), 'too-many']);
    expect(new Set(refusals[1])).toEqual(new Set(['automatic']));
    expect(new Set(refusals[2])).toEqual(new Set(['no-space']));
  });

  it('that was cut off at the size limit has only its last file marked as cut', async () => {
    const cut = Buffer.alloc(MAX_MAIL_BYTES, 'a');
    const complete = attachedPart('one.txt', 'text/plain', Buffer.from('one'));
    const head = `${complete}--b\r\nContent-Type: text/plain; name="two.txt"\r\nContent-Disposition: attachment\r\n\r\n`;
    mail({ ...MULTIPART }, head).copy(cut);
    expect((await readMail(cut)).attachments.map(({ isCut }) => isCut)).toEqual([false, true]);
  });

  it('is stored once even without a Message-ID, and is not read if it is nested too deeply or has too many lines', async () => {
    const reference = await submitApplication(store);
    const raw = mail({ Subject: reference, 'Message-ID': 'none' });
    expect([await take(raw), await take(raw)]).toEqual(['answer', 'known']);
    let nested = 'x';
    for (let depth = 0; depth < 30; depth += 1)
      nested = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${nested}\r\n--b${depth}--`;
    expect(await takeInProgram(Buffer.from(`From: ada@example.com\r\n${nested}`))).toBe('unreadable');
    await expect(readMail(mail({}, '\n'.repeat(300_000)))).rejects.toThrow('lines');
  });
});
