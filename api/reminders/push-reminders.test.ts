import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addReminder } from '../../data/contract/reminders.ts';
import { createPushSender } from '../delivery/push/push-sender.ts';
import { deriveVapidKeys } from '../delivery/push/vapid-keys.ts';
import { listen } from '../listen.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal, TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import {
  context,
  DAY_MS,
  portal,
  readStakesAt,
  requestReminder,
  runReminderJob,
  UNLOCKS_AT,
  useReminderPortal,
  WALLET,
} from './testing/reminder-portal.ts';

/** Decrypts a push message (RFC 8291). */
const { decrypt }: { decrypt(body: Buffer, options: object): Buffer } = createRequire(import.meta.url)(
  'http_ece',
);

describe('reminders in a browser', () => {
  useReminderPortal();

  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  let pushService: Server;
  let endpoint: string;
  let answerStatus: number;
  let receivedMessages: { readonly headers: Record<string, unknown>; readonly body: Buffer }[];
  beforeEach(async () => {
    answerStatus = 201;
    receivedMessages = [];
    pushService = createServer((request, response) => {
      void buffer(request).then((body) => {
        receivedMessages.push({ headers: request.headers, body });
        response.writeHead(answerStatus).end();
      });
    });
    endpoint = `http://127.0.0.1:${await listen(pushService, '127.0.0.1', 0)}/push/secret`;
  });
  afterEach(() => void pushService.close());

  const subscribe = (url = endpoint) =>
    requestReminder({ channel: 'push', endpoint: url, keys: { p256dh, auth } });
  const sendDueReminder = async ({ allowsLoopback = true, timeoutMs = 10_000 } = {}) => {
    await readStakesAt(UNLOCKS_AT - DAY_MS);
    await runReminderJob();
    const send = createPushSender({
      ...{ reminders: context, vapid: deriveVapidKeys(TEST_MASTER_KEY), allowsLoopback, timeoutMs },
      contact: 'support@example.com',
    });
    const [leasedDelivery] = await portal.store.deliveries.claimDue({
      ...{ channel: 'push', now: UNLOCKS_AT, leasedUntil: UNLOCKS_AT + DAY_MS, limit: 9 },
    });
    if (!leasedDelivery) throw new Error('Nothing was due.');
    expect(leasedDelivery.recipient).toBeNull();
    return send(leasedDelivery, new AbortController().signal);
  };

  it('arrive encrypted and signed at the push service, and name neither a wallet nor an amount', async () => {
    const { body } = await subscribe();
    expect(body.reminders).toMatchObject([{ channel: 'push', state: 'on', target: new URL(endpoint).host }]);
    expect(body.pushKey).toBe(deriveVapidKeys(TEST_MASTER_KEY).publicKey);
    expect(await sendDueReminder()).toMatchObject({ kind: 'sent' });
    const [message] = receivedMessages;
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
    answerStatus = code;
    expect(await sendDueReminder()).toMatchObject({ kind: 'dead', code: String(code) });
    expect(await portal.store.subscriptions.ofWallet(WALLET)).toEqual([]);
  });

  it('are tried again when the push service is busy', async () => {
    await subscribe();
    answerStatus = 429;
    expect(await sendDueReminder()).toMatchObject({ kind: 'retry' });
    expect(await portal.store.subscriptions.ofWallet(WALLET)).toHaveLength(1);
  });

  it('do not wait long for a push service that never answers, because other reminders wait meanwhile', async () => {
    await subscribe();
    pushService.removeAllListeners('request');
    expect(await sendDueReminder({ timeoutMs: 50 })).toMatchObject({ kind: 'retry', code: 'ETIMEDOUT' });
  });

  it('are not sent to a private host', async () => {
    await subscribe();
    expect(await sendDueReminder({ allowsLoopback: false })).toMatchObject({
      kind: 'retry',
      code: 'private-address',
    });
    expect(receivedMessages).toEqual([]);
  });

  it('need an https endpoint, and keys of the right length', async () => {
    const serverPortal = await startTestPortal();
    onTestFinished(() => serverPortal.close());
    const sessionHeaders = { Cookie: await openWalletSession(serverPortal.store, WALLET, TEST_START) };
    const codeOf = async (body: unknown) =>
      JSON.parse((await sendForm(serverPortal.port, addReminder.path, body, sessionHeaders)).body).code;
    const pushBody = { channel: 'push', keys: { p256dh, auth } };
    for (const url of [endpoint, 'http://push.example.com/x', 'https://a:b@push.example.com/x']) {
      expect(await codeOf({ ...pushBody, endpoint: url }), url).toBe('push-endpoint');
    }
    expect(
      await codeOf({ ...pushBody, endpoint: 'https://push.example.com/x', keys: { p256dh, auth: 'x' } }),
    ).toBe('invalid-body');
    expect(await codeOf({ ...pushBody, endpoint: `https://push.example.com/${'x'.repeat(1_000)}` })).toBe(
      'invalid-body',
    );
    expect(await codeOf({ channel: 'telegram' })).toBe('no-bot');
  });
});
