import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BotApiPeer, granted, refusal, startBotApiPeer } from '../delivery/testing/bot-api-peer.ts';
import { createBotClient } from './bot-client.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';

let peer: BotApiPeer;
beforeEach(async () => {
  peer = await startBotApiPeer();
});
afterEach(() => peer.close());

const client = (answerWithin?: number) => createBotClient({ token: TOKEN, apiRoot: peer.url }, answerWithin);

describe('a call of the Bot API', () => {
  it.each([
    ['token', refusal(401, 'Unauthorized')],
    ['token', refusal(404, 'Not Found')],
    ['forbidden', refusal(403, 'Forbidden: bot was kicked from the group chat')],
    ['chat', refusal(400, 'Bad Request: chat not found')],
    ['refused', refusal(400, 'Bad Request: message is too long')],
    ['conflict', refusal(409, 'Conflict: terminated by other getUpdates request')],
    ['busy', refusal(429, 'Too Many Requests: retry after 7', { retry_after: 7 })],
    ['failed', refusal(500, 'Internal Server Error')],
    ['failed', refusal(502, 'Bad Gateway')],
    ['unreadable', { status: 200, body: 'hello' }],
    ['unreadable', granted('not what was asked for')],
    ['unreadable', 'cut'],
  ] as const)('that comes to nothing is %s, in words without the token', async (kind, answer) => {
    peer.answerNext(answer);
    const got = await client().getMe();
    expect(got).toMatchObject({ ok: false, fault: { kind } });
    expect(JSON.stringify(got)).not.toContain('nobody-may-read');
    if (!got.ok) expect(got.fault.error.length).toBeGreaterThan(8);
    if (!got.ok && kind === 'busy') expect(got.fault.retryAfterMs).toBe(7_000);
  });

  it('leaves the token out of the words of a server that repeats it', async () => {
    peer.answerNext(refusal(500, `cannot route /bot${TOKEN}/getMe`));
    expect(JSON.stringify(await client().getMe())).not.toContain('nobody-may-read');
  });

  it('ends within its time where no answer comes, and where it is broken off', async () => {
    peer.answerNext('hang', 'hang');
    expect(await client(100).getMe()).toMatchObject({ ok: false, fault: { kind: 'silent' } });
    expect(await client().getMe(AbortSignal.timeout(100))).toMatchObject({ ok: false });
  });

  it('says that nobody can be reached', async () => {
    const bot = client();
    await peer.close();
    expect(await bot.getMe()).toMatchObject({ ok: false, fault: { kind: 'unreachable' } });
    peer = await startBotApiPeer();
  });

  it('asks what the diagnostics need, and sends plain text as an answer', async () => {
    const bot = client();
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
