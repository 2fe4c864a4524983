import { describe, expect, it } from 'vitest';
import { REMINDER_CONFIRMATION_EVENT } from '../rules/received-submission.ts';
import type { NewNotice, Subscription } from '../subscription-port.ts';
import { submitApplication, submitMessage } from '../testing/sample-submissions.ts';
import { openPrograms, store, useAppStore } from '../testing/test-stores.ts';

const AT = 1_767_225_600_000;
const DAY_MS = 86_400_000;
const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const EMAIL = 'Ada@example.com';
const LIMITS = { perChannel: 2, perAddress: 3, since: AT - DAY_MS };

type SubscriptionRequest = Parameters<typeof store.subscriptions.request>[0];

describe('subscriptions to the stakes of a wallet', () => {
  useAppStore();

  const request = (changes: Partial<SubscriptionRequest> = {}, limits = LIMITS) =>
    store.subscriptions.request(
      {
        id: 'one',
        subject: WALLET,
        channel: 'mail',
        target: EMAIL,
        requestedAt: AT,
        fromSlot: null,
        ...changes,
      },
      limits,
    );
  const confirm = (id = 'one', target: string | null = null, requestedSince = AT) =>
    store.subscriptions.confirm({ id, target, requestedSince }, { at: AT + 1, fromSlot: 7 });
  const addConfirmed = async (changes: Partial<SubscriptionRequest> = {}): Promise<Subscription> => {
    await request(changes);
    const subscription = await confirm(changes.id, changes.channel === 'telegram' ? '42' : null);
    if (!subscription) throw new Error('The subscription was not confirmed.');
    return subscription;
  };
  const deliveriesOf = (id: string) => store.deliveries.deliveriesOf(id);

  it('begin once the address is confirmed through the email that is queued with the request', async () => {
    expect(await request()).toBe('stored');
    expect(await deliveriesOf('one')).toMatchObject([
      { event: REMINDER_CONFIRMATION_EVENT, channel: 'mail', audience: 'applicant', recipient: EMAIL },
    ]);
    expect(await store.subscriptions.confirmedForStakes()).toEqual([]);
    expect(await confirm('one', null, AT + 1)).toBeNull();
    expect(await confirm('another')).toBeNull();
    const subscription = await confirm();
    expect(subscription).toEqual({
      ...{ id: 'one', about: 'stakes', subject: WALLET, channel: 'mail', target: EMAIL },
      ...{ requestedAt: AT, confirmedAt: AT + 1, fromSlot: 7, idleSince: null },
    });
    expect(await confirm()).toEqual(subscription);
    expect(await store.subscriptions.confirmedForStakes()).toEqual([subscription]);
    expect(await request({ id: 'again' })).toBe('known');
  });

  it('replace an unconfirmed request, and its email is not sent', async () => {
    await request();
    expect(await request({ id: 'two', requestedAt: AT + 5 })).toBe('stored');
    expect(await store.subscriptions.ofWallet(WALLET)).toMatchObject([{ id: 'two' }]);
    expect(await deliveriesOf('one')).toMatchObject([{ state: 'settled', recipient: null }]);
    expect(await confirm()).toBeNull();
  });

  it('are limited per wallet and channel, and per mailbox, where ended subscriptions also count', async () => {
    await request({ id: 'a', target: 'a@example.com' });
    await request({ id: 'b', target: 'b@example.com' });
    expect(await request({ id: 'c', target: 'c@example.com' })).toBe('full');
    expect(await request({ id: 'd', channel: 'telegram', target: null })).toBe('stored');
    for (const id of ['1', '2', '3']) {
      expect(
        await request({ id, subject: `wallet ${id}`, target: `A+${id}@example.com`.toLowerCase() }),
      ).toBe(id === '3' ? 'too-many' : 'stored');
      await store.subscriptions.end(id, null, AT);
    }
    expect(await request({ id: '4', subject: 'wallet 4', target: 'A@example.com' })).toBe('too-many');
  });

  it('have only one unused link to a chat at a time', async () => {
    for (const id of ['one', 'two', 'three'])
      expect(await request({ id, channel: 'telegram', target: null })).toBe('stored');
    expect(await store.subscriptions.ofWallet(WALLET)).toMatchObject([{ id: 'three' }]);
    expect(await confirm('one', '42')).toBeNull();
    expect(await confirm('three', '42')).toMatchObject({ target: '42' });
    expect(await request({ channel: 'telegram', target: null, id: 'four' })).toBe('stored');
    expect(await store.subscriptions.ofWallet(WALLET)).toHaveLength(2);
  });

  it('are linked to the first chat that uses the link', async () => {
    await request({ channel: 'telegram', target: null });
    expect(await confirm('one', '42')).toMatchObject({ target: '42', confirmedAt: AT + 1 });
    expect(await confirm('one', '42')).not.toBeNull();
    expect(await confirm('one', '43')).toBeNull();
    await request({ id: 'two', channel: 'telegram', target: null });
    expect(await confirm('two', '42')).toMatchObject({ id: 'one' });
    expect(await store.subscriptions.ofChat('42')).toMatchObject([{ id: 'one' }]);
    expect(await store.subscriptions.ofWallet(WALLET)).toHaveLength(1);
    expect(await store.subscriptions.endChat('42', AT + 2)).toBe(1);
    expect(await store.subscriptions.endChat('42', AT + 2)).toBe(0);
    expect(await store.subscriptions.find('one')).toBeNull();
  });

  it('need no confirmation for a push endpoint', async () => {
    await request({ channel: 'push', target: '{"endpoint":"https://push.example"}' });
    expect(await store.subscriptions.confirmedForStakes()).toMatchObject([{ id: 'one', confirmedAt: AT }]);
    expect(await deliveriesOf('one')).toEqual([]);
  });

  it('report each cause once, even from several programs and after a restart', async () => {
    const subscription = await addConfirmed();
    const week: NewNotice = { subscription, occasion: 'week', cause: 'entry 1' };
    const day: NewNotice = { subscription, occasion: 'day', cause: 'entry 1' };
    const programs = await openPrograms(3);
    const queued = await Promise.all(
      programs.map((program) => program.subscriptions.queue([week, day], AT + 2)),
    );
    expect(queued.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await store.subscriptions.queue([week, { ...week, cause: 'entry 2' }], AT + 3)).toBe(1);
    const notices = (await deliveriesOf('one')).filter(({ event }) => event !== REMINDER_CONFIRMATION_EVENT);
    expect(notices.map(({ event }) => event.split(':')[0]).toSorted()).toEqual([
      'stake-reminder.day',
      'stake-reminder.week',
      'stake-reminder.week',
    ]);
    expect(new Set(notices.map(({ recipient }) => recipient))).toEqual(new Set([EMAIL]));
    const id = notices[0]?.event.split(':')[1] ?? '';
    expect(await store.subscriptions.notice(id)).toMatchObject({ id, subscription: { id: 'one' } });
    expect(await store.subscriptions.notice('none')).toBeNull();
  });

  it('report nothing once they have ended, and queued messages are not sent', async () => {
    const subscription = await addConfirmed();
    const notice: NewNotice = { subscription, occasion: 'day', cause: 'entry 1' };
    await store.subscriptions.queue([notice], AT + 2);
    const claim = { channel: 'mail', now: AT + 3, leasedUntil: AT + 99_000, limit: 1 } as const;
    const [leased] = await store.deliveries.claimDue(claim);
    expect(await store.subscriptions.end('one', 'another wallet', AT + 4)).toBe(false);
    expect(await store.subscriptions.end('one', WALLET, AT + 4)).toBe(true);
    expect(await store.subscriptions.end('one', null, AT + 4)).toBe(false);
    const deliveries = await deliveriesOf('one');
    expect(deliveries.map(({ state, recipient }) => [state, recipient])).toEqual([
      ['settled', null],
      ['settled', null],
    ]);
    const attempt = { at: AT + 5, outcome: 'sent', providerId: null, code: null, error: null } as const;
    const fullAttempt = { ...attempt, maskedRecipient: 'a', latencyMs: 1 };
    expect(leased && (await store.deliveries.recordAttempt(leased, fullAttempt, { state: 'sent' }))).toBe(
      'stale',
    );
    const event = deliveries.find((one) => one.event !== REMINDER_CONFIRMATION_EVENT)?.event ?? '';
    expect(await store.subscriptions.notice(event.split(':')[1] ?? '')).toBeNull();
    expect(await store.subscriptions.queue([{ ...notice, cause: 'entry 2' }], AT + 6)).toBe(0);
  });

  it('are deleted some time after they end, or if they stay unconfirmed or without a stake for too long', async () => {
    const active = await addConfirmed();
    await store.subscriptions.queue([{ subscription: active, occasion: 'day', cause: 'entry 1' }], AT + 2);
    await request({ id: 'unconfirmed', target: 'b@example.com' });
    expect(await store.subscriptions.sweep({ endedBefore: AT - 1, idleBefore: AT })).toBe(0);
    expect(await store.subscriptions.sweep({ endedBefore: AT, idleBefore: AT })).toBe(1);
    await store.subscriptions.saveProgress([{ id: 'one', fromSlot: 9, idleSince: AT }]);
    expect(await store.subscriptions.find('one')).toMatchObject({ fromSlot: 9, idleSince: AT });
    expect(await store.subscriptions.sweep({ endedBefore: AT, idleBefore: AT - 1 })).toBe(0);
    expect(await store.subscriptions.sweep({ endedBefore: AT, idleBefore: AT })).toBe(1);
    expect(await store.subscriptions.ofWallet(WALLET)).toEqual([]);
    expect((await deliveriesOf('one')).every(({ recipient }) => recipient === null)).toBe(true);
  });

  it('are found and erased by the mailbox and by the wallet, with their queued messages', async () => {
    const erase = async (subject: { email: string | null; walletAddress: string | null }) => {
      const record = {
        id: crypto.randomUUID(),
        at: AT,
        actor: 'admin',
        action: 'person.erased',
        details: {},
      };
      return (await store.erasures.erase(subject, AT + 9, () => record)).counts;
    };
    const subscription = await addConfirmed();
    await store.subscriptions.queue([{ subscription, occasion: 'day', cause: 'entry 1' }], AT + 2);
    const counts = await erase({ email: 'ADA+x@example.com', walletAddress: null });
    expect(counts).toMatchObject({ reminders: 1, reminderNotices: 1, recipients: 2, cancelledDeliveries: 2 });
    expect(await store.subscriptions.ofWallet(WALLET)).toEqual([]);
    expect((await deliveriesOf('one')).map(({ state, recipient }) => [state, recipient])).toEqual([
      ['settled', null],
      ['settled', null],
    ]);
    await addConfirmed({ id: 'two', channel: 'telegram', target: null });
    expect(await erase({ email: null, walletAddress: WALLET })).toMatchObject({ reminders: 1 });
    expect(await store.subscriptions.find('two')).toBeNull();
  });
});

describe('a chat that is linked to a record', () => {
  useAppStore();

  const ACTOR = { adminId: 'admin', address: '::1', at: AT + 9 };
  const link = (referenceNumber: string, issuedAt: number, chatId: string) =>
    store.subscriptions.linkRecord({ id: `${issuedAt} ${chatId}`, referenceNumber, issuedAt }, chatId, AT);
  const reply = (referenceNumber: string, after: string | null = null) =>
    store.conversations.reply(
      { referenceNumber, kind: 'reply', files: [], subject: 'Re', text: 'Private words', after },
      ACTOR,
    );
  const repliesToApplicant = async (referenceNumber: string) =>
    (await store.deliveries.deliveriesOf(referenceNumber))
      .filter(({ audience, event }) => audience === 'applicant' && !event.endsWith('.received'))
      .map(({ channel, recipient }) => `${channel} ${recipient}`);

  it('gets a message about each answer, until it stops', async () => {
    const referenceNumber = await submitMessage(store, { email: EMAIL, createdAt: AT });
    expect(await link(referenceNumber, AT, '42')).toBe(true);
    const sent = await reply(referenceNumber);
    expect(await repliesToApplicant(referenceNumber)).toEqual([`mail ${EMAIL}`, 'telegram 42']);
    expect(await store.subscriptions.confirmedForStakes()).toEqual([]);
    expect(await store.subscriptions.endChat('42', AT + 10)).toBe(1);
    await reply(referenceNumber, sent.kind === 'sent' ? sent.message.id : null);
    expect(await repliesToApplicant(referenceNumber)).toHaveLength(3);
  });

  it('gets no message after it has stopped, even if an undo makes a decision valid again', async () => {
    const referenceNumber = await submitApplication(store, { createdAt: AT });
    await link(referenceNumber, AT, '42');
    const kind = 'card-application';
    const reason = 'Once more.';
    const approval = await store.records.decideApplication(
      { referenceNumber, changedAt: AT, decision: 'approved', reason },
      ACTOR,
    );
    if (approval.kind !== 'decided') throw new Error(approval.kind);
    const { changedAt: approvedAt } = approval;
    const reopening = await store.records.reopen(
      { referenceNumber, changedAt: approvedAt, kind, reason },
      ACTOR,
    );
    if (!('changedAt' in reopening)) throw new Error(reopening.kind);
    const { changedAt } = reopening;
    await store.subscriptions.endChat('42', AT + 10);
    expect((await store.records.undo({ referenceNumber, changedAt }, ACTOR)).kind).toBe('undone');
    const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
    const notices = deliveries.filter(
      ({ channel, audience }) => channel === 'telegram' && audience === 'applicant',
    );
    expect(new Set(notices.map(({ state }) => state))).toEqual(new Set(['settled']));
  });

  it('gets no message that is waiting, being sent or dead when the chat stops', async () => {
    const chatByReference = new Map<string, string>();
    const answerInChat = async (chatId: string) => {
      const referenceNumber = await submitMessage(store, { email: EMAIL, createdAt: AT });
      await link(referenceNumber, AT + chatByReference.size, chatId);
      await reply(referenceNumber);
      chatByReference.set(referenceNumber, chatId);
    };
    const claim = async () => {
      const due = { channel: 'telegram', now: AT + DAY_MS, leasedUntil: AT + 2 * DAY_MS, limit: 9 } as const;
      const claimed = await store.deliveries.claimDue(due);
      return claimed.filter(({ audience }) => audience === 'applicant');
    };
    const noticesIn = async (chatId: string) => {
      const references = [...chatByReference.keys()].filter((one) => chatByReference.get(one) === chatId);
      const deliveries = await Promise.all(references.map((one) => store.deliveries.deliveriesOf(one)));
      return deliveries
        .flat()
        .filter(({ channel, audience }) => channel === 'telegram' && audience === 'applicant')
        .map(({ state, recipient }) => `${state} ${recipient}`);
    };
    await answerInChat('42');
    await answerInChat('42');
    const [failed, leased] = await claim();
    if (!failed || !leased) throw new Error('Too few notices are due.');
    await answerInChat('42');
    await answerInChat('43');
    const attempt = { at: AT + 10, providerId: null, code: '400', error: 'gone', latencyMs: 1 } as const;
    const failedAttempt = { ...attempt, outcome: 'dead', maskedRecipient: '4' } as const;
    await store.deliveries.recordAttempt(failed, failedAttempt, { state: 'dead' });
    expect((await noticesIn('42')).toSorted()).toEqual(['dead 42', 'leased 42', 'waiting 42']);
    expect((await store.records.counts(0)).deadDeliveries).toBe(1);

    await store.subscriptions.endChat('42', AT + 11);
    expect(await noticesIn('42')).toEqual(Array(3).fill('settled null'));
    expect(await noticesIn('43')).toEqual(['waiting 43']);
    expect(await store.deliveries.recordAttempt(leased, failedAttempt, { state: 'dead' })).toBe('stale');
    expect((await store.records.counts(0)).deadDeliveries).toBe(0);
    expect((await claim()).map(({ recipient }) => recipient)).toEqual(['43']);
  });

  it('can be linked once per link, and again only by a later link', async () => {
    const referenceNumber = await submitMessage(store, { createdAt: AT });
    expect(await link(referenceNumber, AT + 5, '42')).toBe(true);
    expect(await link(referenceNumber, AT + 5, '42')).toBe(true);
    expect(await link(referenceNumber, AT + 6, '43')).toBe(false);
    await store.subscriptions.endChat('42', AT + 7);
    expect(await link(referenceNumber, AT + 5, '42')).toBe(false);
    expect(await link(referenceNumber, AT + 4, '43')).toBe(false);
    expect(await link(referenceNumber, AT + 8, '43')).toBe(true);
  });

  it('also gets messages about the record that its record is merged into, if both have the same mailbox', async () => {
    const application = { email: EMAIL, createdAt: AT };
    const kept = await submitApplication(store, application);
    const sameChat = await submitApplication(store, application);
    const otherChat = await submitApplication(store, { ...application, email: 'ada+two@example.com' });
    const otherMailbox = await submitApplication(store, { ...application, email: 'zoe@example.org' });
    await link(kept, AT, '42');
    await link(sameChat, AT + 1, '42');
    await link(otherChat, AT, '43');
    await link(otherMailbox, AT, '44');
    const seenState = async (referenceNumber: string) => {
      const found = await store.records.record(referenceNumber);
      return { referenceNumber, changedAt: found?.record.changedAt ?? 0 };
    };
    const merged = await Promise.all([sameChat, otherChat, otherMailbox].map(seenState));
    expect(await store.records.merge({ kept: await seenState(kept), merged }, ACTOR)).toMatchObject({
      kind: 'merged',
    });
    const sent = await reply(kept);
    expect((await repliesToApplicant(kept)).toSorted()).toEqual([
      `mail ${EMAIL}`,
      'telegram 42',
      'telegram 43',
    ]);
    await store.subscriptions.endChat('42', AT + 10);
    await reply(kept, sent.kind === 'sent' ? sent.message.id : null);
    expect((await repliesToApplicant(kept)).toSorted()).toEqual([
      ...Array(2).fill(`mail ${EMAIL}`),
      ...Array(2).fill('telegram 43'),
      'telegram null',
    ]);
    const decision = { ...(await seenState(kept)), decision: 'refused', reason: 'Too young.' } as const;
    await store.records.decideApplication(decision, ACTOR);
    expect(await repliesToApplicant(kept)).toHaveLength(7);
    expect(await store.records.undo(await seenState(kept), ACTOR)).toMatchObject({ kind: 'undone' });
    expect(await repliesToApplicant(kept)).toHaveLength(5);
  });

  it('gets no messages about a contact message after a merge', async () => {
    const message = { email: EMAIL, createdAt: AT };
    const [kept, merged] = [await submitMessage(store, message), await submitMessage(store, message)];
    await link(merged, AT, '42');
    await link(kept, AT, '43');
    const seenState = async (referenceNumber: string) => ({
      referenceNumber,
      changedAt: (await store.records.record(referenceNumber))?.record.changedAt ?? 0,
    });
    const mergeRequest = { kept: await seenState(kept), merged: [await seenState(merged)] };
    expect((await store.records.merge(mergeRequest, ACTOR)).kind).toBe('merged');
    await reply(kept);
    expect(await repliesToApplicant(kept)).toEqual([`mail ${EMAIL}`]);
  });

  it('is erased with the person', async () => {
    const referenceNumber = await submitMessage(store, { email: EMAIL, createdAt: AT });
    await link(referenceNumber, AT, '42');
    const record = { id: 'erasure', at: AT, actor: 'admin', action: 'person.erased', details: {} };
    await store.erasures.erase({ email: EMAIL, walletAddress: null }, AT + 9, () => record);
    expect(await store.subscriptions.ofChat('42')).toEqual([]);
  });
});
