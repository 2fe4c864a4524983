import { createHash } from 'node:crypto';
import type { HistoryPoint } from '../../data/store/ports.ts';
import type { MarketFeed } from './feed.ts';

// A simulated market, labelled `demo` on every screen. Every value depends only on the time, so different processes agree, even
// after a restart.

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Past prices are hourly for the last `HOURLY_DAYS` days, and daily before that. */
const HOURLY_DAYS = 100;
const DEMO_SEED = 'blackduck';
const MIDDLE_PRICE_USD = 0.000114;
const MIDDLE_LIQUIDITY_USD = 38_000;
const MIDDLE_VOLUME_USD = 6_400;

/** Sine waves that add up to the price curve: period in milliseconds, amplitude in the price's natural logarithm. */
const PRICE_WAVES: readonly (readonly [period: number, swing: number])[] = [
  [11 * DAY_MS, 0.05],
  [2.3 * DAY_MS, 0.022],
  [7.1 * HOUR_MS, 0.011],
  [53 * 60_000, 0.004],
  [4.7 * 60_000, 0.0012],
  [41_000, 0.0004],
];

function seededFraction(name: string): number {
  return createHash('sha256').update(`${DEMO_SEED}/${name}`).digest().readUInt32BE(0) / 2 ** 32;
}

function createCurve(what: string): (at: number) => number {
  const phases = PRICE_WAVES.map((_, index) => seededFraction(`${what} ${index}`) * 2 * Math.PI);
  return (at) =>
    PRICE_WAVES.reduce(
      (sum, [periodMs, swing], index) =>
        sum + swing * Math.sin(((at % periodMs) / periodMs) * 2 * Math.PI + (phases[index] ?? 0)),
      0,
    );
}

const priceCurve = createCurve('price');
const volumeCurve = createCurve('volume');
const priceAt = (at: number) => MIDDLE_PRICE_USD * Math.exp(priceCurve(at));

/** The figures of the demo market at a moment (Unix ms). */
export function demoFiguresAt(at: number) {
  const price = priceAt(at);
  return {
    priceUsd: price.toFixed(9),
    priceChange24h: ((price / priceAt(at - DAY_MS) - 1) * 100).toFixed(2),
    volume24h: (MIDDLE_VOLUME_USD * Math.exp(4 * volumeCurve(at))).toFixed(2),
    // In a constant-product pool, the value of both sides moves with the square root of the price.
    liquidity: (MIDDLE_LIQUIDITY_USD * Math.sqrt(price / MIDDLE_PRICE_USD)).toFixed(2),
  };
}

export const demoFeed: MarketFeed = {
  name: 'demo',
  async quote() {
    const readAt = Date.now();
    return { ...demoFiguresAt(readAt), source: 'demo', readAt };
  },
};

/**
 * The demo feed's past prices from the day of `since` (Unix ms), oldest first: daily points, then hourly points for the last
 * hundred days. A point has the price at the end of its interval. The current interval has no point.
 */
export function demoPastPrices({ since, now }: { readonly since: number; readonly now: number }): {
  readonly source: string;
  readonly points: readonly HistoryPoint[];
} {
  const firstDay = Math.floor(since / DAY_MS) * DAY_MS;
  const firstHour = Math.max(firstDay, Math.floor(now / DAY_MS) * DAY_MS - HOURLY_DAYS * DAY_MS);
  const points: HistoryPoint[] = [];
  const fill = (from: number, to: number, step: number): void => {
    for (let at = from; at + step <= to; at += step)
      points.push({ at, value: demoFiguresAt(at + step).priceUsd });
  };
  fill(firstDay, firstHour, DAY_MS);
  fill(firstHour, now, HOUR_MS);
  return { source: 'demo', points };
}
