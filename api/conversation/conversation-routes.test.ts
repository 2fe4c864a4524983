// @module-tag slow
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminConversation, sendReply } from '../../data/contract/admin-conversation.ts';
import { endWaiting } from '../../data/contract/admin-work.ts';
import { FILE_LIMITS } from '../../data/model/conversation.ts';
import { sampleAnswer } from '../../data/store/testing/sample-messages.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { askAs, signedInAdmin } from '../admin/testing/team.ts';
import { createMailSender } from '../delivery/mail/mail-sender.ts';
import { type MailTransport, mailFields, type OutgoingMail } from '../delivery/mail/mail-transport.ts';
import { createSmtpTransport } from '../delivery/mail/smtp-transport.ts';
import type { SendOutcome } from '../delivery/send-outcome.ts';
import { composeTeamNotice } from '../delivery/telegram/notice.ts';
import { ORGANIZATION } from '../delivery/testing/organization.ts';
import { startSmtpPeer } from '../delivery/testing/smtp-peer.ts';
import { DamagedDocumentError, sealDocument } from '../documents/sealed-document.ts';
import { blankPng, samplePdf } from '../documents/testing/sample-documents.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { createReplyComposer } from './reply-mail.ts';

const CONVERSATION_PATH = '/api/admin/conversation';
const ORIGIN = 'https://portal.example.com';

describe('a record’s conversation', () => {
  let portal: TestPortal;
  let viewerToken: string;
  let reviewerToken: string;
  let referenceNumber: string;
  beforeEach(async () => {
    portal = await startTestPortal();
    const tokenOf = async (username: string, role: 'viewer' | 'reviewer') =>
      (await signedInAdmin(portal.store, { username, role, at: TEST_START })).token;
    viewerToken = await tokenOf('viola', 'viewer');
    reviewerToken = await tokenOf('grace', 'reviewer');
    referenceNumber = await submitApplication(portal.store);
  });
  afterEach(() => portal.close());

  const call = async (token: string, path: string, requestBody?: unknown) => {
    const { status, body } = await askAs(portal, token, path, requestBody);
    return { status, body: JSON.parse(body) };
  };
  const reply = (changes: object = {}) =>
    call(reviewerToken, `${CONVERSATION_PATH}/reply`, {
      referenceNumber,
      kind: 'question',
      subject: 'Your stake',
      text: 'Dear Ada,\nplease tell us more.\n\n<b>Grace</b>',
      after: null,
      ...changes,
    });
  const readConversation = async () =>
    adminConversation.response.parse(
      (await call(viewerToken, `${CONVERSATION_PATH}?reference=${referenceNumber}`)).body,
    );
  const receiveAnswer = (changes: object = {}) =>
    portal.store.conversations.receive(
      sampleAnswer(referenceNumber, {
        at: portal.now(),
        sender: 'ADA+x@example.com',
        subject: 'Re: Your stake',
        text: 'Here it is.',
        mailId: 'answer@example.com',
        ...changes,
      }),
    );

  const deliver = async (transport: MailTransport) => {
    const { submissions, conversations, alerts, admins, records, cards, deliveries } = portal.store;
    const send = createMailSender({
      ...{ submissions, conversations, alerts, admins, records, cards, deliveries, transport },
      masterKey: TEST_MASTER_KEY,
      from: { name: 'BlackDuck', address: 'portal@example.com' },
      teamAddress: 'team@example.com',
      origin: ORIGIN,
      teamOrigin: ORIGIN,
      decimals: async () => 6,
      confirmationToken: () => '',
      adminLinkToken: () => '',
      organization: ORGANIZATION,
      replies: createReplyComposer({
        organization: ORGANIZATION,
        origin: () => ORIGIN,
        inboundAddress: 'in+{reference}@example.com',
      }),
    });
    const queued = await deliveries.deliveriesOf(referenceNumber);
    const mails = queued.filter(({ event, channel }) => event.includes(':') && channel === 'mail');
    const outcomes: SendOutcome[] = [];
    for (const mail of mails) outcomes.push(await send(mail, new AbortController().signal));
    return outcomes;
  };

  it('shows messages with the state of their emails, and waits for an answer after a question', async () => {
    const { body } = await reply();
    const { message } = sendReply.response.parse(body);
    expect(message).toMatchObject({ kind: 'question', by: 'grace', delivery: { state: 'waiting' } });
    const afterQuestion = await readConversation();
    expect(afterQuestion.messages).toEqual([message]);
    expect(afterQuestion).toMatchObject({
      isWaiting: true,
      answersArrive: false,
      variables: { name: 'Ada Lovelace', reference: referenceNumber, tier: 'Banker', admin: 'viola' },
    });
    await receiveAnswer({
      kind: 'automatic-answer',
      sender: 'other@example.com',
      mailId: 'automatic@example.com',
    });
    expect((await readConversation()).isWaiting).toBe(true);
    await receiveAnswer();
    const afterAnswer = await readConversation();
    expect(afterAnswer.isWaiting).toBe(false);
    expect(afterAnswer.messages.map(({ isFromOther }) => isFromOther)).toEqual([false, true, false]);
  });

  it('fills templates only with a checked tier, not with one that the applicant stated', async () => {
    const unchecked = { statedTier: 'Raven', checked: null } as const;
    referenceNumber = await submitApplication(portal.store, { email: 'bo@example.com', ...unchecked });
    expect((await readConversation()).variables.tier).toBe('your tier');
  });

  it('no longer waits once the team ends the wait', async () => {
    await reply();
    const dueAt = async () => (await portal.store.records.record(referenceNumber))?.record.dueAt ?? null;
    expect(await dueAt()).toBeNull();
    const endWait = async () => call(reviewerToken, endWaiting.path, { referenceNumber });
    const { body } = await endWait();
    const response = endWaiting.response.parse(body);
    expect(Date.parse(String(response.dueAt))).toBe(await dueAt());
    expect((await readConversation()).isWaiting).toBe(false);
    expect((await endWait()).body.code).toBe('not-waiting');
    const unknown = { referenceNumber: 'BD-20260102-999999' };
    expect((await call(reviewerToken, endWaiting.path, unknown)).body.code).toBe('unknown-record');
  });

  it('shows the emails of merged records with their state', async () => {
    const { body } = await reply();
    const kept = await submitApplication(portal.store, { email: 'zoe@example.org' });
    await receiveAnswer();
    const seenRecord = async (reference: string) => {
      const fullRecord = await portal.store.records.record(reference);
      return { referenceNumber: reference, changedAt: fullRecord?.record.changedAt ?? 0 };
    };
    const mergeRequest = { kept: await seenRecord(kept), merged: [await seenRecord(referenceNumber)] };
    const actor = { adminId: 'grace', address: '::1', at: portal.now() };
    expect((await portal.store.records.merge(mergeRequest, actor)).kind).toBe('merged');
    referenceNumber = kept;
    expect((await readConversation()).messages).toMatchObject([
      { delivery: body.message.delivery },
      { delivery: null, isFromOther: false },
    ]);
  });

  it('sends nothing for an unfilled variable, a long subject, an unknown record or an outdated view', async () => {
    const outcomes = [
      await reply({ text: 'Dear {name}' }),
      await reply({ subject: 'x'.repeat(151) }),
      await reply({ referenceNumber: 'BD-20260102-999999' }),
      await reply({ after: 'another' }),
    ];
    expect(outcomes.map(({ body }) => body.code)).toEqual([
      'invalid-body',
      'invalid-body',
      'unknown-record',
      'conversation-changed',
    ]);
    expect((await readConversation()).messages).toEqual([]);
  });

  it('previews exactly the email that is sent, which continues the thread and directs answers to the inbound address', async () => {
    await receiveAnswer();
    const after = (await readConversation()).messages.at(-1)?.id;
    await reply({ after });
    const sent: OutgoingMail[] = [];
    await deliver(async (mail) => {
      sent.push(mail);
      return { kind: 'sent', providerId: null };
    });
    const mail = sent.find(({ to }) => to === 'ada@example.com');
    if (mail === undefined) throw new Error('No email went to the person.');
    const preview = await call(reviewerToken, `${CONVERSATION_PATH}/preview`, {
      referenceNumber,
      subject: 'Your stake',
      text: 'Dear Ada,\nplease tell us more.\n\n<b>Grace</b>',
    });
    const { subject, html, text } = mail;
    expect(preview.body).toMatchObject({ subject, html, text, to: 'ada@example.com' });
    expect(subject).toBe(`Your stake ${referenceNumber}`);
    expect(html).toContain('&lt;b&gt;Grace');
    expect(text).toContain('Dear Ada,\nplease tell us more.\n\n<b>Grace</b>');
    expect(mailFields(mail)).toMatchObject({
      replyTo: { address: `in+${referenceNumber}@example.com` },
      inReplyTo: '<answer@example.com>',
      references: [`<${referenceNumber}.applicant@portal.example.com>`, '<answer@example.com>'],
      headers: {},
    });
    expect(sent.find(({ to }) => to === 'team@example.com')).toMatchObject({
      subject: expect.stringContaining(referenceNumber),
      text: expect.stringContaining('Here it is.'),
      replyTo: { address: 'support@example.com' },
    });
  });

  it('shows a file only to reviewers, records each view, and lets a browser run nothing in it', async () => {
    const id = crypto.randomUUID();
    const metadata = { fileName: 'note.txt', mediaType: 'text/plain' };
    const sealed = sealDocument(TEST_MASTER_KEY, id, Buffer.from('<script>alert(1)</script>'));
    const { byteLength } = sealed;
    await receiveAnswer({
      files: [{ ...metadata, ...sealed, id }],
      attachments: [{ ...metadata, byteLength, fileId: id, refusal: null }],
    });
    expect((await readConversation()).messages[0]?.attachments).toEqual([
      { ...metadata, byteLength, fileId: id, refusal: null },
    ]);
    const path = `${CONVERSATION_PATH}/file?id=${id}`;
    expect((await call(viewerToken, path)).body.code).toBe('not-allowed');
    const viewRecords = async () =>
      (await portal.store.auditTrail(9)).filter(({ action }) => action === 'message-file.viewed');
    expect(await viewRecords()).toEqual([]);
    const shown = await askAs(portal, reviewerToken, path);
    expect(shown.body).toBe('<script>alert(1)</script>');
    expect(shown.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': "inline; filename*=UTF-8''note.txt",
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect((await viewRecords()).map(({ details }) => details)).toEqual([
      { referenceNumber, file: id, as: 'view' },
    ]);
    expect((await call(reviewerToken, `${CONVERSATION_PATH}/file?id=${crypto.randomUUID()}`)).body.code).toBe(
      'unknown-document',
    );
  });

  describe('with files from the team', () => {
    const attach = async (
      name: string,
      content: Buffer | string,
      { token = reviewerToken, reference = referenceNumber } = {},
    ) => {
      const form = new FormData();
      form.append('referenceNumber', reference);
      form.append('file', new File([new Uint8Array(Buffer.from(content))], name));
      const response = await fetch(`http://127.0.0.1:${portal.port}${CONVERSATION_PATH}/attach`, {
        method: 'POST',
        body: form,
        headers: { Authorization: `Bearer ${token}` },
      });
      return JSON.parse(await response.text());
    };

    it('sends them as parts of one email over SMTP, byte for byte, and shows them to the team', async () => {
      const pdf = samplePdf();
      const files = [
        (await attach('../terms.exe', pdf)).file,
        (await attach('steps.html', '<b>1.</b> Sign in – done\n')).file,
        (await attach('photo.png', blankPng(40, 20))).file,
      ];
      const mediaTypes = ['application/pdf', 'text/plain', 'image/png'];
      expect(files.map(({ mediaType }) => mediaType)).toEqual(mediaTypes);
      expect(files.map(({ fileName }) => fileName)).toEqual(['terms.pdf', 'steps.txt', 'photo.png']);
      const { body } = await reply({ files: files.map(({ id }) => id) });
      const shown = files.map(({ id, ...file }) => ({ ...file, fileId: id, refusal: null }));
      expect(body.message.attachments).toEqual(shown);
      expect((await readConversation()).messages[0]?.attachments).toEqual(shown);
      const stored = await portal.store.conversations.readFile(files[0].id);
      expect(stored?.content.includes('%PDF')).toBe(false);
      const peer = await startSmtpPeer();
      try {
        const server = {
          kind: 'smtp',
          host: '127.0.0.1',
          port: peer.port,
          isSecure: false,
          credentials: null,
        };
        expect(
          await deliver(createSmtpTransport(server as Parameters<typeof createSmtpTransport>[0])),
        ).toMatchObject([{ kind: 'sent' }]);
        const { attachments, html } = peer.received[0]?.parsed ?? expect.fail('No email arrived.');
        expect(html).toContain('please tell us more');
        expect(attachments.map(({ contentType }) => contentType)).toEqual(mediaTypes);
        expect(attachments.map(({ filename }) => filename)).toEqual(files.map(({ fileName }) => fileName));
        expect(attachments[0]?.content.equals(pdf)).toBe(true);
        expect(attachments[1]?.content.toString()).toBe('<b>1.</b> Sign in – done\n');
      } finally {
        await peer.close();
      }
    });

    it('sends nothing if a file has since been deleted or cannot be decrypted', async () => {
      const [one, two] = [(await attach('a.txt', 'a')).file, (await attach('b.txt', 'b')).file];
      await reply({ files: [one.id, two.id] });
      const { conversations } = portal.store;
      const readFile = vi.spyOn(conversations, 'readFile');
      const sent: OutgoingMail[] = [];
      const transport: MailTransport = async (mail) => {
        sent.push(mail);
        return { kind: 'sent', providerId: null };
      };
      const stored = await conversations.readFile(one.id);
      readFile.mockResolvedValueOnce(stored).mockResolvedValueOnce(null);
      expect(await deliver(transport)).toMatchObject([{ kind: 'dead', code: 'no-mail' }]);
      readFile.mockResolvedValueOnce(stored).mockResolvedValueOnce(stored && { ...stored, id: two.id });
      await expect(deliver(transport)).rejects.toThrow(DamagedDocumentError);
      expect(sent).toEqual([]);
      readFile.mockRestore();
      await deliver(transport);
      expect(sent[0]?.files).toHaveLength(2);
    });

    it('refuses files that are empty, unsafe or too large, and other admins’ files', async () => {
      const other = (
        await signedInAdmin(portal.store, { username: 'alan', role: 'reviewer', at: TEST_START })
      ).token;
      const outcomes = [
        await attach('a.txt', 'a', { reference: 'BD-20260102-999999' }),
        await attach('a.txt', 'a', { reference: 'none' }),
        await attach('a.txt', ''),
        await attach('a.pdf', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0])),
        await attach('a.pdf', samplePdf({ catalog: '/OpenAction << /S /JavaScript /JS (hi) >>' })),
        await attach('a.txt', Buffer.alloc(FILE_LIMITS.bytesPerReply + 1, 'a')),
      ];
      expect(outcomes.map(({ code }) => code)).toEqual([
        'unknown-record',
        'invalid-body',
        'invalid-body',
        'document-type',
        'document-active',
        'upload-too-large',
      ]);
      const { file } = await attach('a.txt', 'a', { token: other });
      expect((await reply({ files: [file.id] })).body.code).toBe('file-missing');
      const big = Buffer.alloc(FILE_LIMITS.bytesPerReply, 'a');
      const two = [(await attach('a.txt', big)).file.id, (await attach('b.txt', 'b')).file.id];
      expect((await reply({ files: two })).body.code).toBe('upload-too-large');
      const detach = async (token: string) =>
        (await call(token, `${CONVERSATION_PATH}/detach`, { id: file.id })).body;
      expect((await detach(reviewerToken)).code).toBe('unknown-document');
      expect(await detach(other)).toEqual({ success: true });
      expect((await readConversation()).messages).toEqual([]);
    });
  });

  it('marks a message to support as waiting after a question, and as answered after a reply', async () => {
    referenceNumber = await submitMessage(portal.store);
    const status = async () =>
      (await portal.store.submissions.find('contact-message', referenceNumber))?.status;
    const { body } = await reply();
    expect(await status()).toBe('waiting');
    await reply({ kind: 'reply', after: body.message.id });
    expect(await status()).toBe('answered');
  });

  it('notifies the team’s chat of an answer, but reveals no personal data', async () => {
    await receiveAnswer();
    const notices = (await portal.store.deliveries.deliveriesOf(referenceNumber)).filter(
      ({ event, channel }) => event.includes(':') && channel === 'telegram',
    );
    const texts = notices.map((delivery) => composeTeamNotice(delivery, ORIGIN));
    expect(texts).toEqual([expect.stringContaining(referenceNumber)]);
    expect(texts.join()).not.toMatch(/ada|here it is/i);
  });
});
