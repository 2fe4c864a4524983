import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { SUBMITTED_AT } from '../../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { recordUrl } from '../record-url.ts';
import { type BotApiPeer, errorAnswer, startBotApiPeer } from '../testing/bot-api-peer.ts';
import { createBotTransport } from './bot-transport.ts';
import { createNoticeOutboxTransport, createTelegramSender } from './telegram-sender.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';
const BOT = { kind: 'bot', token: TOKEN, chatId: '-100', adminChatIds: [] } as const;
const REFUSED_PAUSE = { kind: 'pause', reason: 'refused' };
const NEVER_ABORTED = new AbortController().signal;
const NO_ALERTS = { find: async () => null };
const ORIGIN = 'https://portal.example.com';

const NOTICE: LeasedDelivery = {
  id: '0f7e',
  event: 'card-application.received',
  referenceNumber: 'BD-20260102-123456',
  channel: 'telegram',
  audience: 'team',
  recipient: null,
  messageId: '0f7e@blackduck-portal',
  attemptCount: 0,
  fence: 1,
  createdAt: SUBMITTED_AT,
};

describe('a Telegram notice', () => {
  let peer: BotApiPeer;
  beforeEach(async () => {
    peer = await startBotApiPeer();
  });
  afterEach(() => peer.close());

  const createSender = (timeoutMs = 5_000) =>
    createTelegramSender({
      transport: createBotTransport({ ...BOT, apiRoot: peer.url }, timeoutMs),
      chatId: BOT.chatId,
      alerts: NO_ALERTS,
      origin: ORIGIN,
      teamOrigin: ORIGIN,
    });

  it('contains the kind, the reference number and a link, and nothing else', async () => {
    expect(await createSender()(NOTICE, NEVER_ABORTED)).toEqual({ kind: 'sent', providerId: '1' });
    expect(peer.calls).toEqual([
      {
        path: `/bot${TOKEN}/sendMessage`,
        body: {
          chat_id: '-100',
          text: `New card application\nBD-20260102-123456\n${recordUrl(ORIGIN, 'BD-20260102-123456')}`,
          link_preview_options: { is_disabled: true },
        },
      },
    ]);
  });

  it.each([
    ['verification-request.received', 'New verification request'],
    ['contact-message.received', 'New message to support'],
    ['loan-application.received', 'New loan note application'],
  ])('names the kind of %s', async (event, kind) => {
    await createSender()({ ...NOTICE, event }, NEVER_ABORTED);
    expect(peer.calls[0]?.body).toMatchObject({
      text: `${kind}\nBD-20260102-123456\n${recordUrl(ORIGIN, 'BD-20260102-123456')}`,
    });
  });

  it.each([{ event: 'card-application.approved' }, { audience: 'applicant' as const }])(
    'is not sent for %o',
    async (changes) => {
      expect(await createSender()({ ...NOTICE, ...changes }, NEVER_ABORTED)).toMatchObject({ kind: 'dead' });
      expect(peer.calls).toEqual([]);
    },
  );

  it.each([
    [
      'pauses the channel for as long as Telegram requests',
      errorAnswer(429, 'Too Many Requests', { retry_after: 7 }),
      { kind: 'pause', reason: 'busy', retryAfterMs: 7_000 },
    ],
    ['pauses the channel if the token is wrong', errorAnswer(401, 'Unauthorized'), REFUSED_PAUSE],
    ['pauses the channel if the token is malformed', errorAnswer(404, 'Not Found'), REFUSED_PAUSE],
    [
      'pauses the channel if the bot was removed from the chat',
      errorAnswer(403, 'Forbidden: bot was kicked'),
      REFUSED_PAUSE,
    ],
    [
      'pauses the channel if the chat is wrong',
      errorAnswer(400, 'Bad Request: chat not found'),
      REFUSED_PAUSE,
    ],
    [
      'pauses the channel if the chat was upgraded',
      errorAnswer(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: -1,
      }),
      REFUSED_PAUSE,
    ],
    [
      'fails if the message is rejected',
      errorAnswer(400, 'Bad Request: message text is empty'),
      { kind: 'dead' },
    ],
    ['is retried after a Telegram error', errorAnswer(500, 'Internal Server Error'), { kind: 'retry' }],
    ['is retried after a gateway error', errorAnswer(502, 'Bad Gateway'), { kind: 'retry' }],
    ['has an unknown outcome if the connection ends before the response', 'cut', { kind: 'unknown' }],
    [
      'has an unknown outcome if the response is not from Telegram',
      { status: 200, body: 'hello' },
      { kind: 'unknown' },
    ],
  ] as const)('%s', async (_case, answer, expected) => {
    peer.answerNext(answer);
    const outcome = await createSender()(NOTICE, NEVER_ABORTED);
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain('token-that-nobody');
  });

  it('has an unknown outcome if the response does not arrive in time, or the attempt is aborted', async () => {
    peer.answerNext('hang', 'hang');
    expect(await createSender(100)(NOTICE, NEVER_ABORTED)).toMatchObject({
      kind: 'unknown',
      code: 'ETIMEDOUT',
    });
    expect(await createSender()(NOTICE, AbortSignal.timeout(100))).toMatchObject({ kind: 'unknown' });
  });

  it('pauses the channel if Telegram is unreachable, without the token in the error', async () => {
    await peer.close();
    const outcome = await createSender()(NOTICE, NEVER_ABORTED);
    expect(outcome).toMatchObject({ kind: 'pause', reason: 'unreachable', code: 'ECONNREFUSED' });
    expect(JSON.stringify(outcome)).not.toContain('token-that-nobody');
    peer = await startBotApiPeer();
  });
});

describe('the outbox of notices', () => {
  it('stores each notice as one file, and a retry replaces it', async () => {
    const folder = temporaryFolder();
    const send = createTelegramSender({
      transport: createNoticeOutboxTransport(folder),
      chatId: 'outbox',
      alerts: NO_ALERTS,
      origin: ORIGIN,
      teamOrigin: ORIGIN,
    });
    for (const _attempt of [1, 2]) expect(await send(NOTICE, NEVER_ABORTED)).toMatchObject({ kind: 'sent' });
    const files = await readdir(folder);
    expect(files).toEqual(['20260102T030405.000Z-0f7e.json']);
    const file = join(folder, files[0] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      chat_id: 'outbox',
      text: `New card application\nBD-20260102-123456\n${recordUrl(ORIGIN, 'BD-20260102-123456')}`,
    });
  });
});
