import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../data/config/embedded.ts';
import { parseEnvironment } from '../../data/config/environment.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { dexScreenerBody, jupiterBody, type MarketHost, startMarketHost } from '../testing/market-host.ts';
import { configuredFeed } from './configured-feed.ts';

const log = pino({ level: 'silent' });
const never = new AbortController().signal;
const { mint } = EMBEDDED_ADDRESSES;

let host: MarketHost;
beforeAll(async () => {
  host = await startMarketHost();
  host.answer('dexscreener', dexScreenerBody(mint, [{}]));
  host.answer('jupiter', jupiterBody(mint));
});
afterAll(() => host.close());

function feed(env: Readonly<Record<string, string>>, lastQuote: MarketQuote | null = null) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error('The environment of the test is wrong.');
  return configuredFeed(outcome.config, { log, lastQuote });
}

describe('the configured market', () => {
  it('is made up where nothing is configured, and asks no one', async () => {
    expect(await feed({}).quote(never)).toMatchObject({ source: 'demo' });
    expect(host.asked).toEqual([]);
  });

  it('asks the feed named first, and the other real one where it fails; never the made-up one', async () => {
    const configured = feed({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: host.url });
    expect(await configured.quote(never)).toMatchObject({ source: 'jupiter' });
    host.answer('jupiter', '{}');
    expect(await configured.quote(never)).toMatchObject({ source: 'dexscreener' });
    host.answer('dexscreener', '[]');
    await expect(configured.quote(never)).rejects.toMatchObject({ fault: 'unusable' });
  });

  it.each([
    ['a young one of a market', 'jupiter', 3_600_000, 'refuses'],
    ['one of another day', 'jupiter', 86_400_000, 'believes'],
    ['one of the future', 'jupiter', -3_600_000, 'believes'],
    ['a made-up one', 'demo', 60_000, 'believes'],
  ])('judges its first quote by what is stored: %s', async (_what, source, age, verdict) => {
    const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
    const stored = { priceUsd: '5000', ...unknown, source, readAt: Date.now() - age };
    host.answer('jupiter', jupiterBody(mint));
    host.answer('dexscreener', '[]');
    const asked = feed({ MARKET_FEED: 'jupiter', MARKET_BASE_URL: host.url }, stored).quote(never);
    if (verdict === 'believes') expect(await asked).toMatchObject({ source: 'jupiter' });
    else await expect(asked).rejects.toThrow(/more than 100 times off/);
  });
});
