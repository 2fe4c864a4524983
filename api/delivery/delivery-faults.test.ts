// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { submitApplication } from '../../data/store/testing/sample-submissions.ts';
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts';
import { botTransport, createTelegramSender } from './telegram/telegram-sender.ts';
import { type BotApiPeer, refusal, startBotApiPeer } from './testing/bot-api-peer.ts';
import { localMailSender, MAIL_OPTIONS } from './testing/every-mail.ts';
import { type LineFault, type LineProxy, startLineProxy } from './testing/line-proxy.ts';
import { type SmtpPeer, startSmtpPeer } from './testing/smtp-peer.ts';

const NAME = 'محمد 🦆';

/** One fault before, one within and one after the message. smtp-transport.test.ts has them all. */
const LINE_FAULTS: readonly LineFault[] = [
  { at: 'RCPT', how: 'hang' },
  { at: 'body', how: 'cut' },
  { at: 'message', how: 'cut' },
];

describe('a submission whose mail server or bot server fails', () => {
  let folder: string;
  let store: AppStore;
  let smtp: SmtpPeer;
  let bot: BotApiPeer;
  let line: LineProxy;
  let worker: DeliveryWorker;
  /** Milliseconds that the worker's clock is ahead, to skip pauses. */
  let ahead = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'delivery-faults-'));
    store = await openAppStore(join(folder, 'app.db'));
    [smtp, bot] = await Promise.all([startSmtpPeer(), startBotApiPeer()]);
    line = await startLineProxy(smtp.port);
    const token = '123456:a-token-that-nobody-may-read';
    const timeouts = { connect: 1_000, greeting: 1_000, silence: 1_000 };
    const send = localMailSender(store, line.port, 'team@example.com', timeouts);
    const sendNotice = createTelegramSender({
      transport: botTransport(
        { kind: 'bot', token, chatId: '-100', adminChatIds: [], apiRoot: bot.url },
        1_000,
      ),
      chatId: '-100',
      origin: MAIL_OPTIONS.origin,
    });
    worker = await startDeliveryWorker({
      store: store.deliveries,
      senders: {
        mail: { maskedRecipient: () => 'masked', send },
        telegram: { maskedRecipient: () => 'masked', send: sendNotice },
      },
      log: pino({ level: 'silent' }),
      now: () => Date.now() + ahead,
      retryWait: () => 20,
    });
  });
  afterAll(async () => {
    await worker.stop();
    await store.close();
    await Promise.all([line.close(), bot.close()]);
    await smtp.close();
    await rm(folder, { recursive: true });
  });

  const submit = () => submitApplication(store, { name: NAME });

  async function isDelivered(referenceNumber: string): Promise<void> {
    const check = async () => {
      // Skips any pause.
      ahead += 600_000;
      worker.wake();
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      return deliveries.every(({ state }) => state === 'sent');
    };
    await vi.waitUntil(check, { timeout: 20_000, interval: 50 });
  }

  /** How many duplicates of a submission's mails arrived. Each needs an attempt that was logged as unknown. */
  async function duplicatesOf(referenceNumber: string): Promise<number> {
    const attempts = await store.deliveries.attempts(10_000);
    let duplicates = 0;
    for (const { id, channel, messageId } of await store.deliveries.deliveriesOf(referenceNumber)) {
      const mails = smtp.received.filter(({ parsed }) => parsed.messageId === `<${messageId}>`);
      const notices = bot.calls.filter(({ body }) => JSON.stringify(body).includes(referenceNumber));
      const ofDelivery = attempts.filter(({ deliveryId }) => deliveryId === id);
      const unknown = ofDelivery.filter(({ outcome }) => outcome === 'unknown').length;
      expect(ofDelivery.filter(({ outcome }) => outcome === 'sent')).toHaveLength(1);
      if (channel === 'telegram') {
        expect(notices.length).toBeGreaterThanOrEqual(1);
        continue;
      }
      expect(mails.length).toBeGreaterThanOrEqual(1);
      expect(mails.length).toBeLessThanOrEqual(1 + unknown);
      expect(new Set(mails.map(({ parsed }) => parsed.text)).size).toBe(1);
      duplicates += mails.length - 1;
    }
    return duplicates;
  }

  it.each(LINE_FAULTS)('arrives after the connection was lost at $at ($how)', async (fault) => {
    const lost = line.lost;
    line.lose(fault);
    const referenceNumber = await submit();
    await vi.waitUntil(() => line.lost >= lost + 2, { timeout: 10_000 });
    line.lose(null);
    await isDelivered(referenceNumber);
    const duplicates = await duplicatesOf(referenceNumber);
    if (fault.at !== 'message') expect(duplicates).toBe(0);
    else expect(duplicates).toBeGreaterThan(0);
    const team = smtp.received.findLast(
      ({ parsed }) => parsed.subject === `Card application ${referenceNumber}`,
    );
    expect(team?.parsed.replyTo?.value).toEqual([{ name: NAME, address: 'ada@example.com' }]);
  });

  it.each([
    { step: 'MAIL', code: 550 },
    { step: 'RCPT', code: 450 },
  ] as const)('arrives once after the mail server temporarily rejected it: $step $code', async (fault) => {
    smtp.refuse(fault);
    const referenceNumber = await submit();
    const isRefused = async () =>
      (await store.deliveries.attempts(20)).some(
        (attempt) => attempt.referenceNumber === referenceNumber && attempt.code === String(fault.code),
      );
    await vi.waitUntil(isRefused, { timeout: 10_000 });
    smtp.refuse(null);
    await isDelivered(referenceNumber);
    expect(await duplicatesOf(referenceNumber)).toBe(0);
  });

  it.each([
    ['429', [refusal(429, 'busy', { retry_after: 3_600 })]],
    ['401', [refusal(401, 'Unauthorized')]],
    ['500, a cut connection and a hung one', [refusal(500, 'Internal Server Error'), 'cut', 'hang']],
  ] as const)('is announced once Telegram accepts the notice, after %s', async (_case, faults) => {
    const calls = bot.calls.length;
    bot.answerNext(...faults);
    const referenceNumber = await submit();
    await bot.waitForCalls(calls + 1);
    await isDelivered(referenceNumber);
    expect(bot.calls.length).toBe(calls + faults.length + 1);
    await duplicatesOf(referenceNumber);
  });
});
