import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addReminder, answersInTelegram, reminders } from '../../data/contract/reminders.ts';
import type { OpenedStake } from '../../data/store/ports.ts';
import { REMINDER_CONFIRMATION } from '../../data/store/rules/receipts.ts';
import { submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { renderMail } from '../delivery/mail/layout/render-mail.ts';
import { createPushSender } from '../delivery/push/push-sender.ts';
import { vapidKeys } from '../delivery/push/vapid-keys.ts';
import { createTelegramSender } from '../delivery/telegram/telegram-sender.ts';
import { listen } from '../listen.ts';
import { TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask, askRaw, sendForm } from '../testing/portal-client.ts';
import { openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import { createChatLinks } from './chat-links.ts';
import { createLedgerClock, type LedgerClock } from './ledger-clock.ts';
import { queueReminders } from './reminder-job.ts';
import { composeReminderMail, composeShortReminder, type ReminderContext } from './reminder-messages.ts';
import { reminderTokens } from './reminder-tokens.ts';

const DAY = 86_400_000;
const WALLET = walletOf(1);
const EMAIL = 'ada@example.com';
const ORIGIN = 'https://portal.example.com';
const API_ORIGIN = 'https://api.example.com';
/** When the lock of `openedStake` ends. */
const UNLOCKS = TEST_START + 170 * DAY;
const tokens = reminderTokens(TEST_MASTER_KEY);

let portal: TestPortal;
let cookie: string;
let context: ReminderContext;
beforeEach(async () => {
  portal = await startTestPortal({
    chain: 'embedded-ledger',
    telegram: {
      diagnostics: { read: async () => Promise.reject(new Error('unused')) },
      tests: { sendMessage: async () => Promise.reject(), sendApplication: async () => Promise.reject() },
      chatUrl: async (token) => `https://t.me/duck_bot?start=${token}`,
    },
  });
  cookie = await openWalletSession(portal.store, WALLET, TEST_START);
  context = {
    subscriptions: portal.store.subscriptions,
    stakes: () => portal.figureInputs().stakes,
    tokens,
    origin: ORIGIN,
    apiOrigin: API_ORIGIN,
    now: portal.now,
  };
  await holds([openedStake(1), openedStake(2)]);
});
afterEach(() => portal.close());

let changes = 100;
/** Changes the open stakes, and reads them at a time. */
async function holds(entries: readonly OpenedStake[], at = portal.now()): Promise<void> {
  portal.index.held = { ...portal.index.held, entries };
  changes += 1;
  portal.index.commitChain({ entryChanges: changes, readAt: at });
  await portal.pollAt(at);
}
const passTo = (at: number) => holds(portal.index.held.entries, at);
const job = (now = portal.now, ledgerClock: LedgerClock | null = null) =>
  queueReminders({
    ledgerClock,
    subscriptions: portal.store.subscriptions,
    reader: portal.index,
    figureInputs: portal.figureInputs,
    now,
  });

const post = async (path: string, body: unknown, headers: Record<string, string> = { Cookie: cookie }) => {
  const answer = await sendForm(portal.port, path, body, headers);
  return { status: answer.status, body: JSON.parse(answer.body) };
};
const add = (body: unknown) => post(addReminder.path, body);
const list = async () => {
  const { body } = await ask(portal.port, reminders.path, { headers: { Cookie: cookie } });
  return reminders.response.parse(JSON.parse(body)).reminders;
};
/** Waiting deliveries of a subscription, without the mail that confirms the address. */
const queuedFor = async (id: string) =>
  (await portal.store.deliveries.deliveriesOf(id)).filter(({ event }) => event !== REMINDER_CONFIRMATION);
const occasionsOf = async (id: string) =>
  (await queuedFor(id)).map(({ event }) => event.replace(/^stake-reminder\.|:.*$/g, '')).toSorted();

const subscribeByMail = async (email = EMAIL): Promise<string> => {
  await add({ channel: 'mail', email });
  const id = (await list()).find(({ state }) => state === 'unconfirmed')?.id ?? '';
  expect((await post('/api/reminders/confirm', { token: tokens.confirmation(id) }, {})).status).toBe(200);
  return id;
};
const buttonOf = (mail: Awaited<ReturnType<typeof composeReminderMail>>) =>
  mail === null || mail === 'later'
    ? null
    : (
        mail.template.parts.find((part) => typeof part === 'object' && part.kind === 'button') as {
          url: string;
        }
      ).url;

describe('reminders by mail', () => {
  it('begin with the link in the first mail, are due a week and a day before the unlock, and stop with one click', async () => {
    const added = await add({ channel: 'mail', email: EMAIL });
    expect(addReminder.response.parse(added.body)).toMatchObject({
      reminders: [{ channel: 'mail', target: 'a…@….com', state: 'unconfirmed' }],
      chatUrl: null,
    });
    const id = added.body.reminders[0].id;
    const first = await composeReminderMail({ event: REMINDER_CONFIRMATION, referenceNumber: id }, context);
    expect(buttonOf(first)).toBe(`${ORIGIN}/reminders#confirm=${tokens.confirmation(id)}`);
    expect(JSON.stringify(first)).not.toContain(WALLET);
    for (const wrong of [
      tokens.stop(id),
      `${tokens.confirmation(id)}x`,
      tokens.confirmation('other'),
      '.',
      '',
    ]) {
      const refused = await post('/api/reminders/confirm', { token: wrong }, {});
      expect(refused.body.code, wrong).toBe('reminder-link-ended');
    }
    expect(await job()).toBe(0);
    expect((await post('/api/reminders/confirm', { token: tokens.confirmation(id) }, {})).status).toBe(200);
    expect((await list())[0]).toMatchObject({ id, state: 'on' });

    await passTo(UNLOCKS - 7 * DAY - 1);
    expect(await job()).toBe(0);
    await passTo(UNLOCKS - 7 * DAY);
    expect([await job(), await job()]).toEqual([1, 0]);
    const [week] = await queuedFor(id);
    const mail = await composeReminderMail(week ?? { event: '', referenceNumber: '' }, context);
    if (mail === null || mail === 'later') throw new Error('There is no mail.');
    const { text } = renderMail(mail.template, { organization: null, origin: ORIGIN });
    expect(text).toContain(WALLET);
    expect(text).toContain('2,000,000');
    expect(text).toContain(`${ORIGIN}/my-position`);
    expect(text).toContain(`${ORIGIN}/reminders#stop=${tokens.stop(id)}`);

    await passTo(UNLOCKS - DAY);
    expect([await job(), await job()]).toEqual([1, 0]);
    expect(await occasionsOf(id)).toEqual(['day', 'week']);

    const url = new URL(mail.unsubscribeUrl ?? '');
    expect(url.origin).toBe(API_ORIGIN);
    const form = 'List-Unsubscribe=One-Click';
    const stop = (path: string) =>
      askRaw(
        portal.port,
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      );
    expect(await stop(`${url.pathname}?subscription=${tokens.confirmation(id)}`)).toMatch(/^HTTP\/1.1 404/);
    expect(await list()).toHaveLength(1);
    for (const _click of [1, 2]) expect(await stop(url.pathname + url.search)).toMatch(/^HTTP\/1.1 200/);
    expect(await list()).toEqual([]);
    expect((await queuedFor(id)).map(({ state, recipient }) => [state, recipient])).toEqual([
      ['settled', null],
      ['settled', null],
    ]);
    expect(await composeReminderMail(week ?? { event: '', referenceNumber: '' }, context)).toBeNull();
  });

  it('need a proven wallet, and end only by its owner', async () => {
    const id = await subscribeByMail();
    const other = { Cookie: await openWalletSession(portal.store, walletOf(2), TEST_START) };
    expect((await post(addReminder.path, { channel: 'telegram' }, {})).body.code).toBe('wallet-not-proven');
    expect((await ask(portal.port, reminders.path)).status).toBe(401);
    expect((await post('/api/wallet/reminders/remove', { id }, other)).body.reminders).toEqual([]);
    expect(await list()).toHaveLength(1);
    expect((await post('/api/wallet/reminders/remove', { id })).body.reminders).toEqual([]);
  });

  it('must be confirmed within a day', async () => {
    await add({ channel: 'mail', email: EMAIL });
    const id = (await list())[0]?.id ?? '';
    await passTo(TEST_START + DAY + 1);
    const refused = await post('/api/reminders/confirm', { token: tokens.confirmation(id) }, {});
    expect(refused.body.code).toBe('reminder-link-ended');
    await job();
    expect(await portal.store.subscriptions.find(id)).toBeNull();
  });

  it('send at most a few mails to one mailbox a day', async () => {
    for (let sent = 0; sent < 5; sent += 1) {
      const { status, body } = await add({ channel: 'mail', email: `ada+${sent}@example.com` });
      expect(status).toBe(200);
      await post('/api/wallet/reminders/remove', { id: body.reminders[0].id });
    }
    expect((await add({ channel: 'mail', email: EMAIL })).body.code).toBe('too-many-reminders');
  });

  it('after an outage send the latest that is due once, and none after the lock or a withdrawal', async () => {
    const id = await subscribeByMail();
    await passTo(UNLOCKS - DAY / 2);
    expect(await job()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['day']);
    await holds([openedStake(2)]);
    const [day] = await queuedFor(id);
    expect(await composeReminderMail(day ?? { event: '', referenceNumber: '' }, context)).toBeNull();
    await holds([openedStake(1)], UNLOCKS);
    expect(await composeReminderMail(day ?? { event: '', referenceNumber: '' }, context)).toBeNull();
    expect(await job()).toBe(0);
  });

  it('are due again if the lock restarts, but not if the stakes vanish for a moment', async () => {
    const id = await subscribeByMail();
    await passTo(UNLOCKS - 6 * DAY);
    await job();
    await holds([]);
    expect(await job()).toBe(0);
    await holds([openedStake(1)]);
    expect(await job()).toBe(0);
    await holds([openedStake(1, { unlocksAt: UNLOCKS + 3 * DAY })], UNLOCKS - 4 * DAY);
    expect(await job()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['week', 'week']);
  });

  it('on the embedded ledger are due by the clock that its programs see', async () => {
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
    expect(await job(portal.now, clock)).toBe(0);
    expect(requests).toMatchObject([{ method: 'advanceClock', params: [0] }]);
    answer = { result: (UNLOCKS - 7 * DAY) / 1_000 };
    expect([await job(portal.now, clock), await job(portal.now, clock)]).toEqual([1, 0]);
    expect(await occasionsOf(id)).toEqual(['week']);
    // The ledger cannot be read for a moment.
    answer = { error: {} };
    const [week] = await queuedFor(id);
    await job(portal.now, clock);
    const seen = { ...context, stakes: () => clock.asPrograms(portal.figureInputs().stakes) };
    expect(await composeReminderMail(week ?? { event: '', referenceNumber: '' }, seen)).not.toBeNull();
    answer = { result: UNLOCKS / 1_000 };
    expect(await job(portal.now, clock)).toBe(0);
    expect(await composeReminderMail(week ?? { event: '', referenceNumber: '' }, seen)).toBeNull();
  });

  it('are not sent if they were due before the person subscribed', async () => {
    await passTo(UNLOCKS - 3 * DAY);
    const id = await subscribeByMail();
    expect(await job()).toBe(0);
    await passTo(UNLOCKS - DAY);
    expect(await job()).toBe(1);
    expect(await occasionsOf(id)).toEqual(['day']);
  });

  it('wait while the stakes are unknown', async () => {
    const id = await subscribeByMail();
    await passTo(UNLOCKS - DAY);
    await job();
    const [day] = await queuedFor(id);
    const unknown = { ...context, stakes: () => null };
    expect(await composeReminderMail(day ?? { event: '', referenceNumber: '' }, unknown)).toBe('later');
  });

  it('report final changes since the person subscribed, each transaction once', async () => {
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
    await passTo(TEST_START + 1);
    expect(await job()).toBe(0);
    portal.index.commit({ recentEvents: events });
    await passTo(TEST_START + 2);
    expect([await job(), await job()]).toEqual([2, 0]);
    expect(await occasionsOf(id)).toEqual(['staked', 'unstaked']);
    const staked = (await queuedFor(id)).find(({ event }) => event.includes('.staked:'));
    const mail = await composeReminderMail(staked ?? { event: '', referenceNumber: '' }, context);
    expect(JSON.stringify(mail)).toContain(signatureOf(7));
    // Anyone can stake for a wallet, so that alone is no reason to give the wallet up.
    expect(JSON.stringify(mail)).toContain('Anyone can stake');
    const short = await composeShortReminder(staked ?? { event: '', referenceNumber: '' }, context);
    expect(JSON.stringify(short)).not.toContain(WALLET);
    expect(JSON.stringify(short)).not.toContain(signatureOf(7));
  });

  it('are deleted when the wallet had no stake for thirty days', async () => {
    const id = await subscribeByMail();
    await holds([openedStake(2)], TEST_START + DAY);
    await job();
    await passTo(TEST_START + 20 * DAY);
    await holds([openedStake(1)]);
    await job();
    expect(await portal.store.subscriptions.find(id)).toMatchObject({ idleSince: null });
    await holds([openedStake(2)], TEST_START + 21 * DAY);
    await job();
    await passTo(TEST_START + 51 * DAY - 1);
    await job();
    expect(await list()).toHaveLength(1);
    await passTo(TEST_START + 51 * DAY);
    await job();
    expect(await list()).toEqual([]);
  });
});

describe('a chat', () => {
  const chats = () =>
    createChatLinks({
      ...{ store: portal.store, tokens, slot: () => null, answersPerDay: 3, now: () => portal.now() },
    });
  const tokenIn = (url: string) => new URL(url).searchParams.get('start') ?? '';
  const sentTo = (chatId: string, outcome: Awaited<ReturnType<ReturnType<typeof createTelegramSender>>>) => {
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
  const claim = { channel: 'telegram', now: UNLOCKS, leasedUntil: UNLOCKS + DAY, limit: 9 } as const;

  it('gets reminders without an amount or a wallet, until the person blocks the bot', async () => {
    const { body } = await add({ channel: 'telegram' });
    const token = tokenIn(addReminder.response.parse(body).chatUrl ?? '');
    expect(token).toMatch(/^[\w-]{1,64}$/);
    expect(await chats().start(`${token}x`, '42')).toBeNull();
    expect(await chats().start(token, '42')).toBe('reminder');
    expect(await chats().start(token, '43')).toBeNull();
    expect(await chats().count('42')).toEqual({ wallets: 1, records: 0 });
    await passTo(UNLOCKS - DAY);
    expect(await job()).toBe(1);
    const [leased] = await portal.store.deliveries.claimDue(claim);
    if (!leased) throw new Error('Nothing was due.');
    const ok = sentTo('42', { kind: 'sent', providerId: '1' });
    expect((await ok.send(leased, new AbortController().signal)).kind).toBe('sent');
    expect(ok.texts[0]).toContain(`${ORIGIN}/my-position`);
    expect(ok.texts[0]).toContain('20 June 2026');
    expect(ok.texts[0]).not.toMatch(/2,000,000|BD\b/);
    expect(ok.texts[0]).not.toContain(WALLET.slice(0, 6));
    const refused = {
      kind: 'pause',
      reason: 'refused',
      code: '403',
      error: 'Forbidden: bot was blocked',
    } as const;
    const blocked = sentTo('42', refused);
    expect(await blocked.send(leased, new AbortController().signal)).toMatchObject({
      kind: 'dead',
      code: '403',
    });
    expect(await list()).toEqual([]);
  });

  it('is notified when the team has answered, without personal data, until it unsubscribes', async () => {
    const referenceNumber = await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START });
    const link = (email: string) => post(answersInTelegram.path, { referenceNumber, email }, {});
    expect((await link('other@example.com')).body.code).toBe('unknown-submission');
    const { body } = await link('Ada@example.com');
    const token = tokenIn(answersInTelegram.response.parse(body).chatUrl ?? '');
    expect(token).toMatch(/^[\w-]{1,64}$/);
    expect(await chats().start(token, '42')).toBe('record');
    expect(await chats().start(token, '43')).toBeNull();
    const reply = {
      referenceNumber,
      kind: 'reply',
      subject: 'Re',
      text: 'Private words',
      files: [],
      after: null,
    } as const;
    await portal.store.conversations.reply(reply, { adminId: 'admin', address: '::1', at: TEST_START });
    const leased = (await portal.store.deliveries.claimDue(claim)).find(
      ({ recipient }) => recipient === '42',
    );
    if (!leased) throw new Error('Nothing was due.');
    const sent = sentTo('42', { kind: 'sent', providerId: '1' });
    await sent.send(leased, new AbortController().signal);
    expect(sent.texts[0]).toContain(referenceNumber);
    expect(sent.texts[0]).not.toMatch(/Private|ada@/i);
    expect(await chats().stop('42')).toBe(1);
    expect(await chats().start(token, '42')).toBeNull();
  });

  it('answers the team: each message once, with the record that it is about, and so many in a day', async () => {
    const [first = '', second = ''] = [
      await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START }),
      await submitMessage(portal.store, { email: EMAIL, createdAt: TEST_START }),
    ];
    let update = 0;
    const write = (text: string, repliesTo: string | null = null, chatId = '42') => {
      update += 1;
      const sent = { id: 1, update, at: portal.now(), chatId, isPrivate: true, username: 'ada_l' };
      return chats().answer({ ...sent, text, repliesTo });
    };
    const messagesOf = async (reference: string) =>
      (await portal.store.conversations.of(reference)).map(({ text, sender }) => [text, sender]);
    const link = (referenceNumber: string) =>
      chats().start(tokens.chat({ kind: 'record', referenceNumber, issuedAt: portal.now() }), '42');
    expect(await write('before')).toBeNull();
    await link(first);
    expect(await write('the only one')).toBe('stored');
    update -= 1;
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
    const toTeam = (await portal.store.deliveries.deliveriesOf(first)).filter(({ event }) =>
      event.startsWith('contact-message.answered'),
    );
    expect(toTeam.map(({ channel }) => channel).toSorted()).toEqual(['mail', 'telegram']);
    await chats().stop('42');
    expect(await write('after')).toBeNull();
  });

  it('has links that end after an hour', async () => {
    const { body } = await add({ channel: 'telegram' });
    await passTo(TEST_START + 3_600_001);
    expect(await chats().start(tokenIn(body.chatUrl), '42')).toBeNull();
    const referenceNumber = await submitMessage(portal.store, { createdAt: TEST_START });
    const old = tokens.chat({ kind: 'record', referenceNumber, issuedAt: TEST_START });
    expect(await chats().start(old, '42')).toBeNull();
  });
});

/** Decrypts a push message (RFC 8291). */
const { decrypt }: { decrypt(body: Buffer, options: object): Buffer } = createRequire(import.meta.url)(
  'http_ece',
);

describe('reminders in a browser', () => {
  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  let service: Server;
  let endpoint: string;
  let status: number;
  let received: { readonly headers: Record<string, unknown>; readonly body: Buffer }[];
  beforeEach(async () => {
    status = 201;
    received = [];
    service = createServer((request, response) => {
      void buffer(request).then((body) => {
        received.push({ headers: request.headers, body });
        response.writeHead(status).end();
      });
    });
    endpoint = `http://127.0.0.1:${await listen(service, '127.0.0.1', 0)}/push/secret`;
  });
  afterEach(() => void service.close());

  const subscribe = (url = endpoint) => add({ channel: 'push', endpoint: url, keys: { p256dh, auth } });
  const sendDue = async (allowsLoopback = true) => {
    await passTo(UNLOCKS - DAY);
    await job();
    const send = createPushSender({
      ...{ reminders: context, vapid: vapidKeys(TEST_MASTER_KEY), allowsLoopback },
      contact: 'support@example.com',
    });
    const [leased] = await portal.store.deliveries.claimDue({
      ...{ channel: 'push', now: UNLOCKS, leasedUntil: UNLOCKS + DAY, limit: 9 },
    });
    if (!leased) throw new Error('Nothing was due.');
    expect(leased.recipient).toBeNull();
    return send(leased, new AbortController().signal);
  };

  it('arrive encrypted and signed at its push service, and name neither a wallet nor an amount', async () => {
    const { body } = await subscribe();
    expect(body.reminders).toMatchObject([{ channel: 'push', state: 'on', target: new URL(endpoint).host }]);
    expect(body.pushKey).toBe(vapidKeys(TEST_MASTER_KEY).publicKey);
    expect(await sendDue()).toMatchObject({ kind: 'sent' });
    const [message] = received;
    if (!message) throw new Error('Nothing arrived.');
    expect(message.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' });
    const [, jwt = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(String(message.headers.authorization)) ?? [];
    expect(key).toBe(body.pushKey);
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ aud: new URL(endpoint).origin, sub: 'mailto:support@example.com' });
    const options = { version: 'aes128gcm', privateKey: browser, authSecret: auth };
    const payload = JSON.parse(decrypt(message.body, options).toString());
    expect(payload).toEqual({
      title: 'BlackDuck',
      body: 'One of your locks ends on 20 June 2026.',
      path: '/my-position',
    });
  });

  it.each([404, 410])('end when the push service answers %s', async (code) => {
    await subscribe();
    status = code;
    expect(await sendDue()).toMatchObject({ kind: 'dead', code: String(code) });
    expect(await portal.store.subscriptions.ofWallet(WALLET)).toEqual([]);
  });

  it('are tried again when the push service is busy', async () => {
    await subscribe();
    status = 429;
    expect(await sendDue()).toMatchObject({ kind: 'retry' });
    expect(await portal.store.subscriptions.ofWallet(WALLET)).toHaveLength(1);
  });

  it('are not sent to a private host', async () => {
    await subscribe();
    expect(await sendDue(false)).toMatchObject({ kind: 'retry', code: 'private-address' });
    expect(received).toEqual([]);
  });

  it('need an https endpoint, and keys of the right length', async () => {
    const onServer = await startTestPortal();
    onTestFinished(() => onServer.close());
    const session = { Cookie: await openWalletSession(onServer.store, WALLET, TEST_START) };
    const codeOf = async (body: unknown) =>
      JSON.parse((await sendForm(onServer.port, addReminder.path, body, session)).body).code;
    const push = { channel: 'push', keys: { p256dh, auth } };
    for (const url of [endpoint, 'http://push.example.com/x', 'https://a:b@push.example.com/x']) {
      expect(await codeOf({ ...push, endpoint: url }), url).toBe('push-endpoint');
    }
    expect(
      await codeOf({ ...push, endpoint: 'https://push.example.com/x', keys: { p256dh, auth: 'x' } }),
    ).toBe('invalid-body');
    expect(await codeOf({ ...push, endpoint: `https://push.example.com/${'x'.repeat(1_000)}` })).toBe(
      'invalid-body',
    );
    expect(await codeOf({ channel: 'telegram' })).toBe('no-bot');
  });
});
