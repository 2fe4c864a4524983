import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { demoFeed, demoFiguresAt, demoPastPrices } from './demo-feed.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const moment = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2035, 0, 1) });

describe('the demo market', () => {
  it('stays near the published price, with plausible other figures', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const { priceUsd, priceChange24h, volume24h, liquidity } = demoFiguresAt(at);
        expect(Number(priceUsd)).toBeGreaterThan(0.0001);
        expect(Number(priceUsd)).toBeLessThan(0.00013);
        expect(Math.abs(Number(priceChange24h))).toBeLessThan(15);
        expect(Number(volume24h)).toBeGreaterThan(3_000);
        expect(Number(liquidity)).toBeGreaterThan(30_000);
      }),
    );
  });

  it('moves its price by less than 0.1 % in ten seconds', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const step = Number(demoFiguresAt(at + 10_000).priceUsd) / Number(demoFiguresAt(at).priceUsd) - 1;
        expect(Math.abs(step)).toBeLessThan(0.001);
      }),
    );
  });

  it('reports the 24-hour change of its own prices', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const change =
          (Number(demoFiguresAt(at).priceUsd) / Number(demoFiguresAt(at - DAY_MS).priceUsd) - 1) * 100;
        expect(Number(demoFiguresAt(at).priceChange24h)).toBeCloseTo(change, 1);
      }),
    );
  });

  it('is labelled as a demo', async () => {
    vi.useFakeTimers({ now: 5 });
    expect(await demoFeed.quote(new AbortController().signal)).toMatchObject({ source: 'demo', readAt: 5 });
    expect(demoFeed.name).toBe('demo');
    vi.useRealTimers();
  });

  it('has a past price for each completed hour of the last hundred days, and for each earlier day', () => {
    const days = fc.integer({ min: 0, max: 500 });
    fc.assert(
      fc.property(moment, days, fc.integer({ min: 0, max: DAY_MS }), (now, back, part) => {
        const { source, points } = demoPastPrices({ since: now - back * DAY_MS - part, now });
        expect(source).toBe('demo');
        let end = Math.floor((now - back * DAY_MS - part) / DAY_MS) * DAY_MS;
        for (const { at, value } of points) {
          expect(at).toBe(end);
          end = at + (at < Math.floor(now / DAY_MS) * DAY_MS - 100 * DAY_MS ? DAY_MS : HOUR_MS);
          if (value !== demoFiguresAt(end).priceUsd) throw new Error(`${value} is not the price at ${end}`);
        }
        expect(end).toBe(Math.floor(now / HOUR_MS) * HOUR_MS);
      }),
      { numRuns: 5 },
    );
  });
});
