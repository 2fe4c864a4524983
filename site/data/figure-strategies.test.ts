import { describe, expect, it } from 'vitest';
import { CALLS } from '../../data/contract/calls.ts';
import { networkHealth } from '../../data/contract/network.ts';
import * as exported from './figure-strategies.ts';

const strategies = Object.entries(exported).filter(
  (entry): entry is [string, exported.FigureStrategy<exported.FigurePath>] => typeof entry[1] === 'object',
);

/** The seconds between two reads, from the specification. 30 for calls that it does not cover. */
const INTERVAL_SECONDS: Readonly<Record<exported.FigurePath, readonly number[]>> = {
  '/api/vault/live-balance': [3, 10, 15, 30],
  '/api/vault/metrics': [180],
  '/api/staking/total': [15, 30, 300],
  '/api/analytics/real-staking': [5, 30],
  '/api/analytics/overview': [5, 30],
  '/api/trading/market-data': [10, 30, 60],
  '/api/token/market-data': [180],
  '/api/transactions': [10, 15],
  '/api/stakers/enhanced': [30],
  '/api/staking/distribution': [30],
  '/api/staking/transfers': [5],
  '/api/staking/program-summary': [60],
};

describe('the strategies for live figures', () => {
  it.each(Object.entries(INTERVAL_SECONDS))('read %s every %j seconds', (path, seconds) => {
    const used = strategies
      .filter(([, one]) => one.path === path)
      .map(([, { intervalMs }]) => intervalMs / 1_000);
    expect([...new Set(used)].toSorted((a, b) => a - b)).toEqual(seconds);
  });

  it('cover exactly the calls that the stream pushes or announces, except the network’s health, which the shell reads', () => {
    const live = CALLS.filter((call) => call.live && call !== networkHealth).map(({ path }) => path);
    expect(Object.keys(INTERVAL_SECONDS).toSorted()).toEqual(live.toSorted());
  });

  it('retry a read twice, but market data three times with growing pauses', () => {
    for (const [name, { path, retry, retryDelay }] of strategies) {
      const isMarket = path === '/api/trading/market-data';
      expect(retry, name).toBe(isMarket ? 3 : 2);
      expect(retryDelay, name).toBe(isMarket ? exported.cappedBackoff : undefined);
    }
  });

  it('keep dashboard figures fresh for 15 seconds, the price for 5, and the staking portal’s total for 4 minutes', () => {
    expect(exported.DASHBOARD_VAULT_BALANCE.staleTime).toBe(15_000);
    expect(exported.DASHBOARD_STAKING_TOTAL.staleTime).toBe(15_000);
    expect(exported.DASHBOARD_MARKET_DATA.staleTime).toBe(5_000);
    expect(exported.STAKING_PORTAL_TOTAL.staleTime).toBe(240_000);
  });

  it('pause 1, 2 and then 4 seconds before a retry, but at most 30 seconds', () => {
    expect([0, 1, 2, 10].map(exported.cappedBackoff)).toEqual([1_000, 2_000, 4_000, 30_000]);
  });
});
