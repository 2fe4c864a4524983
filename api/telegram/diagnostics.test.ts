import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { telegramDiagnosis } from '../../data/contract/telegram.ts';
import { type BotApiPeer, errorAnswer, okAnswer, startBotApiPeer } from '../delivery/testing/bot-api-peer.ts';
import type { BotError } from './bot-client.ts';
import { createBotClient } from './bot-client.ts';
import { createDiagnostics, ELSEWHERE_ADVICE } from './diagnostics.ts';
import type { PollState } from './poll-updates.ts';
import { createPortalBot, type PortalBot } from './portal-bot.ts';
import { createTestSender } from './telegram-routes.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';
const CHAT = '-1009876543210';
const ORIGIN = 'https://portal.example.com';
const START = 1_767_225_600_000;

let peer: BotApiPeer;
let bot: PortalBot;
let pollState: PollState;
let now: number;
let timeoutMs: number;

beforeEach(async () => {
  peer = await startBotApiPeer();
  now = START;
  timeoutMs = 5_000;
  pollState = { kind: 'listening', at: START };
  const config = { kind: 'bot', token: TOKEN, chatId: CHAT, adminChatIds: [], apiRoot: peer.url } as const;
  const createdBot = createPortalBot({ config, log: pino({ enabled: false }), now: () => now });
  bot = { ...createdBot, pollState: () => pollState, api: async () => createBotClient(config, timeoutMs) };
});
afterEach(() => peer.close());

const diagnose = async (maxAgeMs = 0) => {
  const diagnosis = await createDiagnostics(bot, () => now).read(maxAgeMs);
  expect(telegramDiagnosis.parse(diagnosis)).toEqual(diagnosis);
  expect(JSON.stringify(diagnosis)).not.toMatch(/nobody-may-read|9876543210/);
  return diagnosis;
};

describe('the diagnosis of the bot', () => {
  it('makes no recommendations when everything works', async () => {
    bot.knownChats.addUpdate(4, null, START);
    expect(await diagnose()).toEqual({
      botToken: 'Present',
      chatId: '…210',
      connectionTest: {
        success: true,
        error: null,
        botInfo: { first_name: 'BlackDuck', username: 'blackduck_test_bot' },
      },
      messageTest: { success: true, chatId: '…210', error: null },
      updatesTest: {
        success: true,
        error: null,
        updates: [{ updateId: 4, kind: 'other', at: '2026-01-01T00:00:00.000Z' }],
      },
      recommendations: [],
      checkedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('sends no message and reads no update', async () => {
    await diagnose();
    const methods = peer.calls.map(({ path }) => path.split('/').at(-1)).toSorted();
    expect(methods).toEqual(['getChat', 'getChatMember', 'getMe', 'getWebhookInfo']);
  });

  it('reports that no bot is configured', async () => {
    const diagnosis = await createDiagnostics(null, () => now).read(0);
    expect(telegramDiagnosis.parse(diagnosis)).toMatchObject({
      botToken: 'Missing',
      chatId: null,
      connectionTest: { success: false, error: 'No bot is configured.' },
      recommendations: [expect.stringContaining('TELEGRAM_BOT_TOKEN')],
    });
  });

  it.each([
    ['a rejected token', errorAnswer(401, 'Unauthorized'), /does not accept the token/],
    ['an internal error at Telegram', errorAnswer(500, 'Internal Server Error'), /internal error/],
    ['no answer', 'hang', /does not respond in time/],
    ['a connection that is cut', 'cut', /Check TELEGRAM_API_ROOT/],
    ['another server', { status: 200, body: { ok: true, result: [] } }, /Check TELEGRAM_API_ROOT/],
  ] as const)('reports %s, and what to do', async (_case, answer, advice) => {
    if (answer === 'hang') timeoutMs = 200;
    for (const method of ['getMe', 'getChat', 'getChatMember', 'getWebhookInfo']) {
      peer.answerAlways(method, answer);
    }
    const { connectionTest, messageTest, recommendations } = await diagnose();
    expect([connectionTest.success, messageTest.success]).toEqual([false, false]);
    expect(connectionTest.error).toEqual(expect.any(String));
    expect(recommendations[0]).toMatch(advice);
  });

  it.each([
    ['getChat', errorAnswer(400, 'Bad Request: chat not found'), /does not know the chat/],
    ['getChat', errorAnswer(403, 'Forbidden: bot was kicked'), /Add it again/],
    ['getChatMember', okAnswer({ status: 'left' }), /Add it again/],
    ['getChatMember', okAnswer({ status: 'kicked' }), /Add it again/],
    ['getChatMember', okAnswer({ status: 'restricted', can_send_messages: false }), /Give it the right/],
  ] as const)('reports that the bot cannot write to the team (%s: %o)', async (method, answer, advice) => {
    peer.answerAlways(method, answer);
    const { connectionTest, messageTest, recommendations } = await diagnose();
    expect(connectionTest.success).toBe(true);
    expect(messageTest).toMatchObject({ success: false, error: expect.any(String) });
    expect(recommendations).toEqual([expect.stringMatching(advice)]);
  });

  it('reports a bot that lacks the right to post in a channel', async () => {
    peer.answerAlways('getChat', okAnswer({ id: -1, type: 'channel' }));
    peer.answerAlways('getChatMember', okAnswer({ status: 'administrator', can_post_messages: true }));
    expect((await diagnose()).messageTest.success).toBe(true);
    peer.answerAlways('getChatMember', okAnswer({ status: 'administrator' }));
    expect((await diagnose()).messageTest.success).toBe(false);
  });

  it('reports that another program or a webhook receives the updates', async () => {
    const error: BotError = { kind: 'conflict', message: 'Conflict: terminated by other getUpdates request' };
    pollState = { kind: 'failing', error, at: START };
    const conflictDiagnosis = await diagnose();
    expect(conflictDiagnosis.updatesTest).toMatchObject({ success: false, error: error.message });
    expect(conflictDiagnosis.recommendations).toHaveLength(1);
    peer.answerAlways('getWebhookInfo', okAnswer({ url: 'https://x.example', pending_update_count: 3 }));
    const { recommendations } = await diagnose();
    expect(recommendations).toHaveLength(1);
    expect(recommendations).not.toEqual(conflictDiagnosis.recommendations);
  });

  it('says that this replica does not read the messages, without reporting an error', async () => {
    const config = { ...bot.config };
    const standby = createPortalBot({
      config,
      log: pino({ enabled: false }),
      now: () => now,
      isShared: true,
    });
    pollState = standby.pollState();
    const { updatesTest, recommendations } = await diagnose();
    expect(updatesTest).toEqual({ success: true, error: null, updates: [] });
    expect(recommendations).toEqual([ELSEWHERE_ADVICE]);
    expect(await createTestSender(bot, () => '').sendMessage('ada_l', 'Hello')).toMatchObject({
      error: ELSEWHERE_ADVICE,
    });
  });

  it('is shared by concurrent callers, and reused while it is fresh', async () => {
    const diagnostics = createDiagnostics(bot, () => now);
    await Promise.all([diagnostics.read(4_000), diagnostics.read(4_000), diagnostics.read(1_000)]);
    now += 3_999;
    await diagnostics.read(4_000);
    expect(peer.callsOf('getMe')).toHaveLength(1);
    await diagnostics.read(1_000);
    now += 4_000;
    await diagnostics.read(4_000);
    expect(peer.callsOf('getMe')).toHaveLength(3);
  });

  it('respects Telegram’s rate limit, and reports it', async () => {
    peer.answerAlways('getMe', errorAnswer(429, 'Too Many Requests: retry after 30', { retry_after: 30 }));
    const diagnostics = createDiagnostics(bot, () => now);
    expect((await diagnostics.read(0)).recommendations[0]).toMatch(/rate limiting the bot/);
    now += 29_000;
    await diagnostics.read(0);
    expect(peer.callsOf('getMe')).toHaveLength(1);
    now += 1_001;
    await diagnostics.read(0);
    expect(peer.callsOf('getMe')).toHaveLength(2);
  });
});

describe('a test message', () => {
  const newTestSender = () => createTestSender(bot, () => ORIGIN);

  it('goes to the team’s chat if no username is given, and is marked as a test', async () => {
    const outcome = await newTestSender().sendMessage('', 'Is this on?');
    expect(outcome).toEqual({ success: true, chatId: '…210', error: null });
    expect(peer.callsOf('sendMessage')).toEqual([
      {
        chat_id: CHAT,
        text: 'Test message from the BlackDuck portal\n\nIs this on?',
        link_preview_options: { is_disabled: true },
      },
    ]);
  });

  it('goes only to a person who has written to the bot, matching the username case-insensitively', async () => {
    const message = {
      ...{ id: 1, updateId: 1, at: START, text: '/start', chatId: '4200', isPrivate: true },
      ...{ username: 'Ada_L', repliedText: null },
    };
    bot.knownChats.addUpdate(1, message, START);
    expect(await newTestSender().sendMessage('@ada_l', 'Hello')).toMatchObject({
      success: true,
      chatId: '…200',
    });
    expect(peer.callsOf('sendMessage')).toMatchObject([{ chat_id: '4200' }]);
    expect(await newTestSender().sendMessage('grace_h', 'Hello')).toEqual({
      success: false,
      chatId: null,
      error: expect.stringMatching(/^@grace_h has not written to the bot/),
    });
    expect(peer.callsOf('sendMessage')).toHaveLength(1);
  });

  it('reports Telegram’s error, or that there is no bot', async () => {
    peer.answerAlways('sendMessage', errorAnswer(403, 'Forbidden: bot was kicked from the group chat'));
    expect(await newTestSender().sendMessage('', 'Hello')).toEqual({
      success: false,
      chatId: null,
      error: 'Forbidden: bot was kicked from the group chat',
    });
    const senderWithoutBot = createTestSender(null, () => ORIGIN);
    for (const outcome of [
      await senderWithoutBot.sendMessage('', 'x'),
      await senderWithoutBot.sendApplication(),
    ]) {
      const error = expect.stringMatching(/^No bot is configured/);
      expect(outcome).toMatchObject({ success: false, error });
    }
  });
});

it('a test application notifies the team’s chat, is marked as a test, and contains no personal data', async () => {
  const testSender = createTestSender(bot, () => ORIGIN);
  expect(await testSender.sendApplication()).toMatchObject({ success: true });
  const text = `TEST: this is not a real application\nNew card application\nBD-00000000-000000\n${ORIGIN}/admin/dashboard#overview?record=BD-00000000-000000`;
  expect(peer.callsOf('sendMessage')).toMatchObject([{ chat_id: CHAT, text }]);
});
