import { afterAll, describe, expect, it } from 'vitest';
import { MAX_HISTORY_LAG_MS } from '../data/model/value-state.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../data/store/ports.ts';
import { FakeIndex, TEST_START } from './testing/fake-index.ts';
import { ask } from './testing/portal-client.ts';
import { manyStakes, walletOf } from './testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from './testing/test-portal.ts';
import { createHeldTokensReader } from './verification/held-tokens.ts';
import { createStakedTokensReader } from './verification/staked-tokens.ts';

const STALE_AT = TEST_START + 180_001;
const STATES_BY_TIME = [
  [TEST_START + 45_001, 'ageing'],
  [STALE_AT, 'stale'],
] as const;

async function read(portal: TestPortal, path: string) {
  const { status, headers, body } = await ask(portal.port, path);
  const parsed = JSON.parse(body);
  // If the body is a list, its state is in the headers.
  const state = headers['x-figure-state'] ?? parsed.state;
  return {
    status,
    state,
    code: parsed.code,
    retry: headers['retry-after'],
    caching: headers['cache-control'],
  };
}

const CHAIN_FIGURES = [
  '/api/vault/live-balance',
  '/api/vault/metrics',
  '/api/staking/total',
  '/api/analytics/real-staking',
  '/api/analytics/overview',
  '/api/staking/transfers',
  '/api/stakers/enhanced',
  '/api/staking/program-summary',
  '/api/transactions',
];
const MARKET_FIGURES = ['/api/trading/market-data', '/api/token/market-data'];
const CHARTS = ['vault', 'staked', 'stakers', 'price'].map(
  (series) => `/api/history?series=${series}&range=24h`,
);
const WALLET_CALLS = [
  '/api/verify-bd-tokens',
  '/api/virtual-card/eligibility',
  '/api/wallet/position',
  '/api/wallet/history',
  '/api/wallet/stake-history',
].map((path) => `${path}?walletAddress=${walletOf(1)}`);

describe('a response', () => {
  const portals: TestPortal[] = [];
  afterAll(async () => {
    for (const portal of portals) await portal.close();
  });
  async function start(index: FakeIndex, changes: TestPortalChanges = {}): Promise<TestPortal> {
    const portal = await startTestPortal({ index, ...changes });
    portals.push(portal);
    return portal;
  }
  function fullIndex(): FakeIndex {
    const index = new FakeIndex();
    index.storedStakes = manyStakes(3);
    for (const series of ['vault', 'staked', 'stakers', 'price'] as const)
      index.points.set(`${series}/minute`, [{ at: TEST_START - 60_000, value: '5' }]);
    return index;
  }

  it('is 503 with Retry-After and never zero while the store is empty', async () => {
    const portal = await start(new FakeIndex(EMPTY_INDEX_SNAPSHOT));
    for (const path of [...CHAIN_FIGURES, ...MARKET_FIGURES, ...CHARTS, ...WALLET_CALLS]) {
      const code = path === '/api/transactions' ? 'history-not-read-yet' : 'not-indexed-yet';
      const expected = { status: 503, code, retry: '2', caching: 'no-store' };
      expect(await read(portal, path), path).toMatchObject(expected);
    }
    const { body } = await ask(portal.port, '/api/network/health');
    expect(JSON.parse(body)).toMatchObject({ status: 'offline', totalEndpoints: 0, lastUpdate: null });
  });

  it('is 503 only for the market while the market was never read', async () => {
    const index = fullIndex();
    index.commit({ quote: null });
    const portal = await start(index);
    for (const path of [...MARKET_FIGURES, CHARTS[3] ?? '']) {
      expect(await read(portal, path), path).toMatchObject({ status: 503, code: 'not-indexed-yet' });
    }
    for (const path of [...CHAIN_FIGURES, ...CHARTS.slice(0, 3), ...WALLET_CALLS]) {
      expect(await read(portal, path), path).toMatchObject({ status: 200, state: 'live' });
    }
  });

  it('is 503 only for stakes while no endpoint serves the stake entries', async () => {
    const index = fullIndex();
    index.commitChain({ stakerCount: null, stakesProblem: 'one.example: HTTP 410' });
    const portal = await start(index);
    const needsStakes = (path: string) => /stak|overview|position/.test(path) && path !== CHARTS[1];
    for (const path of [...CHAIN_FIGURES, ...MARKET_FIGURES, ...CHARTS, ...WALLET_CALLS]) {
      const answer = await read(portal, path);
      expect([path, answer.status]).toEqual([path, needsStakes(path) ? 503 : 200]);
    }
    const { body } = await ask(portal.port, '/api/network/health');
    expect(JSON.parse(body)).toMatchObject({ status: 'degraded', stakesProblem: 'one.example: HTTP 410' });
    const { status, body: ready } = await ask(portal.port, '/readyz');
    expect([status, ready]).toEqual([503, expect.stringContaining('one.example: HTTP 410')]);
  });

  it('keeps the last price while the market is down, and reports its ageing', async () => {
    const index = fullIndex();
    const portal = await start(index);
    for (const [now, state] of STATES_BY_TIME) {
      index.commitChain({ readAt: now, slot: now });
      await portal.pollAt(now);
      for (const path of [...MARKET_FIGURES, CHARTS[3] ?? '']) {
        expect(await read(portal, path), path).toMatchObject({ status: 200, state });
      }
      for (const path of CHAIN_FIGURES)
        expect(await read(portal, path), path).toMatchObject({ state: 'live' });
    }
  });

  it('keeps the last figures while no endpoint answers, and reports their ageing', async () => {
    const portal = await start(fullIndex());
    for (const [now, state] of STATES_BY_TIME) {
      await portal.pollAt(now);
      for (const path of [...CHAIN_FIGURES, ...CHARTS.slice(0, 3)])
        expect(await read(portal, path), path).toMatchObject({ status: 200, state });
    }
    const health = JSON.parse((await ask(portal.port, '/api/network/health')).body);
    expect(health).toMatchObject({ status: 'offline', activeEndpoints: 0 });
  });

  it('is 503 for wallet checks, and the last position for position calls, while no endpoint answers', async () => {
    const walletReaders = { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) };
    const portal = await start(fullIndex(), { walletReaders });
    await portal.pollAt(STALE_AT);
    const [verification = '', eligibility = '', position = ''] = WALLET_CALLS;
    for (const path of [verification, eligibility]) {
      expect(await read(portal, path)).toMatchObject({ status: 503, code: 'chain-unreadable', retry: '10' });
    }
    expect(await read(portal, position)).toMatchObject({ status: 200, state: 'stale' });
  });

  it('about a wallet without history is empty, not an error', async () => {
    const portal = await start(fullIndex());
    const { status, body } = await ask(portal.port, `/api/wallet/position?walletAddress=${walletOf(77)}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ isStaking: false, lock: null, transactions: { rows: [] } });
  });

  it('is 503 only for the latest movements while the history is being read', async () => {
    const index = fullIndex();
    index.commit({ isHistoryCaughtUp: false });
    const portal = await start(index);
    for (const path of CHAIN_FIGURES) {
      const isList = path === '/api/transactions';
      expect((await read(portal, path)).status, path).toBe(isList ? 503 : 200);
    }
  });

  it('from the history becomes stale once the history lags too far, while other figures stay live', async () => {
    const index = fullIndex();
    const portal = await start(index);
    const [, , , history = ''] = WALLET_CALLS;
    const lists = ['/api/transactions', history];
    const now = TEST_START + MAX_HISTORY_LAG_MS;
    for (const [readAt, state] of [
      [now, 'live'],
      [now + 1, 'stale'],
    ] as const) {
      index.commitChain({ slot: 9_000, readAt });
      await portal.pollAt(readAt);
      for (const path of lists) {
        expect(await read(portal, path), path).toMatchObject({ status: 200, state });
      }
      for (const path of CHAIN_FIGURES.filter((one) => !lists.includes(one))) {
        expect(await read(portal, path), path).toMatchObject({ status: 200, state: 'live' });
      }
    }
    const { headers } = await ask(portal.port, '/api/transactions');
    expect(headers).toMatchObject({
      'x-figure-as-of': new Date(TEST_START).toISOString(),
      'x-figure-slot': String(index.snapshot.recentEvents[0]?.slot),
    });
  });
});
