import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { createFailoverFeed } from './failover-feed.ts';
import { guardFeed, type MarketFailure, type MarketFeed, MarketFeedError } from './feed.ts';

const neverAborted = new AbortController().signal;

function scriptedFeed(name: string) {
  let answer: string | MarketFeedError | Partial<MarketQuote> = '0.0001';
  let requestCount = 0;
  const feed: MarketFeed = {
    name,
    async quote() {
      requestCount += 1;
      if (answer instanceof MarketFeedError) throw answer;
      const figures = typeof answer === 'string' ? { priceUsd: answer } : answer;
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      return { priceUsd: '0.0001', ...unknown, source: name, readAt: 0, ...figures };
    },
  };
  return {
    feed,
    requestCount: () => requestCount,
    setAnswer: (next: string | Partial<MarketQuote>) => {
      answer = next;
    },
    setFailure: (failure: MarketFailure = 'unreachable', retryAfterMs: number | null = null) => {
      answer = new MarketFeedError(failure, `${name} fails`, { retryAfterMs });
    },
  };
}

function createLog() {
  const lines: { level: number; msg: string; feed?: string; failure?: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

function setUpFeeds(lastPrice: string | null = null) {
  const { log, lines } = createLog();
  const first = scriptedFeed('first');
  const second = scriptedFeed('second');
  const failoverFeed = createFailoverFeed([first.feed, second.feed], { log, lastPrice });
  return { first, second, lines, request: () => failoverFeed.quote(neverAborted) };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('feeds with failover', () => {
  it('are requested in order, and the first is used again as soon as it works', async () => {
    const { first, second, lines, request } = setUpFeeds();
    expect(await request()).toMatchObject({ source: 'first' });
    first.setFailure();
    expect(await request()).toMatchObject({ source: 'second' });
    expect(await request()).toMatchObject({ source: 'second' });
    first.setAnswer('0.0001');
    expect(await request()).toMatchObject({ source: 'first' });
    expect(second.requestCount()).toBe(2);
    expect(lines.map(({ feed, failure }) => [feed, failure])).toEqual([
      ['first', 'unreachable'],
      ['first', undefined],
    ]);
  });

  it('fail with the reason of each feed if none has a quote', async () => {
    const { first, second, request } = setUpFeeds();
    first.setFailure();
    second.setFailure('limited');
    await expect(request()).rejects.toThrow('first fails; second fails');
  });

  it.each([
    ['a price of zero', { priceUsd: '0' }],
    ['a negative price', { priceUsd: '-0.1' }],
    ['a price that is not a number', { priceUsd: 'NaN' }],
    ['a price that is too small', { priceUsd: '0.0000000000001' }],
    ['a price that is too high', { priceUsd: '1000001' }],
    ['a negative volume', { volume24h: '-5' }],
    ['an implausible liquidity', { liquidity: '1000000000000001' }],
    ['a change that is not a number', { priceChange24h: 'a lot' }],
  ])('never return an implausible quote: %s', async (_what, figures) => {
    const { first, second, lines, request } = setUpFeeds();
    first.setAnswer(figures);
    expect(await request()).toMatchObject({ source: 'second' });
    second.setAnswer(figures);
    await expect(request()).rejects.toMatchObject({ failure: 'implausible' });
    expect(lines.map(({ feed, failure }) => [feed, failure])).toEqual([
      ['first', 'implausible'],
      ['second', 'implausible'],
    ]);
  });

  it('never return a quote that is too old', async () => {
    const { first, second, lines, request } = setUpFeeds();
    vi.advanceTimersByTime(180_001);
    second.setAnswer({ readAt: 1 });
    expect(await request()).toMatchObject({ source: 'second', readAt: 1 });
    second.setAnswer({ readAt: 0 });
    await expect(request()).rejects.toMatchObject({ failure: 'outdated' });
    first.setAnswer({ readAt: 180_001 });
    expect(await request()).toMatchObject({ source: 'first' });
    expect(lines.map(({ feed, failure }) => [feed, failure])).toEqual([
      ['first', 'outdated'],
      ['second', 'outdated'],
      ['first', undefined],
    ]);
  });

  describe('that see the price jump more than a hundredfold', () => {
    const jumpedQuote = () => ({ priceUsd: '0.0301', readAt: Date.now() });
    const expectRejected = async (request: () => Promise<MarketQuote>) =>
      expect(request()).rejects.toMatchObject({ failure: 'implausible' });

    it('at first reject a new price that no other feed confirms, however old the last price is', async () => {
      const { first, second, request } = setUpFeeds();
      await request();
      vi.advanceTimersByTime(3_600_000);
      first.setAnswer(jumpedQuote());
      second.setFailure();
      await expectRejected(request);
      second.setAnswer({ priceUsd: '0.0000009', readAt: Date.now() });
      await expectRejected(request);
      first.setAnswer({ priceUsd: '0.01', readAt: Date.now() });
      expect(await request()).toMatchObject({ priceUsd: '0.01' });
    });

    it.each([
      ['accept it if the other is twice as high', '0.0602', true],
      ['accept it if the other is half as high', '0.01505', true],
      ['reject it if the other is more than twice as high', '0.0603', false],
    ])('compare the new price with the other feed’s, and %s', async (_rule, other, isAccepted) => {
      const { first, second, request } = setUpFeeds();
      await request();
      first.setAnswer(jumpedQuote());
      second.setAnswer(other);
      if (isAccepted) expect(await request()).toMatchObject({ source: 'first', priceUsd: '0.0301' });
      else await expectRejected(request);
    });

    it('accept the new price once it has lasted for ten minutes', async () => {
      const { first, second, request } = setUpFeeds();
      await request();
      second.setFailure();
      first.setAnswer(jumpedQuote());
      await expectRejected(request);
      vi.advanceTimersByTime(599_999);
      first.setAnswer(jumpedQuote());
      await expectRejected(request);
      vi.advanceTimersByTime(1);
      expect(await request()).toMatchObject({ priceUsd: '0.0301' });
    });

    it('restart the ten minutes once another feed reports the earlier price', async () => {
      const { first, second, request } = setUpFeeds();
      await request();
      first.setAnswer(jumpedQuote());
      second.setFailure();
      await expectRejected(request);
      vi.advanceTimersByTime(300_000);
      first.setAnswer(jumpedQuote());
      second.setAnswer({ readAt: Date.now() });
      expect(await request()).toMatchObject({ source: 'second', priceUsd: '0.0001' });
      second.setFailure();
      vi.advanceTimersByTime(300_000);
      first.setAnswer(jumpedQuote());
      await expectRejected(request);
    });

    it('reject the new price even right after startup, if an earlier price is stored', async () => {
      const { first, request, second } = setUpFeeds('0.0001');
      first.setAnswer(jumpedQuote());
      second.setFailure();
      await expectRejected(request);
    });
  });
});

describe('a guarded feed', () => {
  it.each([
    ['unreachable', 2],
    ['timed-out', 1],
    ['unusable', 1],
  ] as const)(
    'is retried once if it is unreachable, but not after other failures: %s',
    async (failure, expected) => {
      const { feed, requestCount, setFailure } = scriptedFeed('one');
      setFailure(failure);
      const quoting = guardFeed(feed).quote(neverAborted).catch(failureOf);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await quoting).toBe(failure);
      expect(requestCount()).toBe(expected);
    },
  );

  it('is not requested for a while after three failures in a row, and is retried afterwards, even if the clock is set back', async () => {
    const { feed, requestCount, setFailure, setAnswer } = scriptedFeed('one');
    const guarded = guardFeed(feed);
    setFailure('unusable');
    for (const failure of ['unusable', 'unusable', 'unusable', 'backoff']) {
      await expect(guarded.quote(neverAborted)).rejects.toMatchObject({ failure });
    }
    expect(requestCount()).toBe(3);
    setAnswer('0.0001');
    vi.setSystemTime(-3_600_000);
    vi.advanceTimersByTime(60_000);
    expect(await guarded.quote(neverAborted)).toMatchObject({ source: 'one' });
  });

  it('is in backoff longer after each failed retry, at most two minutes', async () => {
    const { feed, requestCount, setFailure } = scriptedFeed('one');
    const guarded = guardFeed(feed);
    setFailure('unusable');
    const requestTimes: number[] = [];
    for (let seconds = 0; seconds < 500; seconds += 1) {
      const before = requestCount();
      await guarded.quote(neverAborted).catch(failureOf);
      if (requestCount() > before) requestTimes.push(seconds);
      vi.advanceTimersByTime(1_000);
    }
    expect(requestTimes).toEqual([0, 1, 2, 17, 47, 107, 227, 347, 467]);
  });

  it('is not requested again until the time that it asked for has passed', async () => {
    const { feed, requestCount, setFailure, setAnswer } = scriptedFeed('one');
    const guarded = guardFeed(feed);
    setFailure('limited', 7_000);
    await expect(guarded.quote(neverAborted)).rejects.toMatchObject({ failure: 'limited' });
    setAnswer('0.0001');
    vi.advanceTimersByTime(6_999);
    await expect(guarded.quote(neverAborted)).rejects.toMatchObject({ failure: 'backoff' });
    expect(requestCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await guarded.quote(neverAborted)).toMatchObject({ source: 'one' });
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
