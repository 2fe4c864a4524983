// @vitest-environment happy-dom
import '../testing/draws.ts';

import { environmentManager } from '@tanstack/react-query';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { takeDraws } from '../testing/draws.ts';
import { FakeEventSource } from '../testing/fake-event-source.ts';
import Ledger from './Ledger.tsx';

/** So many seconds from now. */
const at = (seconds: number) => ({
  asOf: new Date(Date.now() + seconds * 1_000).toISOString(),
  state: 'live' as const,
});
const ADDRESS = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';

type Shown = Pick<
  FigureBodies,
  '/api/vault/live-balance' | '/api/staking/total' | '/api/trading/market-data' | '/api/network/health'
>;

/** What the server knows, read so many seconds from now. */
function bodies(
  seconds: number,
  { vault = '100', staked = '50', stakers = 8, price = '0.0001' } = {},
): Shown {
  const chain = { ...at(seconds), slot: 1_000 + seconds, source: 'solana' };
  return {
    '/api/vault/live-balance': {
      vaultBalance: vault,
      balance: vault,
      solBalance: '0',
      vaultAddress: ADDRESS,
      ...chain,
    },
    '/api/staking/total': { balance: staked, stakerCount: stakers, stakePool: ADDRESS, ...chain },
    '/api/trading/market-data': {
      priceUsd: price,
      priceChange24h: null,
      volume24h: null,
      marketCap: '99000',
      liquidity: null,
      ...at(seconds),
      slot: null,
      source: 'jupiter',
    },
    '/api/network/health': {
      chain: 'solana',
      cluster: 'mainnet-beta',
      status: 'healthy',
      activeEndpoints: 1,
      totalEndpoints: 1,
      lastUpdate: at(seconds).asOf,
      errorCount: 0,
      slot: 1_000 + seconds,
      endpoints: [],
    },
  };
}

/** Seconds in which each of the dashboard's figures is polled once. */
const LONGEST_INTERVAL = 31;
const asked = new Set<string>();
let served = bodies(0);
let root: Root;
let place: HTMLElement;

/** Passes time; even none lets the page hear what was sent by `after`. */
const pass = (seconds: number, after = () => {}) =>
  act(async () => {
    after();
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
  });

const change = (version: number, changed: Partial<Shown>) =>
  pass(0, () =>
    FakeEventSource.newest.send('change', { version, bodies: changed, announced: [], missing: [] }),
  );

/** Breaks the stream and lets every figure be polled once, as the server has them by then. */
async function pollOnce(then: Shown): Promise<void> {
  await pass(0, () => FakeEventSource.newest.break());
  takeDraws();
  asked.clear();
  served = then;
  await pass(LONGEST_INTERVAL);
  expect([...asked]).toEqual(expect.arrayContaining(Object.keys(then)));
}

/** Whose contents were drawn since the last look, by the tiles' labels. */
const tilesDrawn = () =>
  takeDraws()
    .filter((name) => name.startsWith('Contents '))
    .map((name) => name.slice('Contents '.length));

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.stubGlobal('fetch', async (path: string) => {
    asked.add(path);
    const body = Object.entries(served).find(([known]) => known === path)?.[1];
    return body ? Response.json(body) : new Response('', { status: 404 });
  });
  environmentManager.setIsServer(() => false);
  place = document.createElement('div');
  document.body.append(place);
  root = createRoot(place);
  await act(async () => root.render(<Ledger explorer="https://e.example" />));
});
afterAll(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
beforeEach(async () => {
  served = bodies(0);
  await change(1, served);
  takeDraws();
});

describe('a message of the stream', () => {
  it('draws the tile whose value changed, and no other', async () => {
    await change(2, {
      '/api/trading/market-data': bodies(1, { price: '0.0002' })['/api/trading/market-data'],
    });
    expect(tilesDrawn()).toEqual(['BD Price']);
    expect(place.textContent).toContain('0.000200');
  });

  it('draws what is worked out from a figure with it', async () => {
    await change(2, { '/api/staking/total': bodies(1, { staked: '75000000' })['/api/staking/total'] });
    expect(tilesDrawn().toSorted()).toEqual(['Current Reduced Supply', 'Total Staked']);
  });

  it('leaves alone a tile of a body in which another value changed', async () => {
    await change(2, { '/api/staking/total': bodies(1, { stakers: 9 })['/api/staking/total'] });
    expect(tilesDrawn()).toEqual(['Total Staked']);
    expect(place.textContent).toContain('9 Active Stakers');
  });

  it('draws no tile where it only says that the sources were read again', async () => {
    const { asOf } = at(2);
    await pass(0, () =>
      FakeEventSource.newest.send('fresh', { now: asOf, chain: { asOf, slot: 1_002 }, market: { asOf } }),
    );
    expect(tilesDrawn()).toEqual([]);
    expect(place.textContent).toContain('slot 1,002');
  });
});

describe('a poll', () => {
  it('that brings the same figures, read later, draws no tile and keeps them young', async () => {
    await pollOnce(bodies(LONGEST_INTERVAL));
    expect(tilesDrawn()).toEqual([]);
    expect(place.querySelectorAll('[data-state="live"]').length).toBeGreaterThan(0);
    expect(place.querySelectorAll('[data-state="ageing"], [data-state="stale"]')).toHaveLength(0);
  });

  it('that brings a new figure draws its tile alone', async () => {
    await pollOnce(bodies(LONGEST_INTERVAL, { vault: '5000000' }));
    expect(tilesDrawn().toSorted()).toEqual(['Current Reduced Supply', 'Vault Balance']);
    expect(place.textContent).toContain('5,000,000.00');
  });
});
