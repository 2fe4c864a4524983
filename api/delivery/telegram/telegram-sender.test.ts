import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { SUBMITTED_AT } from '../../../data/store/testing/sample-submissions.ts';
import { type BotApiPeer, startBotApiPeer } from '../testing/bot-api-peer.ts';
import { botTransport, createTelegramSender, noticeOutbox } from './telegram-sender.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';
const NEVER = new AbortController().signal;
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

const refusal = (status: number, description: string, parameters?: object) => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters && { parameters }) },
});

describe('a Telegram notice', () => {
  let peer: BotApiPeer;
  beforeEach(async () => {
    peer = await startBotApiPeer();
  });
  afterEach(() => peer.close());

  const sender = (answerWithin = 5_000) =>
    createTelegramSender({
      transport: botTransport(
        { kind: 'bot', token: TOKEN, chatId: '-100', adminChatIds: [], apiRoot: peer.url },
        answerWithin,
      ),
      chatId: '-100',
      origin: ORIGIN,
    });

  it('tells the kind, the reference number and where to read it, and nothing else', async () => {
    expect(await sender()(NOTICE, NEVER)).toEqual({ kind: 'sent', providerId: '1' });
    expect(peer.calls).toEqual([
      {
        path: `/bot${TOKEN}/sendMessage`,
        body: {
          chat_id: '-100',
          text: `New card application\nBD-20260102-123456\n${ORIGIN}/admin/dashboard`,
          link_preview_options: { is_disabled: true },
        },
      },
    ]);
  });

  it.each([
    ['verification-request.received', 'New verification request'],
    ['contact-message.received', 'New message to support'],
    ['loan-application.received', 'New loan note application'],
  ])('tells of %s by its kind', async (event, kind) => {
    await sender()({ ...NOTICE, event }, NEVER);
    expect(peer.calls[0]?.body).toMatchObject({
      text: `${kind}\nBD-20260102-123456\n${ORIGIN}/admin/dashboard`,
    });
  });

  it.each([{ event: 'card-application.approved' }, { audience: 'applicant' as const }])(
    'is not made of what is not told this way: %o',
    async (changes) => {
      expect(await sender()({ ...NOTICE, ...changes }, NEVER)).toMatchObject({ kind: 'dead' });
      expect(peer.calls).toEqual([]);
    },
  );

  it.each([
    [
      'a busy bot, for as long as it asks',
      refusal(429, 'Too Many Requests', { retry_after: 7 }),
      { kind: 'pause', reason: 'busy', retryAfterMs: 7_000 },
    ],
    ['a bad token', refusal(401, 'Unauthorized'), { kind: 'pause', reason: 'refused' }],
    ['a token that cannot be one', refusal(404, 'Not Found'), { kind: 'pause', reason: 'refused' }],
    [
      'a bot that was thrown out',
      refusal(403, 'Forbidden: bot was kicked from the group chat'),
      { kind: 'pause', reason: 'refused' },
    ],
    ['a wrong chat', refusal(400, 'Bad Request: chat not found'), { kind: 'pause', reason: 'refused' }],
    [
      'a group that moved',
      refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1 }),
      { kind: 'pause', reason: 'refused' },
    ],
    ['a message that is refused', refusal(400, 'Bad Request: message text is empty'), { kind: 'dead' }],
    ['a fault of Telegram', refusal(500, 'Internal Server Error'), { kind: 'retry' }],
    ['a gateway that is down', refusal(502, 'Bad Gateway'), { kind: 'retry' }],
    ['a connection that ends before the answer', 'cut', { kind: 'unknown' }],
    ['an answer that is none', { status: 200, body: 'hello' }, { kind: 'unknown' }],
  ] as const)('meets %s', async (_case, answer, expected) => {
    peer.answerNext(typeof answer === 'string' ? answer : { status: answer.status, body: answer.body });
    const outcome = await sender()(NOTICE, NEVER);
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain('token-that-nobody');
  });

  it('is of unknown outcome where no answer comes in time, or it is broken off', async () => {
    peer.answerNext('hang', 'hang');
    expect(await sender(100)(NOTICE, NEVER)).toMatchObject({ kind: 'unknown', code: 'ETIMEDOUT' });
    expect(await sender()(NOTICE, AbortSignal.timeout(100))).toMatchObject({ kind: 'unknown' });
  });

  it('pauses the channel where nobody answers, without a word of the token', async () => {
    await peer.close();
    const outcome = await sender()(NOTICE, NEVER);
    expect(outcome).toMatchObject({ kind: 'pause', reason: 'unreachable', code: 'ECONNREFUSED' });
    expect(JSON.stringify(outcome)).not.toContain('token-that-nobody');
    peer = await startBotApiPeer();
  });
});

describe('the outbox of notices', () => {
  it('holds each as one file, the same again as the same one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
    const send = createTelegramSender({ transport: noticeOutbox(folder), chatId: 'outbox', origin: ORIGIN });
    for (const _try of [1, 2]) expect(await send(NOTICE, NEVER)).toMatchObject({ kind: 'sent' });
    const files = await readdir(folder);
    expect(files).toEqual(['20260102T030405.000Z-0f7e.json']);
    const file = join(folder, files[0] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      chat_id: 'outbox',
      text: `New card application\nBD-20260102-123456\n${ORIGIN}/admin/dashboard`,
    });
    await rm(folder, { recursive: true });
  });
});
