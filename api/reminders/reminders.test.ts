// @module-tag slow
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addReminder, reminders } from '../../data/contract/reminders.ts';
import { REMINDER_CONFIRMATION_EVENT } from '../../data/store/rules/received-submission.ts';
import { renderMail } from '../delivery/mail/layout/render-mail.ts';
import { listen } from '../listen.ts';
import { TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask, askRaw } from '../testing/portal-client.ts';
import { openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import { createLedgerClock } from './ledger-clock.ts';
import { composeReminderMail, composeShortReminder, type ReminderContext } from './reminder-messages.ts';
import {
  API_ORIGIN,
  cancelReminder,
  confirmByToken,
  context,
  DAY_MS,
  EMAIL,
  listReminders,
  ORIGIN,
  occasionsOf,
  portal,
  post,
  readStakesAt,
  reminderDeliveries,
  requestReminder,
  runReminderJob,
  setOpenStakes,
  subscribeByMail,
  tokens,
  UNLOCKS_AT,
  useReminderPortal,
  WALLET,
} from './testing/reminder-portal.ts';

const EMPTY_DELIVERY = { event: '', referenceNumber: '' };
const mailAbout = (
  delivery: Parameters<typeof composeReminderMail>[0] = EMPTY_DELIVERY,
  reminderContext: ReminderContext = context,
) => composeReminderMail(delivery, reminderContext);
const buttonOf = (mail: Awaited<ReturnType<typeof composeReminderMail>>) =>
  mail === null || mail === 'later'
    ? null
    : (
        mail.template.parts.find((part) => typeof part === 'object' && part.kind === 'button') as {
          url: string;
        }
      ).url;

describe('reminders by email', () => {
  useReminderPortal();

  it('begin with the link in the first email, are due a week and a day before the unlock, and stop with one click', async () => {
    const addAnswer = await requestReminder({ channel: 'mail', email: EMAIL });
    expect(addReminder.response.parse(addAnswer.body)).toMatchObject({
      reminders: [{ channel: 'mail', target: 'a…@….com', state: 'unconfirmed' }],
      chatUrl: null,
    });
    const id = addAnswer.body.reminders[0].id;
    const first = await mailAbout({ event: REMINDER_CONFIRMATION_EVENT, referenceNumber: id });
    expect(buttonOf(first)).toBe(`${ORIGIN}/reminders#confirm=${tokens.confirmationToken(id)}`);
    expect(JSON.stringify(first)).not.toContain(WALLET);
    for (const wrong of [
      tokens.stopToken(id),
      `${tokens.confirmationToken(id)}x`,
      tokens.confirmationToken('other'),
      '.',
      '',
    ]) {
      const refused = await confirmByToken(wrong);
      expect(refused.body.code, wrong).toBe('reminder-link-ended');
    }
    expect(await runReminderJob()).toBe(0);
    expect((await confirmByToken(tokens.confirmationToken(id))).status).toBe(200);
    expect((await listReminders())[0]).toMatchObject({ id, state: 'on' });

    await readStakesAt(UNLOCKS_AT - 7 * DAY_MS - 1);
    expect(await runReminderJob()).toBe(0);
    await readStakesAt(UNLOCKS_AT - 7 * DAY_MS);
    expect([await runReminderJob(), await runReminderJob()]).toEqual([1, 0]);
    const [weekDelivery] = await reminderDeliveries(id);
    const mail = await mailAbout(weekDelivery);
    if (mail === null || mail === 'later') throw new Error('There is no email.');
    const { text } = renderMail(mail.template, { organization: null, origin: ORIGIN });
    expect(text).toContain(WALLET);
    expect(text).toContain('2,000,000');
    expect(text).toContain(`${ORIGIN}/my-position`);
    expect(text).toContain(`${ORIGIN}/reminders#stop=${tokens.stopToken(id)}`);

    await readStakesAt(UNLOCKS_AT - DAY_MS);
    expect([await runReminderJob(), await runReminderJob()]).toEqual([1, 0]);
    expect(await occasionsOf(id)).toEqual(['day', 'week']);

    const url = new URL(mail.unsubscribeUrl ?? '');
    expect(url.origin).toBe(API_ORIGIN);
    const form = 'List-Unsubscribe=One-Click';
    const stop = (path: string) =>
      askRaw(
        portal.port,
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      );
    expect(await stop(`${url.pathname}?subscription=${tokens.confirmationToken(id)}`)).toMatch(
      /^HTTP\/1.1 404/,
    );
    expect(await listReminders()).toHaveLength(1);
    for (const _click of [1, 2]) expect(await stop(url.pathname + url.search)).toMatch(/^HTTP\/1.1 200/);
    expect(await listReminders()).toEqual([]);
    expect((await reminderDeliveries(id)).map(({ state, recipient }) => [state, recipient])).toEqual([
      ['settled', null],
      ['settled', null],
    ]);
    expect(await mailAbout(weekDelivery)).toBeNull();
  });

  it('need a proven wallet, and only its owner can end them', async () => {
    const id = await subscribeByMail();
    const otherSession = { Cookie: await openWalletSession(portal.store, walletOf(2), TEST_START) };
    expect((await post(addReminder.path, { channel: 'telegram' }, {})).body.code).toBe('wallet-not-proven');
    expect((await ask(portal.port, reminders.path)).status).toBe(401);
    expect((await cancelReminder(id, otherSession)).body.reminders).toEqual([]);
    expect(await listReminders()).toHaveLength(1);
    expect((await cancelReminder(id)).body.reminders).toEqual([]);
  });

  it('must be confirmed within a day', async () => {
    await requestReminder({ channel: 'mail', email: EMAIL });
    const id = (await listReminders())[0]?.id ?? '';
    await readStakesAt(TEST_START + DAY_MS + 1);
    const refused = await confirmByToken(tokens.confirmationToken(id));
    expect(refused.body.code).toBe('reminder-link-ended');
    await runReminderJob();
    expect(await portal.store.subscriptions.find(id)).toBeNull();
  });

  it('are limited to a few emails a day per mailbox', async () => {
    for (let sent = 0; sent < 5; sent += 1) {
      const { status, body } = await requestReminder({ channel: 'mail', email: `ada+${sent}@example.com` });
      expect(status).toBe(200);
      await cancelReminder(body.reminders[0].id);
    }
    expect((await requestReminder({ channel: 'mail', email: EMAIL })).body.code).toBe('too-many-reminders');
  });

  it('are sent only for the latest due date after an outage, and never after the lock ends or the stake is withdrawn', async () => {
    const id = await subscribeByMail();
    await readStakesAt(UNLOCKS_AT - DAY_MS / 2);
    expect(await runReminderJob()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['day']);
    await setOpenStakes([openedStake(2)]);
    const [dayDelivery] = await reminderDeliveries(id);
    expect(await mailAbout(dayDelivery)).toBeNull();
    await setOpenStakes([openedStake(1)], UNLOCKS_AT);
    expect(await mailAbout(dayDelivery)).toBeNull();
    expect(await runReminderJob()).toBe(0);
  });

  it('are due again if the lock restarts, but not if the stakes vanish for a moment', async () => {
    const id = await subscribeByMail();
    await readStakesAt(UNLOCKS_AT - 6 * DAY_MS);
    await runReminderJob();
    await setOpenStakes([]);
    expect(await runReminderJob()).toBe(0);
    await setOpenStakes([openedStake(1)]);
    expect(await runReminderJob()).toBe(0);
    await setOpenStakes([openedStake(1, { unlocksAt: UNLOCKS_AT + 3 * DAY_MS })], UNLOCKS_AT - 4 * DAY_MS);
    expect(await runReminderJob()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['week', 'week']);
  });

  it('on the embedded ledger follow the clock that its programs see', async () => {
    const id = await subscribeByMail();
    let answer: object = { result: portal.now() / 1_000 };
    const requests: object[] = [];
    const ledger = createServer(async (request, response) => {
      requests.push(JSON.parse((await buffer(request)).toString()));
      response.end(JSON.stringify(answer));
    });
    onTestFinished(() => void ledger.close());
    const url = `http://127.0.0.1:${await listen(ledger, '127.0.0.1', 0)}`;
    const clock = createLedgerClock(url, portal.now);
    expect(await runReminderJob(portal.now, clock)).toBe(0);
    expect(requests).toMatchObject([{ method: 'advanceClock', params: [0] }]);
    answer = { result: (UNLOCKS_AT - 7 * DAY_MS) / 1_000 };
    expect([await runReminderJob(portal.now, clock), await runReminderJob(portal.now, clock)]).toEqual([
      1, 0,
    ]);
    expect(await occasionsOf(id)).toEqual(['week']);
    // The ledger cannot be read for a moment.
    answer = { error: {} };
    const [weekDelivery] = await reminderDeliveries(id);
    await runReminderJob(portal.now, clock);
    const ledgerTimeContext = { ...context, stakes: () => clock.inProgramTime(portal.figureInputs().stakes) };
    expect(await mailAbout(weekDelivery, ledgerTimeContext)).not.toBeNull();
    answer = { result: UNLOCKS_AT / 1_000 };
    expect(await runReminderJob(portal.now, clock)).toBe(0);
    expect(await mailAbout(weekDelivery, ledgerTimeContext)).toBeNull();
  });

  it('are not sent if they were due before the person subscribed', async () => {
    await readStakesAt(UNLOCKS_AT - 3 * DAY_MS);
    const id = await subscribeByMail();
    expect(await runReminderJob()).toBe(0);
    await readStakesAt(UNLOCKS_AT - DAY_MS);
    expect(await runReminderJob()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['day']);
  });

  it('wait while the stakes are unknown', async () => {
    const id = await subscribeByMail();
    await readStakesAt(UNLOCKS_AT - DAY_MS);
    await runReminderJob();
    const [dayDelivery] = await reminderDeliveries(id);
    const contextWithoutStakes = { ...context, stakes: () => null };
    expect(await mailAbout(dayDelivery, contextWithoutStakes)).toBe('later');
  });

  it('report finalized changes since the person subscribed, each transaction once', async () => {
    const id = await subscribeByMail();
    const slot = portal.figureInputs().stakes?.slot ?? 0;
    const change = { wallet: WALLET, signature: signatureOf(7), kind: 'stake', status: 'finalized' } as const;
    const events = [
      vaultEvent(1, { ...change, slot: slot + 3, signature: signatureOf(8), kind: 'unstake' }),
      vaultEvent(2, { ...change, slot: slot + 2 }),
      vaultEvent(3, { ...change, slot: slot + 1, kind: 'deposit' }),
      vaultEvent(4, { ...change, slot, signature: signatureOf(9) }),
    ];
    portal.index.commit({ recentEvents: events.map((event) => ({ ...event, status: 'confirmed' })) });
    await readStakesAt(TEST_START + 1);
    expect(await runReminderJob()).toBe(0);
    portal.index.commit({ recentEvents: events });
    await readStakesAt(TEST_START + 2);
    expect([await runReminderJob(), await runReminderJob()]).toEqual([2, 0]);
    expect(await occasionsOf(id)).toEqual(['staked', 'unstaked']);
    const stakedDelivery = (await reminderDeliveries(id)).find(({ event }) => event.includes('.staked:'));
    const mail = await mailAbout(stakedDelivery);
    expect(JSON.stringify(mail)).toContain(signatureOf(7));
    // The mail suggests a new wallet in case somebody else unstaked. But anyone can stake for a wallet, so a new stake alone is
    // no sign of theft, and the mail must say so.
    expect(JSON.stringify(mail)).toContain('Anyone can stake');
    const shortReminder = await composeShortReminder(stakedDelivery ?? EMPTY_DELIVERY, context);
    expect(JSON.stringify(shortReminder)).not.toContain(WALLET);
    expect(JSON.stringify(shortReminder)).not.toContain(signatureOf(7));
  });

  it('are deleted when the wallet has had no stake for thirty days', async () => {
    const id = await subscribeByMail();
    await setOpenStakes([openedStake(2)], TEST_START + DAY_MS);
    await runReminderJob();
    await readStakesAt(TEST_START + 20 * DAY_MS);
    await setOpenStakes([openedStake(1)]);
    await runReminderJob();
    expect(await portal.store.subscriptions.find(id)).toMatchObject({ idleSince: null });
    await setOpenStakes([openedStake(2)], TEST_START + 21 * DAY_MS);
    await runReminderJob();
    await readStakesAt(TEST_START + 51 * DAY_MS - 1);
    await runReminderJob();
    expect(await listReminders()).toHaveLength(1);
    await readStakesAt(TEST_START + 51 * DAY_MS);
    await runReminderJob();
    expect(await listReminders()).toEqual([]);
  });
});
