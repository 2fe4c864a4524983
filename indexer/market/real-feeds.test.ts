import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dexScreenerBody, jupiterBody, type MarketHost, startMarketHost } from '../testing/market-host.ts';
import { createDexScreenerFeed } from './dexscreener-feed.ts';
import type { MarketFeed } from './feed.ts';
import { createJupiterFeed } from './jupiter-feed.ts';

const MINT = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';
const OTHER = 'So11111111111111111111111111111111111111112';
const never = new AbortController().signal;
const NOW = Date.UTC(2026, 0, 15, 12);

let host: MarketHost;
beforeAll(async () => {
  host = await startMarketHost();
});
afterAll(() => host.close());

const feedOf = (name: 'dexscreener' | 'jupiter', timeoutMs = 2_000): MarketFeed => {
  const options = { mint: MINT, baseUrl: `${host.url}/`, timeoutMs, now: () => NOW };
  return name === 'jupiter' ? createJupiterFeed(options) : createDexScreenerFeed(options);
};

describe('DexScreener', () => {
  const quote = () => feedOf('dexscreener').quote(never);

  it('gives the price of the deepest pool, and what all pools of the mint trade and hold', async () => {
    host.answer(
      'dexscreener',
      dexScreenerBody(MINT, [
        { priceUsd: '0.00009', liquidity: '900.10', volume24h: '0.1', change24h: '40' },
        { priceUsd: '0.000113700000000000001', liquidity: '38000.05', volume24h: '6400.2' },
        { base: OTHER, quote: MINT, priceUsd: '150.25', liquidity: '99000', volume24h: '7' },
        { base: OTHER, priceUsd: '150.25', liquidity: '9e9', volume24h: '5e6' },
        { chainId: 'ethereum', priceUsd: '3', liquidity: '9e9', volume24h: '5e6' },
      ]),
    );
    expect(await quote()).toEqual({
      priceUsd: '0.000113700000000000001',
      priceChange24h: '-1.25',
      volume24h: '6407.3',
      liquidity: '137900.15',
      source: 'dexscreener',
      readAt: NOW,
    });
    expect(host.asked.at(-1)).toBe(`/tokens/v1/solana/${MINT}`);
  });

  it('leaves unknown what a pool does not tell', async () => {
    const quiet = { volume24h: null, change24h: null, liquidity: null };
    host.answer('dexscreener', dexScreenerBody(MINT, [quiet]));
    expect(await quote()).toMatchObject({ priceChange24h: null, volume24h: null, liquidity: null });
  });

  it.each([
    ['no pool', []],
    ['pools of another mint', [{ base: OTHER, quote: OTHER }]],
    ['pools where it only pays for another token', [{ base: OTHER, quote: MINT }]],
    ['pools without a price', [{ priceUsd: null }]],
  ])('has no price where it lists %s', async (_what, pools) => {
    host.answer('dexscreener', dexScreenerBody(MINT, pools));
    await expect(quote()).rejects.toMatchObject({ fault: 'unusable' });
  });

  it('gives an answer the age that the caches between say it has', async () => {
    host.answer('dexscreener', (response) => {
      response.writeHead(200, { age: '90' }).end(dexScreenerBody(MINT, [{}]));
    });
    expect((await quote()).readAt).toBe(NOW - 90_000);
  });
});

describe('Jupiter', () => {
  const quote = () => feedOf('jupiter').quote(never);

  it('gives price, change and liquidity of the mint, and no volume, which it does not have', async () => {
    host.answer('jupiter', jupiterBody(MINT, { usdPrice: '1.137e-4' }));
    expect(await quote()).toEqual({
      priceUsd: '0.0001137',
      priceChange24h: '-1.25',
      volume24h: null,
      liquidity: '38000.5',
      source: 'jupiter',
      readAt: NOW,
    });
    expect(host.asked.at(-1)).toBe(`/price/v3?ids=${MINT}`);
  });

  it.each([
    ['nothing', '{}'],
    ['another mint', jupiterBody(OTHER)],
    ['no price of it', `{"${MINT}":null}`],
    ['a mint by an inherited name', '{"__proto__":{"usdPrice":1}}'],
  ])('has no price where it answers %s', async (_what, body) => {
    host.answer('jupiter', body);
    await expect(quote()).rejects.toMatchObject({ fault: 'unusable' });
  });
});

describe.each(['dexscreener', 'jupiter'] as const)('%s, when its host misbehaves', (name) => {
  const quote = (timeoutMs?: number) => feedOf(name, timeoutMs).quote(never);
  const hostName = () => new URL(host.url).host;

  it('is given up after its time, before the answer and within it', async () => {
    host.answer(name, () => {});
    await expect(quote(50)).rejects.toMatchObject({
      fault: 'timed-out',
      message: `${hostName()} did not answer within 0.05 s`,
    });
    host.answer(name, (response) => response.writeHead(200).write('['));
    await expect(quote(50)).rejects.toMatchObject({ fault: 'timed-out' });
  });

  it('says how long it wants to be left alone', async () => {
    host.answer(name, (response) => response.writeHead(429, { 'retry-after': '7' }).end());
    await expect(quote()).rejects.toMatchObject({ fault: 'limited', retryAfterMs: 7_000 });
  });

  it.each([
    [503, 'unreachable'],
    [404, 'refused'],
  ])('fails as what HTTP %d means: %s', async (status, fault) => {
    host.answer(name, (response) => response.writeHead(status).end('<h1>sorry</h1>'));
    await expect(quote()).rejects.toMatchObject({ fault, message: `${hostName()} answers HTTP ${status}` });
  });

  it('is not followed to another host', async () => {
    const elsewhere = await startMarketHost();
    elsewhere.answer('dexscreener', dexScreenerBody(MINT, [{}]));
    elsewhere.answer('jupiter', jupiterBody(MINT));
    host.answer(name, (response) =>
      response.writeHead(302, { location: `${elsewhere.url}${response.req.url}` }).end(),
    );
    await expect(quote()).rejects.toMatchObject({
      fault: 'refused',
      message: `${hostName()} answers HTTP 302`,
    });
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
  });

  it.each(['90000', '9'.repeat(30)])('is as old as the caches in between say: %s s', async (age) => {
    const body = name === 'jupiter' ? jupiterBody(MINT) : dexScreenerBody(MINT, [{}]);
    host.answer(name, (response) => response.writeHead(200, { age }).end(body));
    expect(await quote()).toMatchObject({ readAt: NOW - 86_400_000 });
  });

  it('is not there', async () => {
    host.answer(name, (response) => response.destroy());
    await expect(quote()).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it.each([
    ['a web page', '<!doctype html><title>Just a moment...</title>'],
    ['half an answer', '[{"chainId":"solana"'],
    ['another shape', '{"pairs":"none"}'],
    ['a number', '7'],
    ['nothing', ''],
    ['a price that is no number', dexScreenerBody(MINT, [{ priceUsd: 'NaN' }])],
    ['a number without measure', dexScreenerBody(MINT, [{ volume24h: '1e999999999' }])],
  ])('has no quote in %s', async (_what, body) => {
    host.answer(name, body);
    await expect(quote()).rejects.toMatchObject({ name: 'MarketFeedError', fault: 'unusable' });
  });

  it('is not listened to without end', async () => {
    host.answer(name, (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('"'.repeat(100_000)));
      };
      response.on('drain', more);
      more();
    });
    await expect(quote()).rejects.toMatchObject({ message: `${hostName()} answers without end` });
  });

  it('is given up at once when the program is told to stop', async () => {
    host.answer(name, () => {});
    const controller = new AbortController();
    const asking = feedOf(name).quote(controller.signal);
    controller.abort(new Error('stopping'));
    await expect(asking).rejects.toThrow('stopping');
  });
});
