import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BotApiPeer, errorAnswer, startBotApiPeer } from '../delivery/testing/bot-api-peer.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { createPortalBot, type PortalBot } from './portal-bot.ts';

const TOKEN = '123456:a-token-that-nobody-may-read';

let peer: BotApiPeer;
let bot: PortalBot;
let logged: string[];

function start(inputs = () => noFigureInputs('solana', new Set()), beforeCounts = async () => {}) {
  logged = [];
  bot = createPortalBot({
    config: { kind: 'bot', token: TOKEN, chatId: '-100', adminChatIds: ['-100'], apiRoot: peer.url },
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    now: Date.now,
    pause: async () => {},
  });
  bot.listen({
    answersPerMinute: 12,
    figureInputs: inputs,
    readiness: () => ({ ready: true, missing: [], warnings: [] }),
    store: {
      records: {
        counts: async () => {
          await beforeCounts();
          return {
            applications: {
              received: 1,
              'in-review': 0,
              approved: 0,
              refused: 0,
              'card-issued': 0,
              merged: 0,
            },
            requests: { received: 0, approved: 0, refused: 0, withdrawn: 0, merged: 0 },
            loans: {
              received: 0,
              'in-review': 0,
              approved: 0,
              refused: 0,
              'documents-deleted': 0,
              merged: 0,
            },
          };
        },
      },
      deliveries: { queueDepths: async () => [], listDead: async () => [] },
    },
    chatLinks: {
      start: async () => null,
      stop: async () => 0,
      count: async () => ({ wallets: 0, records: 0 }),
      answer: async () => null,
    },
    origin: 'https://portal.example.com',
  });
}

beforeEach(async () => {
  peer = await startBotApiPeer();
});
afterEach(async () => {
  await bot.stop();
  await peer.close();
});

const write = (text: string, chat = { id: 42, type: 'private' }) =>
  peer.sendToBot({
    message_id: 7,
    date: Math.floor(Date.now() / 1_000),
    text,
    chat,
    from: { id: 42, is_bot: false, first_name: 'Ada', username: 'Ada_L' },
  });
const sentTexts = () => peer.callsOf('sendMessage').map((body) => (body as { text: string }).text);

describe('the portal’s bot', () => {
  it('answers everyone, and has more commands in the team’s chat', async () => {
    start();
    write('/status');
    await peer.waitForCallsOf('sendMessage', 1);
    write('/queue', { id: -100, type: 'supergroup' });
    await peer.waitForCallsOf('sendMessage', 2);
    expect(sentTexts()[0]).toContain('Vault: unknown');
    expect(sentTexts()[1]).toContain('card applications: 1');
    expect(bot.pollState().kind).toBe('listening');
    expect(peer.callsOf('getUpdates')[0]).toMatchObject({ allowed_updates: ['message'] });
  });

  it('finds a chat by username, and lists updates without their texts and senders', async () => {
    start();
    write('/status');
    await peer.waitForCallsOf('sendMessage', 1);
    expect(bot.knownChats.chatOf('ada_l')).toBe('42');
    expect(bot.knownChats.chatOf('grace_h')).toBeNull();
    expect(bot.knownChats.recentUpdates()).toEqual([
      { updateId: 1, kind: 'command', at: expect.any(Number) },
    ]);
  });

  it('skips an update that it cannot read or answer, and logs neither its text nor its full chat id', async () => {
    let isBroken = true;
    start(() => {
      if (isBroken) throw new Error('the inputs cannot be read');
      return noFigureInputs('solana', new Set());
    });
    peer.sendToBot({ text: 'half a message' });
    write('/status my secret text');
    await expect.poll(() => logged.some((line) => line.includes('could not answer'))).toBe(true);
    isBroken = false;
    peer.answerAlways('sendMessage', errorAnswer(403, 'Forbidden: bot was blocked by the user'));
    write('/status', { id: 987_654_321, type: 'private' });
    await expect.poll(() => logged.some((line) => line.includes('was not sent'))).toBe(true);
    expect(logged.join()).toContain('chat …321');
    expect(logged.join()).not.toMatch(/987654321|secret text/);
  });

  it('can be stopped during a read, and confirms the answered updates', async () => {
    start();
    write('/help');
    await peer.waitForCallsOf('sendMessage', 1);
    await peer.waitForCallsOf('getUpdates', 2);
    await bot.stop();
    expect(peer.callsOf('getUpdates').at(-1)).toMatchObject({ offset: 2, timeout: 0 });
    expect(bot.pollState().kind).toBe('stopped');
  });

  it('finishes answering a message if it is stopped meanwhile', async () => {
    const { promise: counting, resolve: finish } = Promise.withResolvers<void>();
    const { promise: whenHandling, resolve: markHandling } = Promise.withResolvers<void>();
    start(undefined, () => {
      markHandling();
      return counting;
    });
    write('/queue', { id: -100, type: 'supergroup' });
    await whenHandling;
    const stopping = bot.stop();
    finish();
    await stopping;
    expect(sentTexts()).toHaveLength(1);
    expect(peer.callsOf('getUpdates').at(-1)).toMatchObject({ offset: 2, timeout: 0 });
  });

  it('can be stopped before it has read anything', async () => {
    peer.answerAlways('getMe', 'hang');
    start();
    await peer.waitForCallsOf('getMe', 1);
    await bot.stop();
    expect(peer.callsOf('getUpdates')).toEqual([]);
  });
});
