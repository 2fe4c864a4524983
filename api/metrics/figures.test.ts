import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALLS } from '../../data/contract/calls.ts';
import { MARKET_SUPPLY_BD } from '../../data/model/supply.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import { type CurrentStakes, stakesContent } from '../staking/current-stakes.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { manyStakes } from '../testing/sample-stakes.ts';
import type { FigureInputs } from './figure.ts';
import { FIGURES, growthPercent, nextChangeByTime } from './figures.ts';
import { GROWTH_HOURS, type RecentVaultHistory } from './vault-history.ts';

const HISTORY: RecentVaultHistory = {
  asOf: TEST_START,
  earlierBalances: GROWTH_HOURS.map((hours) => ({ hours, balance: 80_000_000_000_000n, asOf: TEST_START })),
  last24h: { deposits: 2_500_000n, withdrawals: 1n, movements: 2, until: TEST_START, coversWindow: true },
};
const SAMPLE_STAKES: CurrentStakes = {
  content: stakesContent(manyStakes(8), 6),
  slot: 4_242,
  readAt: TEST_START,
};
const NO_WALLETS: ReadonlySet<string> = new Set();
const SAMPLE_INPUTS: FigureInputs = {
  source: 'solana',
  index: SAMPLE_INDEX,
  vaultHistory: HISTORY,
  stakes: SAMPLE_STAKES,
  provenWallets: NO_WALLETS,
};

function read(path: string, inputs: FigureInputs = SAMPLE_INPUTS, now = TEST_START) {
  const figure = FIGURES.find(({ call }) => call.path === path);
  if (!figure) throw new Error(`no figure for ${path}`);
  const reading = figure.read(inputs, now);
  return reading && { ...reading, body: JSON.parse(reading.json) };
}

function withIndex(changes: Partial<IndexSnapshot>): FigureInputs {
  return { ...SAMPLE_INPUTS, index: { ...SAMPLE_INDEX, ...changes } };
}

const chainWith = (changes: object) =>
  SAMPLE_INDEX.chain ? { chain: { ...SAMPLE_INDEX.chain, ...changes } } : {};

describe('the figures', () => {
  it('answer exactly the live calls of the contract', () => {
    const livePaths = CALLS.filter((call) => call.live).map((call) => call.path);
    expect(FIGURES.map(({ call }) => call.path)).toEqual(livePaths);
  });

  it('are exact to the base unit', () => {
    expect(read('/api/vault/live-balance')?.body).toEqual({
      vaultBalance: '99998436.01',
      balance: '99998436.01',
      solBalance: '0.00203928',
      vaultAddress: SAMPLE_INDEX.identity?.vault,
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
    expect(read('/api/staking/total')?.body).toMatchObject({ balance: '20887580.31', stakerCount: 8 });
    expect(read('/api/analytics/real-staking')?.body).toMatchObject({
      totalStaked: '20887580.31',
      totalStakers: 8,
    });
  });

  it('include a reduced supply of 990M − staked − vault − 46.6M and a staking ratio of staked ÷ 990M', () => {
    expect(read('/api/analytics/overview')?.body).toMatchObject({
      overview: { totalDeployed: '120886016.32', reducedSupply: '822513983.68', stakingRatioPercent: '2.11' },
    });
  });

  it('include staking participation (staking ÷ holding wallets) and the time of the count', () => {
    expect(read('/api/analytics/real-staking')?.body).toMatchObject({
      walletsHolding: 32,
      stakingParticipation: 25,
      holdersCounted: { asOf: '2025-12-31T23:59:30.000Z', slot: 4_200, state: 'live' },
      slot: 4_242,
    });
  });

  it('have null, not zero, as participation before the wallets are counted', () => {
    expect(read('/api/analytics/real-staking', withIndex({ holders: null }))?.body).toMatchObject({
      totalStakers: 8,
      walletsHolding: null,
      stakingParticipation: null,
      holdersCounted: null,
    });
  });

  it('have no participation if more wallets stake than held BD at the last count', () => {
    const holders = { slot: 4_200, wallets: 7, readAt: TEST_START };
    expect(read('/api/analytics/real-staking', withIndex({ holders }))?.body).toMatchObject({
      walletsHolding: 7,
      stakingParticipation: null,
    });
  });

  it('mark the count of wallets as old after minutes on the embedded ledger, but after hours on a cluster', () => {
    const stateAfter = (source: FigureInputs['source'], minutes: number) =>
      read('/api/analytics/real-staking', { ...SAMPLE_INPUTS, source }, TEST_START + minutes * 60_000)?.body
        .holdersCounted.state;
    const statesAfter = (source: FigureInputs['source'], ...minutes: number[]) =>
      minutes.map((after) => stateAfter(source, after));
    expect(statesAfter('embedded-ledger', 1, 2, 6)).toEqual(['live', 'ageing', 'stale']);
    expect(statesAfter('solana', 60, 121, 361)).toEqual(['live', 'ageing', 'stale']);
  });

  it('change with every count of wallets', () => {
    const fingerprintOf = (holders: IndexSnapshot['holders']) =>
      read('/api/analytics/real-staking', withIndex({ holders }))?.fingerprint;
    const first = fingerprintOf({ slot: 4_200, wallets: 32, readAt: TEST_START - 30_000 });
    expect(fingerprintOf({ slot: 4_210, wallets: 32, readAt: TEST_START })).not.toBe(first);
    expect(fingerprintOf({ slot: 4_200, wallets: 33, readAt: TEST_START - 30_000 })).not.toBe(first);
  });

  it('include the market cap as price × 990M, and null for values that the feed does not provide', () => {
    const price = { priceUsd: '0.0001137', marketCap: '112563.00' };
    const market = { ...price, liquidity: null, slot: null, source: 'demo' };
    expect(read('/api/trading/market-data')?.body).toMatchObject(market);
    expect(read('/api/token/market-data')?.body).toMatchObject({
      ...market,
      totalSupply: '1000000000',
      marketSupply: String(MARKET_SUPPLY_BD),
    });
  });

  it('include growth over 6, 12, 18 and 24 hours, null if the balance was 0 or is unknown', () => {
    const earlier = [99_998_436_010_000n, 80_000_000_000_000n, 0n, null];
    const vaultHistory = {
      ...HISTORY,
      earlierBalances: GROWTH_HOURS.map((hours, index) => ({
        hours,
        balance: earlier[index] ?? null,
        asOf: TEST_START,
      })),
    };
    expect(read('/api/vault/metrics', { ...SAMPLE_INPUTS, vaultHistory })?.body).toMatchObject({
      growth: [
        { hours: 6, percent: '0.00', hasHistory: true },
        { hours: 12, percent: '25.00', hasHistory: true },
        { hours: 18, percent: null, hasHistory: true },
        { hours: 24, percent: null, hasHistory: true },
      ],
      deposits24h: '2.5',
      withdrawals24h: '0.000001',
      movements24h: 2,
    });
    expect(growthPercent(100n, 90n)).toBe('-10.00');
  });

  it.each([
    ['all BD arrived within the last 24 hours', 0n, [true, true, true, false]],
    ['the deposits and withdrawals of 24 hours do not add up to the balance', 1n, [true, true, true, true]],
  ])('say which growth periods have a history if %s', (_when, missing, expected) => {
    const earlier = [1n, 0n, 0n, null];
    const vaultHistory = {
      asOf: TEST_START,
      earlierBalances: GROWTH_HOURS.map((hours, index) => ({
        hours,
        balance: earlier[index] ?? null,
        asOf: TEST_START,
      })),
      last24h: { ...HISTORY.last24h, deposits: 99_998_436_010_000n - missing, withdrawals: 0n },
    };
    expect(read('/api/vault/metrics', { ...SAMPLE_INPUTS, vaultHistory })?.body).toMatchObject({
      growth: expected.map((hasHistory) => ({ hasHistory })),
    });
  });

  it.each([
    ['nothing is indexed', { until: null }],
    ['an old history is still being indexed', { until: TEST_START - 60_001 }],
    ['the oldest hours are missing', { coversWindow: false }],
  ])('have no 24-hour sums while %s', (_case, changes) => {
    const vaultHistory = { ...HISTORY, last24h: { ...HISTORY.last24h, ...changes } };
    expect(read('/api/vault/metrics', { ...SAMPLE_INPUTS, vaultHistory })?.body).toMatchObject({
      deposits24h: null,
      withdrawals24h: null,
      movements24h: null,
    });
  });

  it('list transactions with unsigned amounts and times in seconds, and with null for an unknown wallet', () => {
    expect(read('/api/transactions')?.body).toMatchObject([
      { type: 'deposit', amount: '1500000', blockTime: TEST_START / 1_000 + 2, status: 'confirmed' },
      { type: 'withdraw', amount: '0.25', blockTime: null, wallet: null },
    ]);
  });

  it('name the watched account of each movement', () => {
    const [event] = SAMPLE_INDEX.recentEvents;
    if (!event) throw new Error('the sample has no event');
    const poolEvent = { ...event, account: SAMPLE_INDEX.identity?.poolVault ?? '' };
    expect(read('/api/transactions', withIndex({ recentEvents: [event, poolEvent] }))?.body).toMatchObject([
      { signature: event.signature, account: 'vault' },
      { signature: event.signature, account: 'stake-pool' },
    ]);
  });

  it('from the embedded ledger never name Solana as their source', () => {
    for (const figure of FIGURES) {
      const text = figure.read({ ...SAMPLE_INPUTS, source: 'embedded-ledger' }, TEST_START)?.json;
      expect(text, figure.call.path).not.toContain('"solana"');
    }
    const embeddedInputs: FigureInputs = { ...SAMPLE_INPUTS, source: 'embedded-ledger' };
    expect(read('/api/vault/live-balance', embeddedInputs)?.body).toMatchObject({
      source: 'embedded-ledger',
    });
    expect(read('/api/network/health', embeddedInputs)?.body).toMatchObject({
      chain: 'embedded-ledger',
      cluster: null,
    });
    expect(read('/api/network/health')?.body).toMatchObject({ chain: 'solana', cluster: 'testnet' });
  });

  it('are stale if their time is in the future because the clock was set back', () => {
    const now = TEST_START - 3_600_000;
    expect(read('/api/vault/live-balance', SAMPLE_INPUTS, now)?.body).toMatchObject({ state: 'stale' });
    expect(read('/api/network/health', SAMPLE_INPUTS, now)?.body).toMatchObject({ status: 'offline' });
    // Data from the future counts as stale until five seconds before its time. The oldest data is the reconciliation, from a
    // minute before `TEST_START`.
    expect(nextChangeByTime({ ...SAMPLE_INPUTS, stakes: null }, now)).toBe(TEST_START - 65_000);
  });

  it('are missing if their own source is missing', () => {
    expect(read('/api/token/market-data', withIndex({ chain: null }))).toBeNull();
    expect(read('/api/trading/market-data', withIndex({ chain: null }))).not.toBeNull();
    expect(read('/api/vault/metrics', { ...SAMPLE_INPUTS, vaultHistory: null })).toBeNull();
  });

  it('age with their source, or with the older of two sources', () => {
    const later = TEST_START + 61_000;
    const freshMarket = SAMPLE_INDEX.quote ? { quote: { ...SAMPLE_INDEX.quote, readAt: later } } : {};
    const stateOf = (path: string, inputs: FigureInputs, now: number) => read(path, inputs, now)?.body.state;
    expect(stateOf('/api/vault/live-balance', SAMPLE_INPUTS, TEST_START + 11_000)).toBe('ageing');
    expect(stateOf('/api/vault/live-balance', SAMPLE_INPUTS, later)).toBe('stale');
    expect(stateOf('/api/trading/market-data', withIndex(freshMarket), later)).toBe('live');
    expect(stateOf('/api/token/market-data', withIndex(freshMarket), later)).toBe('stale');
  });

  it('change with an amount or a state, but not with a repeated read', () => {
    const fingerprintsOf = (inputs: FigureInputs, now = TEST_START) =>
      FIGURES.map((figure) => figure.read(inputs, now)?.fingerprint ?? null);
    const repeatedInputs = withIndex({
      ...chainWith({ readAt: TEST_START + 400, slot: 4_243 }),
      endpointsReportedAt: TEST_START + 400,
    });
    expect(fingerprintsOf(repeatedInputs, TEST_START + 400)).toEqual(fingerprintsOf(SAMPLE_INPUTS));
    expect(fingerprintsOf(withIndex(chainWith({ vaultBalance: 1n })))).not.toEqual(
      fingerprintsOf(SAMPLE_INPUTS),
    );
    expect(fingerprintsOf(SAMPLE_INPUTS, TEST_START + 11_000)).not.toEqual(fingerprintsOf(SAMPLE_INPUTS));
  });
});

describe('the time of the next change', () => {
  it('is when the first figure ages, or null if everything is stale and nobody stakes', () => {
    const inputs = { ...SAMPLE_INPUTS, stakes: null };
    expect(nextChangeByTime(inputs, TEST_START)).toBe(TEST_START + 10_001);
    expect(nextChangeByTime(inputs, TEST_START + 10_001)).toBe(TEST_START + 30_001);
    expect(nextChangeByTime(inputs, TEST_START + 30_000_000)).toBeNull();
    const reportedInputs = withIndex({ endpointsReportedAt: TEST_START - 40_000 });
    expect(nextChangeByTime({ ...reportedInputs, stakes: null }, TEST_START + 10_001)).toBe(
      TEST_START + 20_001,
    );
  });

  it('is when a staker’s next day begins if everything is stale', () => {
    const content = { ...SAMPLE_STAKES.content, stakers: SAMPLE_STAKES.content.stakers.slice(1, 2) };
    const nextDayAt = (SAMPLE_STAKES.content.stakers[1]?.lockedAt ?? 0) + 11 * 86_400_000;
    const stakes = { ...SAMPLE_STAKES, content };
    expect(nextChangeByTime({ ...SAMPLE_INPUTS, stakes }, TEST_START + 30_000_000)).toBe(nextDayAt);
  });

  it('is exact: no body changes before it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 200_000_000 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (age, fraction) => {
          const now = TEST_START + age;
          const next = nextChangeByTime(SAMPLE_INPUTS, now) ?? now + 1_000_000;
          expect(next).toBeGreaterThan(now);
          const timeBetween = now + Math.floor((next - 1 - now) * fraction);
          const bodiesAt = (moment: number) =>
            JSON.stringify(FIGURES.map((figure) => figure.read(SAMPLE_INPUTS, moment)));
          expect(bodiesAt(timeBetween)).toBe(bodiesAt(now));
        },
      ),
    );
  });
});
