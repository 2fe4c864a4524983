import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeadDelivery } from '../../data/store/backlog-port.ts';
import { type Facts, noFacts } from '../metrics/facts.ts';
import { readiness } from '../operations/readiness.ts';
import { contentOf } from '../staking/known-stakes.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { manyStakes, walletOf } from '../testing/sample-stakes.ts';
import { createBotAnswers } from './bot-answers.ts';
import type { IncomingMessage } from './incoming-message.ts';

const ORIGIN = 'https://portal.example.com';
const FACTS: Facts = {
  ...noFacts('solana', new Set()),
  index: SAMPLE_INDEX,
  stakes: { content: contentOf(manyStakes(3), 6), slot: 4_242, readAt: TEST_START },
};

function bot({ facts = FACTS, dead = [] as DeadDelivery[] } = {}) {
  let now = TEST_START + 12_000;
  const answers = createBotAnswers({
    facts: () => facts,
    readiness: () => readiness(facts, true, now),
    store: {
      backlog: {
        waitingDecisions: async () => ({ cardApplications: 3, verificationRequests: 2, loanApplications: 0 }),
        deadDeliveries: async (limit) => dead.slice(0, limit),
      },
      deliveries: {
        depths: async () => [
          { channel: 'mail', state: 'waiting', deliveries: 4 },
          { channel: 'telegram', state: 'leased', deliveries: 1 },
          { channel: 'mail', state: 'dead', deliveries: 2 },
        ],
      },
    },
    adminChatIds: ['-1001'],
    origin: ORIGIN,
    now: () => now,
  });
  const ask = (text: string, changes: Partial<IncomingMessage> = {}) =>
    answers(
      { id: 1, at: now, text, chatId: '42', isPrivate: true, username: 'ada_l', ...changes },
      'duck_bot',
    );
  return { ask, pass: (ms: number) => (now += ms) };
}
const TEAM = { chatId: '-1001', isPrivate: false };
const GROUP = { chatId: '-2002', isPrivate: false };

describe('anyone who asks the bot', () => {
  it('is told how the portal is, and its figures with their age', async () => {
    const words = await bot().ask('/status');
    expect(words).toMatch(/^The portal is up/);
    expect(words).toContain('Vault: 99,998,436.01 BD (12 s ago, ageing)');
    expect(words).toContain('Staked: 20,887,580.31 BD by 8 wallets (12 s ago, ageing)');
    expect(words).toMatch(/^Price: \$0\.0\d+.* \(12 s ago\)$/m);
  });

  it('is told of what is not known that it is not, and never zero', async () => {
    const words = await bot({ facts: noFacts('solana', new Set()) }).ask('/status');
    expect(words).toMatch(/^The portal is up, but its figures are missing or doubtful:/);
    expect(words).toContain('Vault: not known\nStaked: not known\nPrice: not known');
  });

  it('is told a wallet’s stake, tier and lock', async () => {
    const words = await bot().ask(`/verify ${walletOf(1)}`);
    expect(words).toContain('stakes 2,000,000.00 BD.\nTier: Duckling\nUnlocks: 2026-06-');
    expect(words).toContain('Read from the chain 12 s ago.');
    expect(await bot().ask(`/verify ${walletOf(99)}`)).toContain('stakes nothing.\nTier: None');
  });

  it('is told nothing of a wallet while the stakes are unread or out of date', async () => {
    const unread = await bot({ facts: { ...FACTS, stakes: null } }).ask(`/verify ${walletOf(1)}`);
    const { ask, pass } = bot();
    pass(60_000);
    for (const words of [unread, await ask(`/verify ${walletOf(1)}`)]) {
      expect(words).toMatch(/^The stakes cannot be read at the moment/);
    }
  });

  it('never gets back what was written, whatever it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 6, unit: 'grapheme' }), async (text) => {
        const words = await bot().ask(`/verify <b>${text}</b>`);
        expect(words).toMatch(/^Write \/verify and a Solana address/);
        expect(words).not.toContain('<b>');
      }),
      { numRuns: 50 },
    );
  });

  it.each(['/start', '/help'])(
    'is greeted with the commands at %s, without those of the team',
    async (text) => {
      const words = await bot().ask(text);
      expect(words).toContain('/verify <wallet>');
      expect(words).toContain(ORIGIN);
      expect(words).not.toContain('/queue');
    },
  );

  it.each(['/queue', '/deliveries', '/nonsense', 'hello', '/constructor', '/__proto__'])(
    'is helped where %s is no command of theirs',
    async (text) => {
      expect(await bot().ask(text)).toMatch(/^That is no command here\.\n\nBlackDuck portal\n\/status/);
    },
  );

  it('is answered twelve times a minute, told once that it was a lot, then not at all until the minute is over', async () => {
    const { ask, pass } = bot();
    for (let asked = 0; asked < 12; asked += 1) expect(await ask('/help')).toContain('/status');
    expect(await ask('/help')).toBe('That was a lot. Ask again in a minute.');
    expect(await ask('/help')).toBeNull();
    expect(await ask('/help', { chatId: '43' })).toContain('/status');
    pass(60_000);
    expect(await ask('/help')).toContain('/status');
  });

  it('is not answered to what was written minutes ago', async () => {
    expect(await bot().ask('/status', { at: TEST_START - 200_000 })).toBeNull();
  });
});

describe('in a group', () => {
  it.each(['hello', '/start', '/help', '/other', '/queue', '/status@other_bot'])(
    'the bot keeps silent at %s',
    async (text) => {
      expect(await bot().ask(text, GROUP)).toBeNull();
    },
  );

  it.each(['/status', '/help@duck_bot', '/other@duck_bot'])('it answers %s', async (text) => {
    expect(await bot().ask(text, GROUP)).toEqual(expect.any(String));
  });
});

describe('the team’s chat', () => {
  it('is told how much waits, in numbers', async () => {
    expect(await bot().ask('/queue', TEAM)).toBe(
      [
        'Waiting for a decision:',
        '– card applications: 3',
        '– verification requests: 2',
        '– loan applications: 0',
        'Deliveries on their way: 5',
        'Deliveries given up: 2',
      ].join('\n'),
    );
  });

  it('is told which deliveries were given up, ten of them by name', async () => {
    const dead = Array.from({ length: 11 }, (_, number) => ({
      referenceNumber: `BD-20260101-1000${number + 10}`,
      channel: 'mail' as const,
      finishedAt: TEST_START,
    }));
    const words = (await bot({ dead }).ask('/deliveries', TEAM)) ?? '';
    expect(words.split('\n')).toHaveLength(12);
    expect(words).toContain('– BD-20260101-100010 by mail, 12 s ago');
    expect(words).toContain('and more');
    expect(await bot().ask('/deliveries', TEAM)).toBe('No delivery was given up.');
  });

  it('sees its commands in the help', async () => {
    expect(await bot().ask('/help@duck_bot', TEAM)).toContain('/queue');
  });
});
