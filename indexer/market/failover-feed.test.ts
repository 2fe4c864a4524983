import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { createFailoverFeed } from './failover-feed.ts';
import { guardFeed, type MarketFailure, type MarketFeed, MarketFeedError } from './feed.ts';

const never = new AbortController().signal;

/** A feed whose next answer the test sets: a price, figures or a failure. */
function scripted(name: string) {
  let answer: string | MarketFeedError | Partial<MarketQuote> = '0.0001';
  let requests = 0;
  const feed: MarketFeed = {
    name,
    async quote() {
      requests += 1;
      if (answer instanceof MarketFeedError) throw answer;
      const figures = typeof answer === 'string' ? { priceUsd: answer } : answer;
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      return { priceUsd: '0.0001', ...unknown, source: name, readAt: 0, ...figures };
    },
  };
  return {
    feed,
    requests: () => requests,
    give: (next: string | Partial<MarketQuote>) => {
      answer = next;
    },
    fail: (failure: MarketFailure = 'unreachable', retryAfterMs: number | null = null) => {
      answer = new MarketFeedError(failure, `${name} fails`, { retryAfterMs });
    },
  };
}

function logOf() {
  const lines: { level: number; msg: string; feed?: string; fault?: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

function portal(lastPrice: string | null = null) {
  const { log, lines } = logOf();
  const first = scripted('first');
  const second = scripted('second');
  const both = createFailoverFeed([first.feed, second.feed], { log, lastPrice });
  return { first, second, lines, request: () => both.quote(never) };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('feeds with failover', () => {
  it('are requested in order, and the first is used again as soon as it works', async () => {
    const { first, second, lines, request } = portal();
    expect(await request()).toMatchObject({ source: 'first' });
    first.fail();
    expect(await request()).toMatchObject({ source: 'second' });
    expect(await request()).toMatchObject({ source: 'second' });
    first.give('0.0001');
    expect(await request()).toMatchObject({ source: 'first' });
    expect(second.requests()).toBe(2);
    expect(lines.map(({ feed, fault }) => [feed, fault])).toEqual([
      ['first', 'unreachable'],
      ['first', undefined],
    ]);
  });

  it('fail with the reason of each feed if none has a quote', async () => {
    const { first, second, request } = portal();
    first.fail();
    second.fail('limited');
    await expect(request()).rejects.toThrow('first fails; second fails');
  });

  it.each([
    ['zero', { priceUsd: '0' }],
    ['negative', { priceUsd: '-0.1' }],
    ['not a number', { priceUsd: 'NaN' }],
    ['a price that is too small', { priceUsd: '0.0000000000001' }],
    ['a price that is too high', { priceUsd: '1000001' }],
    ['a negative volume', { volume24h: '-5' }],
    ['an implausible liquidity', { liquidity: '1000000000000001' }],
    ['a change that is not a number', { priceChange24h: 'a lot' }],
  ])('never return an implausible quote: %s', async (_what, figures) => {
    const { first, second, lines, request } = portal();
    first.give(figures);
    expect(await request()).toMatchObject({ source: 'second' });
    second.give(figures);
    await expect(request()).rejects.toMatchObject({ failure: 'implausible' });
    expect(lines.map(({ feed, fault }) => [feed, fault])).toEqual([
      ['first', 'implausible'],
      ['second', 'implausible'],
    ]);
  });

  it('never return a quote that is too old', async () => {
    const { first, second, lines, request } = portal();
    vi.advanceTimersByTime(180_001);
    second.give({ readAt: 1 });
    expect(await request()).toMatchObject({ source: 'second', readAt: 1 });
    second.give({ readAt: 0 });
    await expect(request()).rejects.toMatchObject({ failure: 'outdated' });
    first.give({ readAt: 180_001 });
    expect(await request()).toMatchObject({ source: 'first' });
    expect(lines.map(({ feed, fault }) => [feed, fault])).toEqual([
      ['first', 'outdated'],
      ['second', 'outdated'],
      ['first', undefined],
    ]);
  });

  describe('with a price that jumps a hundredfold', () => {
    const jump = () => ({ priceUsd: '0.0301', readAt: Date.now() });
    const isRejected = async (request: () => Promise<MarketQuote>) =>
      expect(request()).rejects.toMatchObject({ failure: 'implausible' });

    it('reject it while no other feed confirms it, however old the last price is', async () => {
      const { first, second, request } = portal();
      await request();
      vi.advanceTimersByTime(3_600_000);
      first.give(jump());
      second.fail();
      await isRejected(request);
      second.give({ priceUsd: '0.0000009', readAt: Date.now() });
      await isRejected(request);
      first.give({ priceUsd: '0.01', readAt: Date.now() });
      expect(await request()).toMatchObject({ priceUsd: '0.01' });
    });

    it.each([
      ['twice', '0.0602', true],
      ['half', '0.01505', true],
      ['more than twice', '0.0603', false],
    ])('compare it with the other feed, which reports %s as much', async (_what, other, isAccepted) => {
      const { first, second, request } = portal();
      await request();
      first.give(jump());
      second.give(other);
      if (isAccepted) expect(await request()).toMatchObject({ source: 'first', priceUsd: '0.0301' });
      else await isRejected(request);
    });

    it('accept it after ten minutes', async () => {
      const { first, second, request } = portal();
      await request();
      second.fail();
      first.give(jump());
      await isRejected(request);
      vi.advanceTimersByTime(599_999);
      first.give(jump());
      await isRejected(request);
      vi.advanceTimersByTime(1);
      expect(await request()).toMatchObject({ priceUsd: '0.0301' });
    });

    it('restart the ten minutes once another feed reports the earlier price', async () => {
      const { first, second, request } = portal();
      await request();
      first.give(jump());
      second.fail();
      await isRejected(request);
      vi.advanceTimersByTime(300_000);
      first.give(jump());
      second.give({ readAt: Date.now() });
      expect(await request()).toMatchObject({ source: 'second', priceUsd: '0.0001' });
      second.fail();
      vi.advanceTimersByTime(300_000);
      first.give(jump());
      await isRejected(request);
    });

    it('reject it even after a start, if a price is stored', async () => {
      const { first, request, second } = portal('0.0001');
      first.give(jump());
      second.fail();
      await isRejected(request);
    });
  });
});

describe('a guarded feed', () => {
  it.each([
    ['unreachable', 2],
    ['timed-out', 1],
    ['unusable', 1],
  ] as const)(
    'is retried once if its server failed, and not after other failures: %s',
    async (failure, expected) => {
      const { feed, requests, fail } = scripted('one');
      fail(failure);
      const quoting = guardFeed(feed).quote(never).catch(failureOf);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await quoting).toBe(failure);
      expect(requests()).toBe(expected);
    },
  );

  it('backs off after three failures in a row, and is retried afterwards', async () => {
    const { feed, requests, fail, give } = scripted('one');
    const guarded = guardFeed(feed);
    fail('unusable');
    for (const failure of ['unusable', 'unusable', 'unusable', 'backoff']) {
      await expect(guarded.quote(never)).rejects.toMatchObject({ failure });
    }
    expect(requests()).toBe(3);
    give('0.0001');
    vi.advanceTimersByTime(60_000);
    expect(await guarded.quote(never)).toMatchObject({ source: 'one' });
  });

  it('gets no request while it asks the client to wait', async () => {
    const { feed, requests, fail, give } = scripted('one');
    const guarded = guardFeed(feed);
    fail('limited', 7_000);
    await expect(guarded.quote(never)).rejects.toMatchObject({ failure: 'limited' });
    give('0.0001');
    vi.advanceTimersByTime(6_999);
    await expect(guarded.quote(never)).rejects.toMatchObject({ failure: 'backoff' });
    expect(requests()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await guarded.quote(never)).toMatchObject({ source: 'one' });
  });

  it('stops when the program does', async () => {
    const controller = new AbortController();
    const guarded = guardFeed({
      name: 'one',
      quote: async () => {
        controller.abort(new Error('stopping'));
        throw new MarketFeedError('unreachable', 'down');
      },
    });
    await expect(guarded.quote(controller.signal)).rejects.toThrow('stopping');
  });
});

const failureOf = (error: unknown) => (error instanceof MarketFeedError ? error.failure : error);
