import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminConversation, sendReply } from '../../data/contract/admin-conversation.ts';
import { sampleAnswer } from '../../data/store/testing/sample-messages.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { askAs, signedInAdmin } from '../admin/testing/team.ts';
import { createMailSender } from '../delivery/mail/mail-sender.ts';
import { mailFields, type OutgoingMail } from '../delivery/mail/mail-transport.ts';
import { composeNotice } from '../delivery/telegram/notice.ts';
import { ORGANIZATION } from '../delivery/testing/organization.ts';
import { sealDocument } from '../documents/sealed-document.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { createReplyMails } from './reply-mail.ts';

const PATH = '/api/admin/conversation';
const ORIGIN = 'https://portal.example.com';

describe('the conversation of a record', () => {
  let portal: TestPortal;
  let viewer: string;
  let reviewer: string;
  let referenceNumber: string;
  beforeEach(async () => {
    portal = await startTestPortal();
    const tokenOf = async (username: string, role: 'viewer' | 'reviewer') =>
      (await signedInAdmin(portal.store, { username, role, at: TEST_START })).token;
    viewer = await tokenOf('viola', 'viewer');
    reviewer = await tokenOf('grace', 'reviewer');
    referenceNumber = await submitApplication(portal.store);
  });
  afterEach(() => portal.close());

  const call = async (token: string, path: string, sent?: unknown) => {
    const { status, body } = await askAs(portal, token, path, sent);
    return { status, body: JSON.parse(body) };
  };
  const reply = (changes: object = {}, token = reviewer) =>
    call(token, `${PATH}/reply`, {
      referenceNumber,
      kind: 'question',
      subject: 'Your stake',
      text: 'Dear Ada,\nplease tell us more.\n\n<b>Grace</b>',
      after: null,
      ...changes,
    });
  const read = async () =>
    adminConversation.response.parse((await call(viewer, `${PATH}?reference=${referenceNumber}`)).body);
  const answer = (changes: object = {}) =>
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

  it('shows messages with the state of their mails, and waits after a question until an answer', async () => {
    const { body } = await reply();
    const { message } = sendReply.response.parse(body);
    expect(message).toMatchObject({ kind: 'question', by: 'grace', delivery: { state: 'waiting' } });
    const asked = await read();
    expect(asked.messages).toEqual([message]);
    expect(asked).toMatchObject({
      isWaiting: true,
      answersArrive: false,
      variables: { name: 'Ada Lovelace', reference: referenceNumber, tier: 'Banker', admin: 'viola' },
    });
    await answer({ kind: 'automatic-answer', sender: 'other@example.com', mailId: 'automatic@example.com' });
    expect((await read()).isWaiting).toBe(true);
    await answer();
    const answered = await read();
    expect(answered.isWaiting).toBe(false);
    expect(answered.messages.map(({ isFromOther }) => isFromOther)).toEqual([false, true, false]);
  });

  it('sends nothing for viewers, with variables left, for no record, or after a newer message', async () => {
    const outcomes = [
      await reply({}, viewer),
      await reply({ text: 'Dear {name}' }),
      await reply({ subject: 'x'.repeat(151) }),
      await reply({ referenceNumber: 'BD-20260102-999999' }),
      await reply({ after: 'another' }),
    ];
    expect(outcomes.map(({ body }) => body.code)).toEqual([
      'not-allowed',
      'invalid-body',
      'invalid-body',
      'unknown-record',
      'conversation-changed',
    ]);
    expect((await read()).messages).toEqual([]);
  });

  it('is previewed as it is sent, with an answer going to the inbound address and in the same thread', async () => {
    await answer();
    const after = (await read()).messages.at(-1)?.id;
    await reply({ after });
    const sent: OutgoingMail[] = [];
    const send = createMailSender({
      submissions: portal.store.submissions,
      conversations: portal.store.conversations,
      alerts: portal.store.alerts,
      admins: portal.store.admins,
      transport: async (mail) => {
        sent.push(mail);
        return { kind: 'sent', providerId: null };
      },
      from: { name: 'BlackDuck', address: 'portal@example.com' },
      team: 'team@example.com',
      origin: ORIGIN,
      teamOrigin: ORIGIN,
      decimals: async () => 6,
      confirmationToken: () => '',
      adminLinkToken: () => '',
      organization: ORGANIZATION,
      replies: createReplyMails({
        organization: ORGANIZATION,
        origin: () => ORIGIN,
        inboundAddress: 'in+{reference}@example.com',
      }),
    });
    const deliveries = await portal.store.deliveries.deliveriesOf(referenceNumber);
    for (const delivery of deliveries.filter(
      ({ event, channel }) => event.includes(':') && channel === 'mail',
    ))
      await send(delivery, new AbortController().signal);
    const mail = sent.find(({ to }) => to === 'ada@example.com');
    if (mail === undefined) throw new Error('No mail went to the person.');
    const preview = await call(reviewer, `${PATH}/preview`, {
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
      replyTo: null,
    });
  });

  it('shows a file to reviewers only, logs the view first, and lets a browser run nothing in it', async () => {
    const id = crypto.randomUUID();
    const facts = { fileName: 'note.txt', mediaType: 'text/plain' };
    const sealed = sealDocument(TEST_MASTER_KEY, id, Buffer.from('<script>alert(1)</script>'));
    const { byteLength } = sealed;
    await answer({
      files: [{ ...facts, ...sealed, id }],
      attachments: [{ ...facts, byteLength, fileId: id, refusal: null }],
    });
    expect((await read()).messages[0]?.attachments).toEqual([
      { ...facts, byteLength, fileId: id, refusal: null },
    ]);
    const path = `${PATH}/file?id=${id}`;
    expect((await call(viewer, path)).body.code).toBe('not-allowed');
    const viewed = async () =>
      (await portal.store.auditTrail(9)).filter(({ action }) => action === 'message-file.viewed');
    expect(await viewed()).toEqual([]);
    const shown = await askAs(portal, reviewer, path);
    expect(shown.body).toBe('<script>alert(1)</script>');
    expect(shown.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': "inline; filename*=UTF-8''note.txt",
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect((await viewed()).map(({ details }) => details)).toEqual([
      { referenceNumber, file: id, as: 'view' },
    ]);
    expect((await call(reviewer, `${PATH}/file?id=${crypto.randomUUID()}`)).body.code).toBe(
      'unknown-document',
    );
  });

  it('makes a message to support wait after a question, and answers it with a reply', async () => {
    referenceNumber = await submitMessage(portal.store);
    const status = async () =>
      (await portal.store.submissions.find('contact-message', referenceNumber))?.status;
    const { body } = await reply();
    expect(await status()).toBe('waiting');
    await reply({ kind: 'reply', after: body.message.id });
    expect(await status()).toBe('answered');
  });

  it('notifies the team’s chat of an answer without personal data', async () => {
    await answer();
    const notices = (await portal.store.deliveries.deliveriesOf(referenceNumber)).filter(
      ({ event, channel }) => event.includes(':') && channel === 'telegram',
    );
    const texts = notices.map((delivery) => composeNotice(delivery, ORIGIN));
    expect(texts).toEqual([expect.stringContaining(referenceNumber)]);
    expect(texts.join()).not.toMatch(/ada|here it is/i);
  });
});
