import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EMBEDDED_ADDRESSES, parseEnvironment } from '../../data/config/environment.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { dexScreenerBody, jupiterBody, type MarketHost, startMarketHost } from '../testing/market-host.ts';
import type { MarketFeed } from './feed.ts';
import { configuredFeed, runMarketLoop } from './market-loop.ts';

const log = pino({ level: 'silent' });
const neverAborted = new AbortController().signal;
const { mint } = EMBEDDED_ADDRESSES;

let host: MarketHost;
beforeAll(async () => {
  host = await startMarketHost();
  host.setAnswer('dexscreener', dexScreenerBody(mint, [{}]));
  host.setAnswer('jupiter', jupiterBody(mint));
});
afterAll(() => host.close());

function feedFrom(env: Readonly<Record<string, string>>, lastQuote: MarketQuote | null = null) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error('the environment is invalid');
  return configuredFeed(outcome.config, { log, lastQuote });
}

describe('the market feed', () => {
  it('is the demo feed, which makes no request, if nothing is configured', async () => {
    expect(await feedFrom({}).quote(neverAborted)).toMatchObject({ source: 'demo' });
    expect(host.requests).toEqual([]);
  });

  it('requests the configured feed first, the other real feed if that fails, and never the demo', async () => {
    const configured = feedFrom({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: host.url });
    expect(await configured.quote(neverAborted)).toMatchObject({ source: 'jupiter' });
    host.setAnswer('jupiter', '{}');
    expect(await configured.quote(neverAborted)).toMatchObject({ source: 'dexscreener' });
    host.setAnswer('dexscreener', '[]');
    await expect(configured.quote(neverAborted)).rejects.toMatchObject({ failure: 'unusable' });
  });

  it.each([
    ['recent', 'jupiter', 3_600_000, 'rejects'],
    ['a day old', 'jupiter', 86_400_000, 'accepts'],
    ['in the future', 'jupiter', -3_600_000, 'accepts'],
    ['from the demo', 'demo', 60_000, 'accepts'],
  ])(
    'compares its first quote with a stored one only if the stored one is recent and real: %s',
    async (_what, source, ageMs, verdict) => {
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      const stored = { priceUsd: '5000', ...unknown, source, readAt: Date.now() - ageMs };
      host.setAnswer('jupiter', jupiterBody(mint));
      host.setAnswer('dexscreener', '[]');
      const quoting = feedFrom({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: host.url }, stored).quote(
        neverAborted,
      );
      if (verdict === 'accepts') expect(await quoting).toMatchObject({ source: 'jupiter' });
      else await expect(quoting).rejects.toMatchObject({ failure: 'implausible' });
    },
  );
});

function feedOf(answers: readonly (string | Error)[]): MarketFeed {
  const remaining = [...answers];
  return {
    name: 'test',
    async quote() {
      const answer = remaining.shift() ?? new Error('nothing more');
      if (answer instanceof Error) throw answer;
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      return { priceUsd: answer, ...unknown, source: 'test', readAt: 1 };
    },
  };
}

describe('the market loop', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('commits each quote until it is stopped, and nothing while the feed fails', async () => {
    const controller = new AbortController();
    const committed: string[] = [];
    const commitQuote = async ({ priceUsd }: MarketQuote) => void committed.push(priceUsd);
    const feed = feedOf(['1', new Error('down'), new Error('down'), '4']);
    const running = runMarketLoop({ feed, writer: { commitQuote }, log, signal: controller.signal });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(committed).toEqual(['1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(committed).toEqual(['1', '4']);
    controller.abort();
    await running;
  });
});
