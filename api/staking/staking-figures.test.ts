import { describe, expect, it } from 'vitest';
import { MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import type { Reconciliation, Stakes } from '../../data/store/ports.ts';
import { type FigureInputs, noFigureInputs } from '../metrics/figure.ts';
import { nextChangeByTime } from '../metrics/figures.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { endedStake, manyStakes, openedStake, signatureOf, walletOf } from '../testing/sample-stakes.ts';
import { readStakes, stakesContent } from './current-stakes.ts';
import { STAKING_FIGURES } from './staking-figures.ts';

const DAY_MS = 86_400_000;
const TRANSFERS = '/api/staking/transfers';
const ENHANCED = '/api/stakers/enhanced';
const DISTRIBUTION = '/api/staking/distribution';
const SUMMARY = '/api/staking/program-summary';

function inputsOf(stakes: Partial<Stakes>, changes: Partial<FigureInputs> = {}): FigureInputs {
  const content = stakesContent({ entries: [], ended: [], transactionCounts: new Map(), ...stakes }, 6);
  return {
    ...noFigureInputs('solana', new Set()),
    index: SAMPLE_INDEX,
    stakes: { content, slot: 4_242, readAt: TEST_START },
    ...changes,
  };
}

function readFigure(path: string, inputs: FigureInputs, now = TEST_START) {
  return STAKING_FIGURES.find(({ call }) => call.path === path)?.read(inputs, now) ?? null;
}

function figureBody(path: string, inputs: FigureInputs, now = TEST_START) {
  return JSON.parse(readFigure(path, inputs, now)?.json ?? 'null');
}

const firstStake = openedStake(1);
const secondStake = openedStake(1, {
  nonce: 1,
  amount: 3_000_000_000_001n,
  createdAt: TEST_START - 2 * DAY_MS,
  unlocksAt: TEST_START + 178 * DAY_MS,
  openedBy: signatureOf(11),
});

describe('staking transfers', () => {
  it('list a wallet once, with the sum of its stakes and the lock of the newest one', () => {
    const inputs = inputsOf({ entries: [firstStake, secondStake, openedStake(2, { openedBy: null })] });
    expect(figureBody(TRANSFERS, inputs)).toEqual({
      totalStakers: 2,
      totalStaked: '7000000.000001',
      stakers: [
        {
          amount: '5000000.000001',
          wallet: walletOf(1),
          signature: signatureOf(11),
          startDate: '2025-12-30T00:00:00.000Z',
          unlockDate: '2026-06-28T00:00:00.000Z',
        },
        {
          amount: '2000000',
          wallet: walletOf(2),
          signature: null,
          startDate: '2025-12-22T00:00:00.000Z',
          unlockDate: '2026-06-20T00:00:00.000Z',
        },
      ],
      ended: [],
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
  });

  it('omit closed stakes from the stakers, and list them as ended', () => {
    const closed = openedStake(3, { closedAt: TEST_START - DAY_MS });
    const unknownFields = { wallet: null, openedAt: null, endedAt: null, openedBy: null };
    const ended = [endedStake(3), endedStake(4, unknownFields)];
    expect(figureBody(TRANSFERS, inputsOf({ entries: [closed], ended }))).toMatchObject({
      totalStakers: 0,
      totalStaked: '0',
      stakers: [],
      ended: [
        {
          wallet: walletOf(3),
          amount: '1500000',
          startDate: '2025-07-04T00:00:00.000Z',
          endDate: '2025-12-31T00:00:00.000Z',
          openedBy: signatureOf(3),
          endedBy: signatureOf(4),
        },
        { wallet: null, startDate: null, endDate: null, openedBy: null, endedBy: signatureOf(5) },
      ],
    });
  });

  it('have the slot and age of the stakes', () => {
    const { stakes } = inputsOf({ entries: [firstStake] });
    const inputs = inputsOf(
      {},
      { stakes: stakes && { ...stakes, slot: 4_000, readAt: TEST_START - 61_000 } },
    );
    expect(figureBody(TRANSFERS, inputs)).toMatchObject({ slot: 4_000, state: 'stale' });
  });
});

describe('enhanced stakers', () => {
  it('have badge, card tier, days, transactions and entries, largest stake first', () => {
    const large = openedStake(2, { amount: 10_000_000_000_000n });
    const transactionCounts = new Map([[walletOf(1), 3]]);
    expect(
      figureBody(ENHANCED, inputsOf({ entries: [firstStake, secondStake, large], transactionCounts })),
    ).toEqual([
      {
        walletAddress: walletOf(2),
        stakedAmount: '10000000',
        tier: 'Diamond',
        cardTier: 'Raven',
        isAuthenticated: false,
        stakingDuration: 10,
        transactionCount: null,
        startDate: '2025-12-22T00:00:00.000Z',
        unlockDate: '2026-06-20T00:00:00.000Z',
        entries: 1,
      },
      {
        walletAddress: walletOf(1),
        stakedAmount: '5000000.000001',
        tier: 'Gold',
        cardTier: 'Banker',
        isAuthenticated: false,
        stakingDuration: 2,
        transactionCount: 3,
        startDate: '2025-12-30T00:00:00.000Z',
        unlockDate: '2026-06-28T00:00:00.000Z',
        entries: 2,
      },
    ]);
  });

  it('have transaction counts only while the history is complete', async () => {
    const stakes = { ...manyStakes(1), transactionCounts: new Map([[walletOf(0), 2]]) };
    const transactionCountWith = async (changes: object) => {
      const content = await readStakes({ stakes: async () => stakes }, { ...SAMPLE_INDEX, ...changes }, 6);
      const inputs = inputsOf({}, { stakes: { content, slot: 1, readAt: TEST_START } });
      return figureBody(ENHANCED, inputs)[0].transactionCount;
    };
    expect(await transactionCountWith({})).toBe(2);
    expect(await transactionCountWith({ isHistoryCaughtUp: false })).toBeNull();
    expect(await transactionCountWith({ historyReadAt: TEST_START - MAX_HISTORY_LAG_MS - 1 })).toBeNull();
    expect(await transactionCountWith({ quarantinedCount: 1 })).toBeNull();
  });

  it('are authenticated as soon as they prove their wallet', () => {
    const inputs = inputsOf({ entries: [firstStake] });
    expect(figureBody(ENHANCED, inputs)).toMatchObject([{ isAuthenticated: false }]);
    const proven = { ...inputs, provenWallets: new Set([walletOf(1)]) };
    expect(figureBody(ENHANCED, proven)).toMatchObject([{ isAuthenticated: true }]);
    expect(readFigure(ENHANCED, proven)?.fingerprint).not.toBe(readFigure(ENHANCED, inputs)?.fingerprint);
  });

  it('count the days staked by the clock, even if nothing else changes', () => {
    const inputs = inputsOf({ entries: [firstStake] });
    const days = (now: number) => figureBody(ENHANCED, inputs, now)[0].stakingDuration;
    const nextDayAt = TEST_START + DAY_MS;
    expect([nextDayAt - 1, nextDayAt, nextDayAt - 1, nextDayAt + DAY_MS].map(days)).toEqual([10, 11, 10, 12]);
    expect(readFigure(ENHANCED, inputs, nextDayAt)?.fingerprint).toBe(
      readFigure(ENHANCED, inputs, nextDayAt - 1)?.fingerprint,
    );
    expect(readFigure(ENHANCED, inputs, nextDayAt)?.precomputed?.contentId).not.toBe(
      readFigure(ENHANCED, inputs, nextDayAt - 1)?.precomputed?.contentId,
    );
  });
});

describe('the program summary', () => {
  it('has the program, the open entries, their sum, and the last agreement between accounts and history', () => {
    expect(
      figureBody(SUMMARY, inputsOf({ entries: [firstStake, secondStake, openedStake(2, { closedAt: 5 })] })),
    ).toEqual({
      isActive: true,
      programAddress: 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH',
      stakePool: SAMPLE_INDEX.identity?.stakePool,
      tokenAddress: SAMPLE_INDEX.identity?.mint,
      totalAccounts: 2,
      totalValue: '5000000.000001',
      lastVerified: '2025-12-31T23:59:00.000Z',
      verification: { state: 'agree', slot: 4_240, at: '2025-12-31T23:59:00.000Z', differences: [] },
      quarantined: 0,
      alarms: [],
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
  });

  it('shows a difference with its slot, and the agreement before it', () => {
    const reconciliation = {
      slot: 4_241,
      at: TEST_START,
      differences: [{ what: 'vault.balance', onChain: 10n, indexed: -1n }],
    };
    const index = { ...SAMPLE_INDEX, reconciliation, quarantinedCount: 2 };
    expect(figureBody(SUMMARY, inputsOf({}, { index }))).toMatchObject({
      lastVerified: '2025-12-31T23:59:00.000Z',
      verification: {
        state: 'differs',
        slot: 4_241,
        differences: [{ what: 'vault.balance', onChain: '10', indexed: '-1' }],
      },
      quarantined: 2,
    });
  });

  it('reports an old agreement as overdue, but an old difference still as a difference', () => {
    const oldReconciliation = { slot: 4_241, at: TEST_START - 900_001, differences: [] };
    const difference = { what: 'vault.balance', onChain: 10n, indexed: -1n };
    const stateFor = (reconciliation: Reconciliation) =>
      figureBody(SUMMARY, inputsOf({}, { index: { ...SAMPLE_INDEX, reconciliation } })).verification.state;
    expect(stateFor({ ...oldReconciliation, at: TEST_START - 900_000 })).toBe('agree');
    expect(stateFor(oldReconciliation)).toBe('overdue');
    expect(stateFor({ ...oldReconciliation, differences: [difference] })).toBe('differs');
  });

  it('does not report an agreement before the first comparison', () => {
    const index = { ...SAMPLE_INDEX, reconciliation: null, lastAgreement: null };
    expect(figureBody(SUMMARY, inputsOf({}, { index }))).toMatchObject({
      lastVerified: null,
      verification: { state: 'not-yet', slot: null, at: null, differences: [] },
    });
  });

  it('lists alarms with their accounts', () => {
    const alarm = {
      signature: signatureOf(1),
      account: SAMPLE_INDEX.identity?.vault ?? '',
      slot: 7,
      blockTime: TEST_START,
      kind: 'owner-changed',
      address: walletOf(1),
      status: 'finalized',
    } as const;
    const account = SAMPLE_INDEX.identity?.poolVault ?? '';
    const other = { ...alarm, account, blockTime: null, address: null };
    const index = { ...SAMPLE_INDEX, alarms: [alarm, other] };
    expect(figureBody(SUMMARY, inputsOf({}, { index })).alarms).toEqual([
      {
        kind: 'owner-changed',
        account: 'vault',
        signature: signatureOf(1),
        slot: 7,
        blockTime: TEST_START / 1_000,
        address: walletOf(1),
      },
      expect.objectContaining({ account: 'stake-pool', blockTime: null, address: null }),
    ]);
  });

  it('reports the program as active while an entry is open, and as unknown if the snapshot is stale', () => {
    const isActive = (inputs: FigureInputs, now = TEST_START) => figureBody(SUMMARY, inputs, now).isActive;
    expect(isActive(inputsOf({ entries: [firstStake] }))).toBe(true);
    expect(isActive(inputsOf({}))).toBe(false);
    expect(isActive(inputsOf({ entries: [firstStake] }), TEST_START + 60_001)).toBeNull();
  });
});

it('a long list has its length in bytes precomputed', () => {
  const inputs = inputsOf({ ...manyStakes(20), entries: [firstStake, ...manyStakes(20).entries] });
  for (const path of [TRANSFERS, ENHANCED]) {
    const { json, precomputed } = readFigure(path, inputs) ?? { json: '' };
    expect(precomputed?.bytes, path).toBe(Buffer.byteLength(json));
  }
});

it('no staking figure is available, not even an empty one, while the stakes are unknown', () => {
  const inputs = { ...noFigureInputs('solana', new Set()), index: SAMPLE_INDEX };
  expect(STAKING_FIGURES.map((figure) => figure.read(inputs, TEST_START))).toEqual([null, null, null, null]);
});

describe('the distribution of stakes', () => {
  const smallStake = openedStake(2, { amount: 1_000_000n, unlocksAt: TEST_START - DAY_MS });
  const lateStake = openedStake(3, { amount: 6_000_000_000_000n, unlocksAt: TEST_START + 300 * DAY_MS });
  const closed = openedStake(4, { closedAt: TEST_START - DAY_MS });
  const inputs = inputsOf({ entries: [firstStake, secondStake, smallStake, lateStake, closed] });

  it('adds up to the total by time and by tier, counting each entry at its own unlock', () => {
    const distribution = figureBody(DISTRIBUTION, inputs);
    expect(distribution).toMatchObject({
      totalStaked: '11000001.000001',
      totalStakers: 3,
      unlocked: '1',
      later: '6000000',
    });
    // 1 January 2026 was a Thursday.
    expect(distribution.weeks[0]).toEqual({ from: '2025-12-29', to: '2026-01-04', amount: '0', stakes: 0 });
    const usedWeeks = distribution.weeks.filter(({ stakes }: { stakes: number }) => stakes > 0);
    expect(usedWeeks.map(({ from, amount }: { from: string; amount: string }) => [from, amount])).toEqual([
      ['2026-06-15', '2000000'],
      ['2026-06-22', '3000000.000001'],
    ]);
    expect(distribution.tiers).toEqual([
      { tier: null, stakers: 1, amount: '1', percent: '0.00' },
      { tier: 'Duckling', stakers: 0, amount: '0', percent: '0.00' },
      { tier: 'Banker', stakers: 2, amount: '11000000.000001', percent: '100.00' },
      { tier: 'Raven', stakers: 0, amount: '0', percent: '0.00' },
    ]);
    expect(distribution.top.map(({ wallet }: { wallet: string }) => wallet)).toEqual([
      walletOf(3),
      walletOf(1),
      walletOf(2),
    ]);
    expect([distribution.topPercent, distribution.gini]).toEqual(['100.00', '0.3636']);
  });

  it('moves a stake out of the schedule when it unlocks, and gets a new fingerprint', () => {
    const before = readFigure(DISTRIBUTION, inputs, secondStake.unlocksAt - 1);
    expect(nextChangeByTime(inputs, secondStake.unlocksAt - 1)).toBe(secondStake.unlocksAt);
    const after = readFigure(DISTRIBUTION, inputs, secondStake.unlocksAt);
    expect(JSON.parse(after?.json ?? '').unlocked).toBe('5000001.000001');
    expect(after?.fingerprint).not.toBe(before?.fingerprint);
  });

  it('has no shares without stakes', () => {
    expect(figureBody(DISTRIBUTION, inputsOf({}))).toMatchObject({
      totalStaked: '0',
      topPercent: null,
      gini: null,
    });
  });
});
