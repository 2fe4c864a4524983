import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeadDelivery } from '../../data/store/delivery-port.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { type FigureInputs, noFigureInputs } from '../metrics/figure.ts';
import { readiness } from '../operations/readiness.ts';
import type { ChatLinks } from '../reminders/chat-links.ts';
import { stakesContent } from '../staking/current-stakes.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { manyStakes, walletOf } from '../testing/sample-stakes.ts';
import { createBotAnswerer } from './bot-answers.ts';
import type { IncomingMessage } from './incoming-message.ts';

const ORIGIN = 'https://portal.example.com';
const INPUTS: FigureInputs = {
  ...noFigureInputs('solana', new Set()),
  index: SAMPLE_INDEX,
  stakes: { content: stakesContent(manyStakes(3), 6), slot: 4_242, readAt: TEST_START },
};

function createBot({
  inputs = INPUTS,
  dead = [] as DeadDelivery[],
  answerTeam = (async () => null) as ChatLinks['answer'],
  records = 0,
  stop = null as ChatLinks['stop'] | null,
} = {}) {
  let now = TEST_START + 12_000;
  const linked = new Map<string, string>();
  const answers = createBotAnswerer({
    figureInputs: () => inputs,
    readiness: () => readiness(inputs, true, null, now),
    store: {
      records: {
        counts: async () => ({
          applications: { received: 2, 'in-review': 1, approved: 9, refused: 9, 'card-issued': 9, merged: 0 },
          requests: { received: 2, approved: 9, refused: 9, withdrawn: 0, merged: 0 },
          loans: { received: 0, 'in-review': 0, approved: 9, refused: 9, 'documents-deleted': 9, merged: 0 },
        }),
      },
      deliveries: {
        listDead: async (limit) => dead.slice(0, limit),
        queueDepths: async () => [
          { channel: 'mail', state: 'waiting', deliveries: 4 },
          { channel: 'telegram', state: 'leased', deliveries: 1 },
          { channel: 'mail', state: 'dead', deliveries: 2 },
        ],
      },
    },
    chatLinks: {
      start: async (token, chatId) => {
        if (token !== 'a-token') return null;
        linked.set(chatId, token);
        return 'reminder';
      },
      stop: stop ?? (async (chatId) => Number(linked.delete(chatId))),
      count: async (chatId) => ({ wallets: Number(linked.has(chatId)), records }),
      answer: answerTeam,
    },
    adminChatIds: ['-1001'],
    answersPerMinute: 12,
    origin: ORIGIN,
    now: () => now,
  });
  const ask = (text: string, changes: Partial<IncomingMessage> = {}) =>
    answers(
      {
        ...{ id: 1, updateId: 1, at: now, text, chatId: '42', isPrivate: true },
        ...{ username: 'ada_l', repliedText: null, ...changes },
      },
      'duck_bot',
    );
  return { ask, linked, pass: (ms: number) => (now += ms) };
}
const TEAM_CHAT = { chatId: '-1001', isPrivate: false };
const GROUP_CHAT = { chatId: '-2002', isPrivate: false };

describe('the bot', () => {
  it('reports the portal’s state, and its figures with their age', async () => {
    const answer = await createBot().ask('/status');
    expect(answer).toMatch(/^The portal is up/);
    expect(answer).toContain('Vault: 99,998,436.01 BD (12 s ago, ageing)');
    expect(answer).toContain('Staked: 20,887,580.31 BD by 8 wallets (12 s ago, ageing)');
    expect(answer).toMatch(/^Price: \$0\.0\d+.* \(12 s ago\)$/m);
  });

  it('reports unknown figures as unknown, never as zero', async () => {
    const answer = await createBot({ inputs: noFigureInputs('solana', new Set()) }).ask('/status');
    expect(answer).toMatch(/^The portal is up, but not everything works/);
    expect(answer).toContain('Vault: unknown\nStaked: unknown\nPrice: unknown');
  });

  it('reports the stake, tier and lock of a wallet', async () => {
    const answer = await createBot().ask(`/verify ${walletOf(1)}`);
    expect(answer).toContain('stakes 2,000,000.00 BD.\nTier: Duckling\nUnlocks: 2026-06-');
    expect(answer).toContain('12 s ago');
    expect(await createBot().ask(`/verify ${walletOf(99)}`)).toContain('Tier: None');
  });

  it('reports no stake while the stakes are missing or out of date', async () => {
    const withoutStakes = await createBot({ inputs: { ...INPUTS, stakes: null } }).ask(
      `/verify ${walletOf(1)}`,
    );
    const { ask, pass } = createBot();
    pass(60_000);
    for (const answer of [withoutStakes, await ask(`/verify ${walletOf(1)}`)]) {
      expect(answer).not.toContain('Tier');
    }
  });

  it('never repeats text from a message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 6, unit: 'grapheme' }), async (text) => {
        const answer = await createBot().ask(`/verify <b>${text}</b>`);
        expect(answer).toContain('/verify');
        expect(answer).not.toContain('<b>');
      }),
      { numRuns: 50 },
    );
  });

  it.each(['/start', '/help'])('lists the public commands for %s', async (text) => {
    const answer = await createBot().ask(text);
    expect(answer).toContain('/verify <wallet>');
    expect(answer).toContain(ORIGIN);
    expect(answer).not.toContain('/queue');
  });

  it.each(['/queue', '/deliveries', '/nonsense', 'hello', '/constructor', '/__proto__'])(
    'responds to the unknown command %s with the list of commands',
    async (text) => {
      expect(await createBot().ask(text)).toMatch(/^Unknown command\.\n\nBlackDuck portal\n\/status/);
    },
  );

  it('answers twelve messages per chat and minute, then sends one notice, then nothing', async () => {
    const { ask, pass } = createBot();
    for (let askedCount = 0; askedCount < 12; askedCount += 1)
      expect(await ask('/help')).toContain('/status');
    expect(await ask('/help')).not.toContain('/status');
    expect(await ask('/help')).toBeNull();
    expect(await ask('/help', { chatId: '43' })).toContain('/status');
    pass(60_000);
    expect(await ask('/help')).toContain('/status');
  });

  it('starts a new count after the clock is set back', async () => {
    const { ask, pass } = createBot();
    for (let askedCount = 0; askedCount < 14; askedCount += 1) await ask('/help');
    pass(-3_600_000);
    expect(await ask('/help')).toContain('/status');
  });

  it('does not answer messages that are minutes old', async () => {
    expect(await createBot().ask('/status', { at: TEST_START - 200_000 })).toBeNull();
  });
});

describe('a chat', () => {
  it('that is linked passes messages of any age to the team, but no commands; a group passes nothing', async () => {
    const receivedTexts: string[] = [];
    const { ask } = createBot({
      answerTeam: async ({ text }) => {
        receivedTexts.push(text);
        if (text === 'busy') throw new StoreUnavailableError('busy');
        return 'stored';
      },
    });
    expect(await ask('Here is my answer', { at: TEST_START - 86_400_000 })).toContain('team');
    expect(await ask('busy')).not.toContain('team');
    await ask('/status');
    expect(await ask('Hello', GROUP_CHAT)).toBeNull();
    expect(receivedTexts).toEqual(['Here is my answer', 'busy']);
  });

  it('that is linked to a record gets a reply to a file without a caption, but the file is not stored', async () => {
    let storedCount = 0;
    const answerTeam = async () => {
      storedCount += 1;
      return 'stored' as const;
    };
    const { ask } = createBot({ answerTeam, records: 1 });
    const answer = await ask('', { at: TEST_START - 86_400_000 });
    expect(answer).toContain('email');
    expect(answer).not.toContain('/help');
    expect(await ask('', GROUP_CHAT)).toBeNull();
    expect(storedCount).toBe(0);
    expect(await createBot().ask('')).toContain('/status');
  });

  it('can ask what it receives; even an old message can link it by a token or stop it', async () => {
    const { ask, linked } = createBot();
    const oldMessage = { at: TEST_START - 86_400_000 };
    expect(await ask('/remind')).toContain('/my-position');
    expect(await ask('/start wrong')).toContain('/my-position');
    expect(linked.size).toBe(0);
    expect(await ask('/start a-token', oldMessage)).toContain('/stop');
    expect(await ask('/remind')).toContain('1 wallet');
    expect(await ask('/remind')).not.toMatch(/\b0 /);
    expect(await ask('/stop', { chatId: '43' })).not.toBeNull();
    expect(linked.size).toBe(1);
    expect(await ask('/stop', oldMessage)).not.toBeNull();
    expect(linked.size).toBe(0);
  });

  it('can stop even after too many messages, although it gets no answer', async () => {
    const { ask, linked } = createBot();
    await ask('/start a-token');
    for (let askedCount = 0; askedCount < 13; askedCount += 1) await ask('/help');
    expect(await ask('/stop')).toBeNull();
    expect(linked.size).toBe(0);
  });

  it('that cannot be stopped now is asked to repeat the message', async () => {
    const stop = () => Promise.reject(new StoreUnavailableError('busy'));
    expect(await createBot({ stop }).ask('/stop')).toEqual(expect.any(String));
  });

  it('is not linked if it is a group', async () => {
    const { ask, linked } = createBot();
    await ask('/start@duck_bot a-token', GROUP_CHAT);
    expect(linked.size).toBe(0);
  });
});

describe('in a group', () => {
  it.each(['hello', '/start', '/help', '/other', '/queue', '/status@other_bot'])(
    'the bot does not answer %s',
    async (text) => {
      expect(await createBot().ask(text, GROUP_CHAT)).toBeNull();
    },
  );

  it.each(['/status', '/remind', '/help@duck_bot', '/other@duck_bot'])('the bot answers %s', async (text) => {
    expect(await createBot().ask(text, GROUP_CHAT)).toEqual(expect.any(String));
  });
});

describe('the team’s chat', () => {
  it('gets the numbers of waiting records and deliveries', async () => {
    expect(await createBot().ask('/queue', TEAM_CHAT)).toBe(
      [
        'Waiting for a decision:',
        '– card applications: 3',
        '– verification requests: 2',
        '– loan applications: 0',
        'Deliveries to send: 5',
        'Deliveries failed: 2',
      ].join('\n'),
    );
  });

  it('gets the reference numbers of up to ten failed deliveries', async () => {
    const dead = Array.from({ length: 11 }, (_, number) => ({
      referenceNumber: `BD-20260101-1000${number + 10}`,
      channel: 'mail' as const,
      finishedAt: TEST_START,
    }));
    const answer = (await createBot({ dead }).ask('/deliveries', TEAM_CHAT)) ?? '';
    expect(answer.split('\n')).toHaveLength(12);
    expect(answer).toContain('– BD-20260101-100010 by mail, 12 s ago');
    expect(answer).toContain('and more');
    expect(await createBot().ask('/deliveries', TEAM_CHAT)).toBe('No deliveries have failed.');
  });

  it('sees its commands in the help', async () => {
    expect(await createBot().ask('/help@duck_bot', TEAM_CHAT)).toContain('/queue');
  });
});
