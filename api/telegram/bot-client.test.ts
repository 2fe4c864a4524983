import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BotApiPeer, errorAnswer, okAnswer, startBotApiPeer } from '../delivery/testing/bot-api-peer.ts';
import { createBotClient } from './bot-client.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';

let peer: BotApiPeer;
beforeEach(async () => {
  peer = await startBotApiPeer();
});
afterEach(() => peer.close());

const createClient = (timeoutMs?: number) => createBotClient({ token: TOKEN, apiRoot: peer.url }, timeoutMs);

describe('a call to the Bot API', () => {
  it.each([
    ['token', errorAnswer(401, 'Unauthorized')],
    ['token', errorAnswer(404, 'Not Found')],
    ['forbidden', errorAnswer(403, 'Forbidden: bot was kicked from the group chat')],
    ['chat', errorAnswer(400, 'Bad Request: chat not found')],
    ['refused', errorAnswer(400, 'Bad Request: message is too long')],
    ['conflict', errorAnswer(409, 'Conflict: terminated by other getUpdates request')],
    ['busy', errorAnswer(429, 'Too Many Requests: retry after 7', { retry_after: 7 })],
    ['failed', errorAnswer(500, 'Internal Server Error')],
    ['failed', errorAnswer(502, 'Bad Gateway')],
    ['unreadable', { status: 200, body: 'hello' }],
    ['unreadable', okAnswer('not the requested result')],
    ['unreadable', 'cut'],
  ] as const)('fails with the kind %s, and the error does not contain the token', async (kind, answer) => {
    peer.answerNext(answer);
    const outcome = await createClient().getMe();
    expect(outcome).toMatchObject({ ok: false, error: { kind } });
    expect(JSON.stringify(outcome)).not.toContain('nobody-may-read');
    if (!outcome.ok) expect(outcome.error.message.length).toBeGreaterThan(8);
    if (!outcome.ok && kind === 'busy') expect(outcome.error.retryAfterMs).toBe(7_000);
  });

  it('never puts the token in its error, even if the server repeats it', async () => {
    peer.answerNext(errorAnswer(500, `cannot route /bot${TOKEN}/getMe`));
    expect(JSON.stringify(await createClient().getMe())).not.toContain('nobody-may-read');
  });

  it('ends at its time limit, or when it is aborted', async () => {
    peer.answerNext('hang', 'hang');
    expect(await createClient(100).getMe()).toMatchObject({ ok: false, error: { kind: 'silent' } });
    expect(await createClient().getMe(AbortSignal.timeout(100))).toMatchObject({ ok: false });
  });

  it('fails as unreachable if no server listens', async () => {
    const bot = createClient();
    await peer.close();
    expect(await bot.getMe()).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
    peer = await startBotApiPeer();
  });

  it('reads the data that the diagnostics need, and sends plain text', async () => {
    const bot = createClient();
    expect(await bot.getChat('-100')).toEqual({ ok: true, result: { id: -100, type: 'supergroup' } });
    expect(await bot.getOwnMembership('-100')).toEqual({ ok: true, result: { status: 'member' } });
    expect(peer.callsOf('getChatMember')).toEqual([{ chat_id: '-100', user_id: 123456 }]);
    expect(await bot.getWebhookInfo()).toEqual({ ok: true, result: { url: '', pending_update_count: 0 } });
    expect(await bot.send({ chatId: '42', text: '*<b>hi', replyTo: 7 })).toMatchObject({ ok: true });
    expect(peer.callsOf('sendMessage')).toEqual([
      {
        chat_id: '42',
        text: '*<b>hi',
        link_preview_options: { is_disabled: true },
        reply_parameters: { message_id: 7, allow_sending_without_reply: true },
      },
    ]);
  });
});
