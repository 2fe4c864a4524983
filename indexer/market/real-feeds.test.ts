import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dexScreenerBody, jupiterBody, type MarketHost, startMarketHost } from '../testing/market-host.ts';
import type { MarketFeed } from './feed.ts';
import { exactNumber, parseExactJson, plainDecimal, sumDecimals } from './market-json.ts';
import { createDexScreenerFeed, createJupiterFeed } from './real-feeds.ts';

const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`));

describe('numbers from a market host', () => {
  it('keep every digit', () => {
    const text = '{"usd":0.000113700000000000001,"pools":[12345678901234567890.5],"name":"7"}';
    expect(parseExactJson(text)).toEqual({
      usd: '0.000113700000000000001',
      pools: ['12345678901234567890.5'],
      name: '7',
    });
  });

  it.each([
    ['1.2e-5', '0.000012'],
    ['1.20E+3', '1200'],
    ['-0.50', '-0.5'],
    ['-0.0', '0'],
    ['5e-7', '0.0000005'],
    ['00.1', '0.1'],
    ['12.345e1', '123.45'],
  ])('are written without an exponent: %s becomes %s', (text, plain) => {
    expect(plainDecimal(text)).toBe(plain);
  });

  it.each(['NaN', 'Infinity', '', ' 1', '1.', '.5', '0x10', '1e400', '1e-400', '9'.repeat(41), '1,5'])(
    'do not include %j',
    (text) => {
      expect(plainDecimal(text)).toBeNull();
      expect(exactNumber.safeParse(text).success).toBe(false);
    },
  );

  it('have the same value with an exponent and without', () => {
    const exponents = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(digits(1, 12), digits(1, 12), exponents, (whole, part, exponent) => {
        const plain = plainDecimal(`${whole}.${part}e${exponent}`);
        const scale = 40;
        const scaled = BigInt(whole + part) * 10n ** BigInt(scale + exponent - part.length);
        const [integer = '', fraction = ''] = (plain ?? '').split('.');
        expect(BigInt(integer + fraction.padEnd(scale, '0'))).toBe(scaled);
      }),
    );
  });

  it('add up exactly, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(digits(1, 15), digits(1, 15)), { maxLength: 8 }), (parts) => {
        const texts = parts.map(([whole, part]) => `${whole}.${part}`);
        const units = parts.reduce((sum, [whole, part]) => sum + BigInt(whole + part.padEnd(15, '0')), 0n);
        expect(sumDecimals(texts)).toBe(plainDecimal(`${units}e-15`));
        expect(sumDecimals(texts.toReversed())).toBe(sumDecimals(texts));
      }),
    );
    expect(sumDecimals(['0.1', '0.2'])).toBe('0.3');
    expect(sumDecimals(['10', '-110'])).toBe('-100');
    const tiny = `${'0'.repeat(44)}1`;
    expect(sumDecimals(['1', `0.${tiny}`])).toBe(`1.${tiny}`);
  });
});

const MINT = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';
const OTHER_MINT = 'So11111111111111111111111111111111111111112';
const neverAborted = new AbortController().signal;
const NOW = Date.UTC(2026, 0, 15, 12);

let host: MarketHost;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  host = await startMarketHost();
});
afterAll(async () => {
  vi.useRealTimers();
  await host.close();
});

const feedOf = (name: 'dexscreener' | 'jupiter', timeoutMs = 20_000): MarketFeed => {
  const options = { mint: MINT, baseUrl: `${host.url}/`, timeoutMs };
  return name === 'jupiter' ? createJupiterFeed(options) : createDexScreenerFeed(options);
};

describe('DexScreener', () => {
  const quote = () => feedOf('dexscreener').quote(neverAborted);

  it('returns the price of the deepest pool, and the volume and liquidity of all pools of the mint', async () => {
    host.setAnswer(
      'dexscreener',
      dexScreenerBody(MINT, [
        { priceUsd: '0.00009', liquidity: '900.10', volume24h: '0.1', change24h: '40' },
        { priceUsd: '0.000113700000000000001', liquidity: '38000.05', volume24h: '6400.2' },
        { baseMint: OTHER_MINT, quoteMint: MINT, priceUsd: '150.25', liquidity: '99000', volume24h: '7' },
        { baseMint: OTHER_MINT, priceUsd: '150.25', liquidity: '9e9', volume24h: '5e6' },
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
    expect(host.requests.at(-1)).toBe(`/tokens/v1/solana/${MINT}`);
  });

  it('returns null for a figure that a pool does not report', async () => {
    const quiet = { volume24h: null, change24h: null, liquidity: null };
    host.setAnswer('dexscreener', dexScreenerBody(MINT, [quiet]));
    expect(await quote()).toMatchObject({ priceChange24h: null, volume24h: null, liquidity: null });
  });

  it.each([
    ['no pool', []],
    ['pools of another mint', [{ baseMint: OTHER_MINT, quoteMint: OTHER_MINT }]],
    ['pools with the mint as the quote token only', [{ baseMint: OTHER_MINT, quoteMint: MINT }]],
    ['pools without a price', [{ priceUsd: null }]],
  ])('has no price if it lists %s', async (_what, pools) => {
    host.setAnswer('dexscreener', dexScreenerBody(MINT, pools));
    await expect(quote()).rejects.toMatchObject({ failure: 'unusable' });
  });
});

describe('Jupiter', () => {
  const quote = () => feedOf('jupiter').quote(neverAborted);

  it('returns the mint’s price with its change and age, and the liquidity, but no volume', async () => {
    const body = jupiterBody(MINT, { usdPrice: '1.137e-4' });
    host.setAnswer('jupiter', (response) => response.writeHead(200, { age: '90' }).end(body));
    expect(await quote()).toEqual({
      priceUsd: '0.0001137',
      priceChange24h: '-1.25',
      volume24h: null,
      liquidity: '38000.5',
      source: 'jupiter',
      readAt: NOW - 90_000,
    });
    expect(host.requests.at(-1)).toBe(`/price/v3?ids=${MINT}`);
  });

  it.each([
    ['nothing', '{}'],
    ['another mint', jupiterBody(OTHER_MINT)],
    ['no price of the mint', `{"${MINT}":null}`],
    ['an inherited property', '{"__proto__":{"usdPrice":1}}'],
  ])('has no price if it returns %s', async (_what, body) => {
    host.setAnswer('jupiter', body);
    await expect(quote()).rejects.toMatchObject({ failure: 'unusable' });
  });
});

describe.each(['dexscreener', 'jupiter'] as const)('a quote from %s', (name) => {
  it.each([
    ['a web page', '<!doctype html><title>Just a moment...</title>'],
    ['half an answer', '[{"chainId":"solana"'],
    ['another shape', '{"pairs":"none"}'],
    ['a number', '7'],
    ['nothing', ''],
    ['a price that is not a number', dexScreenerBody(MINT, [{ priceUsd: 'NaN' }])],
    ['an implausible number', dexScreenerBody(MINT, [{ volume24h: '1e999999999' }])],
  ])('fails if the answer is %s', async (_what, body) => {
    host.setAnswer(name, body);
    await expect(feedOf(name).quote(neverAborted)).rejects.toMatchObject({
      name: 'MarketFeedError',
      failure: 'unusable',
    });
  });
});

describe('a request to a market host', () => {
  const name = 'dexscreener';
  const quote = (timeoutMs?: number) => feedOf(name, timeoutMs).quote(neverAborted);

  it('times out before and during the response', async () => {
    host.setAnswer(name, () => {});
    await expect(quote(50)).rejects.toMatchObject({ failure: 'timed-out' });
    host.setAnswer(name, (response) => response.writeHead(200).write('['));
    await expect(quote(50)).rejects.toMatchObject({ failure: 'timed-out' });
  });

  it('reports how long the host asks the client to wait', async () => {
    host.setAnswer(name, (response) => response.writeHead(429, { 'retry-after': '7' }).end());
    await expect(quote()).rejects.toMatchObject({ failure: 'limited', retryAfterMs: 7_000 });
  });

  it.each([
    [503, 'unreachable'],
    [404, 'refused'],
  ])('fails after HTTP %d: %s', async (status, failure) => {
    host.setAnswer(name, (response) => response.writeHead(status).end('<h1>sorry</h1>'));
    await expect(quote()).rejects.toMatchObject({
      failure,
      message: expect.stringContaining(new URL(host.url).host),
    });
  });

  it('does not follow a redirect to another host', async () => {
    const elsewhere = await startMarketHost();
    elsewhere.setAnswer(name, dexScreenerBody(MINT, [{}]));
    host.setAnswer(name, (response) =>
      response.writeHead(302, { location: `${elsewhere.url}${response.req.url}` }).end(),
    );
    await expect(quote()).rejects.toMatchObject({ failure: 'refused' });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it.each([
    ['90', 90],
    ['90000', 86_400],
    ['9'.repeat(30), 86_400],
  ])(
    'returns a quote that is as old as the Age header says, but at most a day: %s s',
    async (age, seconds) => {
      const body = dexScreenerBody(MINT, [{}]);
      host.setAnswer(name, (response) => response.writeHead(200, { age }).end(body));
      expect(await quote()).toMatchObject({ readAt: NOW - seconds * 1_000 });
    },
  );

  it('fails if the host closes the connection', async () => {
    host.setAnswer(name, (response) => response.destroy());
    await expect(quote()).rejects.toMatchObject({ failure: 'unreachable' });
  });

  it('fails if the answer is too long', async () => {
    host.setAnswer(name, (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('"'.repeat(100_000)));
      };
      response.on('drain', more);
      more();
    });
    await expect(quote()).rejects.toMatchObject({ failure: 'unusable' });
  });

  it('stops immediately when the program does', async () => {
    host.setAnswer(name, () => {});
    const controller = new AbortController();
    const asking = feedOf(name).quote(controller.signal);
    controller.abort(new Error('stopping'));
    await expect(asking).rejects.toThrow('stopping');
  });
});
