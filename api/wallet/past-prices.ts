import { MAX_PRICE_AGE_HOURS } from '../../data/contract/wallet-history.ts';
import {
  HISTORY_RESOLUTIONS,
  type HistoryPoint,
  type HistoryResolution,
  type IndexReader,
} from '../../data/store/ports.ts';
import { INTERVAL_MS } from '../../data/store/rules/series.ts';

/** The last price in an interval. It is valid until the next price, but no longer than `VALID_MS`. */
export interface PastPrice {
  /** Start of the interval, Unix ms. */
  readonly at: number;
  readonly interval: HistoryResolution;
  readonly usd: string;
  readonly source: string;
}

/** How long a price is valid (ms). An older price is not used, because the feed may have failed since. */
const VALID_MS = MAX_PRICE_AGE_HOURS * 3_600_000;

/**
 * All stored prices, oldest first, each at the finest resolution that is stored for its time.
 * @param latestFeed the source for prices that were stored without a source
 */
export function mergePrices(
  points: Readonly<Record<HistoryResolution, readonly HistoryPoint[]>>,
  latestFeed: string,
): readonly PastPrice[] {
  let merged: readonly PastPrice[] = [];
  let pricesStart = Number.POSITIVE_INFINITY;
  for (const interval of HISTORY_RESOLUTIONS) {
    // A coarse interval that overlaps fine intervals is left out, because it repeats the price of a fine interval.
    const earlier = points[interval].filter(({ at }) => at + INTERVAL_MS[interval] <= pricesStart);
    merged = [
      ...earlier.map(({ at, value, source = latestFeed }) => ({ at, interval, usd: value, source })),
      ...merged,
    ];
    pricesStart = Math.min(pricesStart, merged[0]?.at ?? pricesStart);
  }
  return merged;
}

/**
 * The price at a moment (Unix ms). If no price was valid then, `isKnown` is false, and `price` is the nearest price or null.
 */
export function priceAt(
  prices: readonly PastPrice[],
  moment: number,
): { readonly price: PastPrice | null; readonly isKnown: boolean } {
  let low = 0;
  let high = prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((prices[middle]?.at ?? Number.POSITIVE_INFINITY) <= moment) low = middle + 1;
    else high = middle;
  }
  const before = prices[low - 1] ?? null;
  if (before !== null && moment - before.at <= VALID_MS) return { price: before, isKnown: true };
  const after = prices[low] ?? null;
  const isAfterNearer = after !== null && (before === null || after.at - moment < moment - before.at);
  return { price: isAfterNearer ? after : before, isKnown: false };
}

const READ_INTERVAL_MS = 30_000;

/** Returns a function that reads all stored prices, at most every 30 seconds. Concurrent requests share one read. */
export function pastPriceReader(reader: Pick<IndexReader, 'history'>, monotonicNow: () => number) {
  let lastRead: {
    readonly at: number;
    readonly latestFeed: string;
    readonly prices: Promise<readonly PastPrice[]>;
  } | null = null;
  return (latestFeed: string | null): Promise<readonly PastPrice[]> => {
    if (latestFeed === null) return Promise.resolve([]);
    if (
      lastRead !== null &&
      lastRead.latestFeed === latestFeed &&
      monotonicNow() - lastRead.at < READ_INTERVAL_MS
    )
      return lastRead.prices;
    const readAll = async () => {
      const [minute, hour, day] = await Promise.all([
        reader.history('price', 'minute', 0),
        reader.history('price', 'hour', 0),
        reader.history('price', 'day', 0),
      ]);
      return mergePrices({ minute, hour, day }, latestFeed);
    };
    const prices = readAll();
    lastRead = { at: monotonicNow(), latestFeed, prices };
    prices.catch(() => {
      if (lastRead?.prices === prices) lastRead = null;
    });
    return prices;
  };
}
