import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { createFailoverFeed } from './failover-feed.ts';
import { type MarketFault, type MarketFeed, MarketFeedError } from './feed.ts';
import { guardFeed } from './guarded-feed.ts';

const never = new AbortController().signal;

/** A feed whose next answers the test sets: a price, or how it fails. */
function scripted(name: string) {
  let answer: string | MarketFeedError | Partial<MarketQuote> = '0.0001';
  let asked = 0;
  const feed: MarketFeed = {
    name,
    async quote() {
      asked += 1;
      if (answer instanceof MarketFeedError) throw answer;
      const figures = typeof answer === 'string' ? { priceUsd: answer } : answer;
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      return { priceUsd: '0.0001', ...unknown, source: name, readAt: 0, ...figures };
    },
  };
  return {
    feed,
    asked: () => asked,
    give: (next: string | Partial<MarketQuote>) => {
      answer = next;
    },
    fail: (fault: MarketFault = 'unreachable', retryAfterMs: number | null = null) => {
      answer = new MarketFeedError(fault, `${name} fails`, { retryAfterMs });
    },
  };
}

function logOf() {
  const lines: { level: number; msg: string; feed?: string; fault?: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

function portal(lastPrice: string | null = null) {
  let now = 0;
  const { log, lines } = logOf();
  const first = scripted('first');
  const second = scripted('second');
  const both = createFailoverFeed([first.feed, second.feed], {
    log,
    lastPrice,
    elapsed: () => now,
    now: () => now,
  });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { first, second, lines, pass, ask: () => both.quote(never) };
}

describe('feeds in order', () => {
  it('are asked one after the other, and the first is back as soon as it works again', async () => {
    const { first, second, lines, ask } = portal();
    expect(await ask()).toMatchObject({ source: 'first' });
    first.fail();
    expect(await ask()).toMatchObject({ source: 'second' });
    expect(await ask()).toMatchObject({ source: 'second' });
    first.give('0.0001');
    expect(await ask()).toMatchObject({ source: 'first' });
    expect(second.asked()).toBe(2);
    expect(lines.map(({ msg }) => msg)).toEqual(['a market feed failed', 'a market feed works again']);
  });

  it('give nothing where none has a quote, and say why each has none', async () => {
    const { first, second, ask } = portal();
    first.fail();
    second.fail('limited');
    await expect(ask()).rejects.toThrow('first fails; second fails');
  });

  it.each([
    ['zero', { priceUsd: '0' }],
    ['negative', { priceUsd: '-0.1' }],
    ['no number', { priceUsd: 'NaN' }],
    ['too small to have a value', { priceUsd: '0.0000000000001' }],
    ['beyond any token', { priceUsd: '1000001' }],
    ['a negative volume', { volume24h: '-5' }],
    ['a liquidity without measure', { liquidity: '1000000000000001' }],
    ['a change that is no number', { priceChange24h: 'a lot' }],
  ])('never show a quote that no market has: %s', async (_what, figures) => {
    const { first, second, lines, ask } = portal();
    first.give(figures);
    expect(await ask()).toMatchObject({ source: 'second' });
    second.give(figures);
    await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
    expect(lines.map(({ msg, feed }) => [feed, msg])).toEqual([
      ['first', 'a market quote was refused; it is not shown'],
      ['second', 'a market quote was refused; it is not shown'],
    ]);
  });

  it('never show a quote that is too old, whichever cache held it', async () => {
    const { first, second, lines, pass, ask } = portal();
    pass(180_001);
    second.give({ readAt: 1 });
    expect(await ask()).toMatchObject({ source: 'second', readAt: 1 });
    second.give({ readAt: 0 });
    await expect(ask()).rejects.toThrow('first: the quote is 180 s old; second: the quote is 180 s old');
    first.give({ readAt: 180_001 });
    expect(await ask()).toMatchObject({ source: 'first' });
    expect(lines.map(({ feed, fault }) => [feed, fault])).toEqual([
      ['first', 'outdated'],
      ['second', 'outdated'],
      ['first', undefined],
    ]);
  });

  describe('whose price jumps a hundredfold', () => {
    const jump = (readAt = 0) => ({ priceUsd: '0.0301', readAt });

    it('are refused however long ago the last price was, while no other feed says the same', async () => {
      const { first, second, pass, ask } = portal();
      await ask();
      first.give(jump(3_600_000));
      second.fail();
      pass(3_600_000);
      await expect(ask()).rejects.toThrow(/more than 100 times off/);
      second.give({ priceUsd: '0.0000009', readAt: 3_600_000 });
      await expect(ask()).rejects.toThrow(/more than 100 times off/);
      first.give({ priceUsd: '0.01', readAt: 3_600_000 });
      expect(await ask()).toMatchObject({ priceUsd: '0.01' });
    });

    it.each([
      ['twice', '0.0602', true],
      ['half', '0.01505', true],
      ['more than twice', '0.0603', false],
    ])('are believed at once where the other feed says %s as much', async (_what, other, isBelieved) => {
      const { first, second, ask } = portal();
      await ask();
      first.give(jump());
      second.give(other);
      if (isBelieved) expect(await ask()).toMatchObject({ source: 'first', priceUsd: '0.0301' });
      else await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
    });

    it('are believed once they have stood for ten minutes', async () => {
      const { first, second, pass, ask } = portal();
      await ask();
      second.fail();
      first.give(jump());
      await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
      pass(599_999);
      first.give(jump(599_999));
      await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
      pass(1);
      expect(await ask()).toMatchObject({ priceUsd: '0.0301' });
    });

    it('have stood for nothing where another feed told the price as it was', async () => {
      const { first, second, pass, ask } = portal();
      await ask();
      first.give(jump());
      second.fail();
      await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
      pass(300_000);
      first.give(jump(300_000));
      second.give({ readAt: 300_000 });
      expect(await ask()).toMatchObject({ source: 'second', priceUsd: '0.0001' });
      second.fail();
      pass(300_000);
      first.give(jump(600_000));
      await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
    });

    it('are refused also as the first ones after a start, where a price is known from before', async () => {
      const { first, ask, second } = portal('0.0001');
      first.give(jump());
      second.fail();
      await expect(ask()).rejects.toMatchObject({ fault: 'implausible' });
    });
  });
});

describe('a guarded feed', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('is asked once more where its server failed, not where it said no or hung', async () => {
    const { feed, asked, fail } = scripted('one');
    const guarded = guardFeed(feed, { retryDelayMs: 1 });
    fail('unreachable');
    await expect(guarded.quote(never)).rejects.toMatchObject({ fault: 'unreachable' });
    expect(asked()).toBe(2);
    for (const fault of ['timed-out', 'unusable'] as const) {
      const other = scripted('other');
      other.fail(fault);
      await expect(guardFeed(other.feed).quote(never)).rejects.toMatchObject({ fault });
      expect(other.asked()).toBe(1);
    }
  });

  it('rests after three failures in a row, and is tried again afterwards', async () => {
    const { feed, asked, fail, give } = scripted('one');
    const guarded = guardFeed(feed);
    fail('unusable');
    for (let time = 0; time < 3; time += 1) await expect(guarded.quote(never)).rejects.toThrow('one fails');
    await expect(guarded.quote(never)).rejects.toMatchObject({ fault: 'resting' });
    expect(asked()).toBe(3);
    give('0.0001');
    vi.setSystemTime(Date.now() + 60_000);
    expect(await guarded.quote(never)).toMatchObject({ source: 'one' });
  });

  it('is not asked before the time it asks for is over', async () => {
    let now = 0;
    const { feed, asked, fail, give } = scripted('one');
    const guarded = guardFeed(feed, { elapsed: () => now });
    fail('limited', 7_000);
    await expect(guarded.quote(never)).rejects.toMatchObject({ fault: 'limited' });
    give('0.0001');
    now = 6_999;
    await expect(guarded.quote(never)).rejects.toMatchObject({ fault: 'resting' });
    expect(asked()).toBe(1);
    now = 7_000;
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
