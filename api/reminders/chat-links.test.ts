import { describe, expect, it } from 'vitest';
import { addReminder, createTelegramAnswerLink } from '../../data/contract/reminders.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { submitApplication, submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { statusProofs } from '../applications/status-proof.ts';
import { createTelegramSender } from '../delivery/telegram/telegram-sender.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { createChatLinks } from './chat-links.ts';
import {
  API_ORIGIN,
  context,
  DAY_MS,
  EMAIL,
  listReminders,
  ORIGIN,
  portal,
  post,
  readStakesAt,
  requestReminder,
  runReminderJob,
  tokens,
  UNLOCKS_AT,
  useReminderPortal,
  WALLET,
} from './testing/reminder-portal.ts';

describe('a chat', () => {
  useReminderPortal();

  const newChatLinks = () =>
    createChatLinks({
      ...{ store: portal.store, tokens, slot: () => null, answersPerDay: 3, now: () => portal.now() },
    });
  const tokenIn = (url: string) => new URL(url).searchParams.get('start') ?? '';
  const senderTo = (
    chatId: string,
    outcome: Awaited<ReturnType<ReturnType<typeof createTelegramSender>>>,
  ) => {
    const texts: string[] = [];
    const send = createTelegramSender({
      transport: async (notice) => {
        expect(notice.chatId).toBe(chatId);
        texts.push(notice.text);
        return outcome;
      },
      chatId: '-100',
      alerts: { find: async () => null },
      origin: ORIGIN,
      teamOrigin: API_ORIGIN,
      reminders: context,
    });
    return { send, texts };
  };
  const claimOptions = {
    channel: 'telegram',
    now: UNLOCKS_AT,
    leasedUntil: UNLOCKS_AT + DAY_MS,
    limit: 9,
  } as const;

  it('gets reminders without an amount or a wallet, until the person blocks the bot', async () => {
    const { body } = await requestReminder({ channel: 'telegram' });
    const token = tokenIn(addReminder.response.parse(body).chatUrl ?? '');
    expect(token).toMatch(/^[\w-]{1,64}$/);
    expect(await newChatLinks().start(`${token}x`, '42')).toBeNull();
    expect(await newChatLinks().start(token, '42')).toBe('reminder');
    expect(await newChatLinks().start(token, '43')).toBeNull();
    expect(await newChatLinks().count('42')).toEqual({ wallets: 1, records: 0 });
    await readStakesAt(UNLOCKS_AT - DAY_MS);
    expect(await runReminderJob()).toBe(1);
    const [leasedDelivery] = await portal.store.deliveries.claimDue(claimOptions);
    if (!leasedDelivery) throw new Error('Nothing was due.');
    const openChatSender = senderTo('42', { kind: 'sent', providerId: '1' });
    expect((await openChatSender.send(leasedDelivery, new AbortController().signal)).kind).toBe('sent');
    expect(openChatSender.texts[0]).toContain(`${ORIGIN}/my-position`);
    expect(openChatSender.texts[0]).toContain('20 June 2026');
    expect(openChatSender.texts[0]).not.toMatch(/2,000,000|BD\b/);
    expect(openChatSender.texts[0]).not.toContain(WALLET.slice(0, 6));
    const refusal = {
      kind: 'pause',
      reason: 'refused',
      code: '403',
      error: 'Forbidden: bot was blocked',
    } as const;
    const blockedChatSender = senderTo('42', refusal);
    expect(await blockedChatSender.send(leasedDelivery, new AbortController().signal)).toMatchObject({
      kind: 'dead',
      code: '403',
    });
    expect(await listReminders()).toEqual([]);
  });

  it('is notified when the team has answered, without personal data, until it unsubscribes', async () => {
    const referenceNumber = await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START });
    const proof = statusProofs(TEST_MASTER_KEY)(referenceNumber, EMAIL);
    const link = (email: string) =>
      post(createTelegramAnswerLink.path, { referenceNumber, email, proof }, {});
    expect((await link('other@example.com')).body.code).toBe('unknown-submission');
    const { body } = await link('Ada@example.com');
    const token = tokenIn(createTelegramAnswerLink.response.parse(body).chatUrl ?? '');
    expect(token).toMatch(/^[\w-]{1,64}$/);
    expect(await newChatLinks().start(token, '42')).toBe('record');
    expect(await newChatLinks().start(token, '43')).toBeNull();
    const reply = {
      referenceNumber,
      kind: 'reply',
      subject: 'Re',
      text: 'Private words',
      files: [],
      after: null,
    } as const;
    await portal.store.conversations.reply(reply, { adminId: 'admin', address: '::1', at: TEST_START });
    const leasedDelivery = (await portal.store.deliveries.claimDue(claimOptions)).find(
      ({ recipient }) => recipient === '42',
    );
    if (!leasedDelivery) throw new Error('Nothing was due.');
    const sender = senderTo('42', { kind: 'sent', providerId: '1' });
    await sender.send(leasedDelivery, new AbortController().signal);
    expect(sender.texts[0]).toContain(referenceNumber);
    expect(sender.texts[0]).not.toMatch(/Private|ada@/i);
    expect(await newChatLinks().stop('42')).toBe(1);
    expect(await newChatLinks().start(token, '42')).toBeNull();
  });

  it('can be linked to a record only with a proof of the mailbox, except to a new support message', async () => {
    const createdAt = TEST_START - PORTAL_LIMITS.chatLinkMinutes * 60_000;
    const application = await submitApplication(portal.store, { email: EMAIL, createdAt: TEST_START });
    const newMessage = await submitMessage(portal.store, { email: EMAIL, createdAt });
    const oldMessage = await submitMessage(portal.store, { email: EMAIL, createdAt: createdAt - 1 });
    const readChatUrl = async (referenceNumber: string, proof?: string) =>
      (await post(createTelegramAnswerLink.path, { referenceNumber, email: EMAIL, proof }, {})).body.chatUrl;
    expect(await readChatUrl(newMessage)).toMatch(/start=/);
    for (const referenceNumber of [application, oldMessage]) {
      expect(await readChatUrl(referenceNumber)).toBeNull();
      const otherProof = statusProofs(TEST_MASTER_KEY)('BD-20260101-000000', EMAIL);
      expect(await readChatUrl(referenceNumber, otherProof)).toBeNull();
      const proof = statusProofs(TEST_MASTER_KEY)(referenceNumber, EMAIL);
      expect(await readChatUrl(referenceNumber, proof)).toMatch(/start=/);
    }
  });

  it('can answer the team, and each message is stored once in its record, up to a daily limit', async () => {
    const [first = '', second = ''] = [
      await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START }),
      await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START }),
    ];
    let updateNumber = 0;
    const write = (text: string, repliesTo: string | null = null, chatId = '42') => {
      updateNumber += 1;
      const message = {
        id: 1,
        updateId: updateNumber,
        at: portal.now(),
        chatId,
        isPrivate: true,
        username: 'ada_l',
      };
      return newChatLinks().answer({ ...message, text, repliedText: repliesTo });
    };
    const messagesOf = async (reference: string) =>
      (await portal.store.conversations.messagesOf(reference)).map(({ text, sender }) => [text, sender]);
    const link = (referenceNumber: string) =>
      newChatLinks().start(
        tokens.chatToken({ kind: 'record', referenceNumber, issuedAt: portal.now() }),
        '42',
      );
    expect(await write('before')).toBeNull();
    await link(first);
    expect(await write('the only one')).toBe('stored');
    updateNumber -= 1;
    expect(await write('the same update')).toBe('stored');
    await link(second);
    expect(await write('for which?')).toBe('which');
    expect(await write('to the notice', `Answered\n${second}`)).toBe('stored');
    expect(await write(`about ${first.toLowerCase()}`)).toBe('stored');
    expect(await write(`not mine ${first}`, null, '43')).toBeNull();
    expect(await messagesOf(first)).toEqual([
      ['the only one', '@ada_l in Telegram'],
      [`about ${first.toLowerCase()}`, '@ada_l in Telegram'],
    ]);
    expect(await messagesOf(second)).toEqual([['to the notice', '@ada_l in Telegram']]);
    expect(await write(first)).toBe('stored');
    expect(await write(first)).toBe('too-many');
    const teamDeliveries = (await portal.store.deliveries.deliveriesOf(first)).filter(({ event }) =>
      event.startsWith('contact-message.answered'),
    );
    expect(teamDeliveries.map(({ channel }) => channel).toSorted()).toEqual(['mail', 'telegram']);
    await newChatLinks().stop('42');
    expect(await write('after')).toBeNull();
  });

  describe('that is linked to a merged record', () => {
    const issuedAt = TEST_START;
    let updateId = 0;
    const link = (referenceNumber: string) =>
      newChatLinks().start(tokens.chatToken({ kind: 'record', referenceNumber, issuedAt }), '42');
    const write = (text: string) => {
      updateId += 1;
      const incoming = { id: 1, updateId, at: portal.now(), chatId: '42', isPrivate: true, username: null };
      return newChatLinks().answer({ ...incoming, text, repliedText: null });
    };
    const seenState = async (referenceNumber: string) => {
      const found = await portal.store.records.record(referenceNumber);
      return { referenceNumber, changedAt: found?.record.changedAt ?? 0 };
    };
    const merge = async (kept: string, merged: string) =>
      portal.store.records.merge(
        { kept: await seenState(kept), merged: [await seenState(merged)] },
        { adminId: 'admin', address: '::1', at: portal.now() },
      );
    const SUBMISSION = { email: EMAIL, createdAt: TEST_START };

    it('may name either record, and has one limit and one quiet period for both', async () => {
      const kept = await submitApplication(portal.store, SUBMISSION);
      const merged = await submitApplication(portal.store, SUBMISSION);
      await link(merged);
      await merge(kept, merged);
      await link(await submitMessage(portal.store, SUBMISSION));
      const outcomes: unknown[] = [];
      for (const text of ['Hello', merged, kept, kept, merged]) outcomes.push(await write(text));
      expect(outcomes).toEqual(['which', 'stored', 'stored', 'stored', 'too-many']);
      const teamDeliveries = (await portal.store.deliveries.deliveriesOf(kept)).filter(({ event }) =>
        event.startsWith('card-application.answered'),
      );
      expect(teamDeliveries.map(({ channel }) => channel).toSorted()).toEqual(['mail', 'telegram']);
    });

    it('writes to the kept record, even without naming a record, if it has no other links', async () => {
      const kept = await submitApplication(portal.store, SUBMISSION);
      const merged = await submitApplication(portal.store, SUBMISSION);
      await link(kept);
      await link(merged);
      await merge(kept, merged);
      expect(await write('Hello')).toBe('stored');
      expect(await portal.store.conversations.messagesOf(kept)).toHaveLength(1);
    });

    it('cannot reach either record if messages to support were merged', async () => {
      const kept = await submitMessage(portal.store, SUBMISSION);
      const merged = await submitMessage(portal.store, SUBMISSION);
      await link(merged);
      await link(kept);
      await merge(kept, merged);
      expect(await write('Hello')).toBe('merged');
      const application = await submitApplication(portal.store, SUBMISSION);
      await link(application);
      expect(await write(kept)).toBe('merged');
      for (const referenceNumber of [kept, merged]) {
        const proof = statusProofs(TEST_MASTER_KEY)(referenceNumber, EMAIL);
        const payload = { referenceNumber, email: EMAIL, proof };
        expect((await post(createTelegramAnswerLink.path, payload, {})).body.chatUrl).toBeNull();
      }
      expect(await write('Hello')).toBe('stored');
      expect(await portal.store.conversations.messagesOf(kept)).toEqual([]);
    });
  });

  it('cannot use a link that is more than an hour old', async () => {
    const { body } = await requestReminder({ channel: 'telegram' });
    await readStakesAt(TEST_START + 3_600_001);
    expect(await newChatLinks().start(tokenIn(body.chatUrl), '42')).toBeNull();
    const referenceNumber = await submitMessage(portal.store, { createdAt: TEST_START });
    const oldToken = tokens.chatToken({ kind: 'record', referenceNumber, issuedAt: TEST_START });
    expect(await newChatLinks().start(oldToken, '42')).toBeNull();
  });
});
