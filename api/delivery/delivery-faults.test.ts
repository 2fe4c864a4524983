import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { sampleApplication, sampleTerms } from '../../data/store/testing/sample-submissions.ts';
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts';
import { createMailSender } from './mail/mail-sender.ts';
import { smtpTransport } from './mail/smtp-transport.ts';
import { botTransport, createTelegramSender } from './telegram/telegram-sender.ts';
import { type BotAnswer, type BotApiPeer, startBotApiPeer } from './testing/bot-api-peer.ts';
import { type LineFault, type LineProxy, startLineProxy } from './testing/line-proxy.ts';
import { type SmtpPeer, startSmtpPeer } from './testing/smtp-peer.ts';

const NAME = 'محمد 🦆';
const ORIGIN = 'https://portal.example.com';

const LINE_FAULTS: readonly LineFault[] = (
  ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'body', 'message'] as const
).flatMap((at) => (['hang', 'cut'] as const).map((how) => ({ at, how })));
const refusal = (status: number, parameters?: object): BotAnswer => ({
  status,
  body: { ok: false, error_code: status, description: 'refused', ...(parameters && { parameters }) },
});

describe('what is submitted while its peers have faults', () => {
  let folder: string;
  let store: AppStore;
  let smtp: SmtpPeer;
  let bot: BotApiPeer;
  let line: LineProxy;
  let worker: DeliveryWorker;
  /** Ahead of time, where a pause is waited out. */
  let ahead = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'delivery-faults-'));
    store = await openAppStore(join(folder, 'app.db'));
    [smtp, bot] = await Promise.all([startSmtpPeer(), startBotApiPeer()]);
    line = await startLineProxy(smtp.port);
    const server = {
      kind: 'smtp',
      host: '127.0.0.1',
      port: line.port,
      isSecure: false,
      credentials: null,
    } as const;
    const token = '123456:a-token-that-nobody-may-read';
    const send = createMailSender({
      submissions: store,
      transport: smtpTransport(server, { connect: 1_000, greeting: 1_000, silence: 1_000 }),
      from: { name: 'BlackDuck', address: 'portal@example.com' },
      team: 'team@example.com',
      origin: ORIGIN,
      decimals: async () => 6,
    });
    const tell = createTelegramSender({
      transport: botTransport(
        { kind: 'bot', token, chatId: '-100', adminChatIds: [], apiRoot: bot.url },
        1_000,
      ),
      chatId: '-100',
      origin: ORIGIN,
    });
    worker = await startDeliveryWorker({
      store: store.deliveries,
      senders: {
        mail: { maskedRecipient: () => 'masked', send },
        telegram: { maskedRecipient: () => 'masked', send: tell },
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

  async function submit(): Promise<string> {
    const outcome = await store.applications.submitApplication(
      sampleApplication({ name: NAME }),
      sampleTerms(),
    );
    if (outcome.kind !== 'accepted') throw new Error('it is to be accepted');
    return String(outcome.answer.referenceNumber);
  }

  async function isDelivered(referenceNumber: string): Promise<void> {
    const look = async () => {
      // Waits out whatever pause there is.
      ahead += 600_000;
      worker.wake();
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      return deliveries.every(({ state }) => state === 'sent');
    };
    await vi.waitUntil(look, { timeout: 20_000, interval: 50 });
  }

  /** How often each delivery of a submission arrived beyond once, which its log has to know of. */
  async function doublesOf(referenceNumber: string): Promise<number> {
    const attempts = await store.deliveries.attempts(10_000);
    let doubles = 0;
    for (const { id, channel, messageId } of await store.deliveries.deliveriesOf(referenceNumber)) {
      const mails = smtp.taken.filter(({ parsed }) => parsed.messageId === `<${messageId}>`);
      const notices = bot.calls.filter(({ body }) => JSON.stringify(body).includes(referenceNumber));
      const of = attempts.filter(({ deliveryId }) => deliveryId === id);
      const unknown = of.filter(({ outcome }) => outcome === 'unknown').length;
      expect(of.filter(({ outcome }) => outcome === 'sent')).toHaveLength(1);
      if (channel === 'telegram') {
        expect(notices.length).toBeGreaterThanOrEqual(1);
        continue;
      }
      expect(mails.length).toBeGreaterThanOrEqual(1);
      expect(mails.length).toBeLessThanOrEqual(1 + unknown);
      // Each time the same mail.
      expect(new Set(mails.map(({ parsed }) => parsed.text)).size).toBe(1);
      doubles += mails.length - 1;
    }
    return doubles;
  }

  it.each(LINE_FAULTS)('arrives once the line that is lost at $at ($how) is mended', async (fault) => {
    const lost = line.lost;
    line.lose(fault);
    const referenceNumber = await submit();
    await vi.waitUntil(() => line.lost >= lost + 2, { timeout: 10_000 });
    line.lose(null);
    await isDelivered(referenceNumber);
    const doubles = await doublesOf(referenceNumber);
    if (fault.at !== 'message') expect(doubles).toBe(0);
    else expect(doubles).toBeGreaterThan(0);
    const team = smtp.taken.findLast(
      ({ parsed }) => parsed.subject === `Card application ${referenceNumber}`,
    );
    expect(team?.parsed.replyTo?.value).toEqual([{ name: NAME, address: 'ada@example.com' }]);
  });

  it.each([
    { step: 'CONNECT', code: 421 },
    { step: 'MAIL', code: 550 },
    { step: 'RCPT', code: 450 },
    { step: 'DATA', code: 452 },
  ] as const)('arrives once after the mail server refused it for now: $step $code', async (fault) => {
    smtp.refuse(fault);
    const referenceNumber = await submit();
    const isRefused = async () =>
      (await store.deliveries.attempts(20)).some(
        (attempt) => attempt.referenceNumber === referenceNumber && attempt.code === String(fault.code),
      );
    await vi.waitUntil(isRefused, { timeout: 10_000 });
    smtp.refuse(null);
    await isDelivered(referenceNumber);
    expect(await doublesOf(referenceNumber)).toBe(0);
  });

  it.each([
    ['429', [refusal(429, { retry_after: 3_600 })]],
    ['401', [refusal(401), refusal(401)]],
    ['500 and 502', [refusal(500), refusal(502)]],
    ['a cut and a hang', ['cut', 'hang']],
  ] as const)('is told once Telegram takes it, after %s', async (_case, answers) => {
    const calls = bot.calls.length;
    bot.answerNext(...answers);
    const referenceNumber = await submit();
    await bot.isCalled(calls + 1);
    await isDelivered(referenceNumber);
    expect(bot.calls.length).toBe(calls + answers.length + 1);
    await doublesOf(referenceNumber);
  });
});
