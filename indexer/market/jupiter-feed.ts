import { z } from 'zod';
import { exactNumber } from './exact-json.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';
import { readMarketJson } from './read-market-json.ts';

const HOST = 'https://api.jup.ag';
const TIMEOUT_MS = 5_000;

/** Prices by mint; a mint without a reliable price is missing, or null. */
const prices = z.record(
  z.string(),
  z
    .object({
      usdPrice: exactNumber,
      priceChange24h: exactNumber.nullish(),
      liquidity: exactNumber.nullish(),
    })
    .nullable(),
);

/**
 * Jupiter's price of a mint. It has no volume. Source: dev.jup.ag/docs/price/v3 (`GET /price/v3?ids=`); without a key 30
 * requests a minute.
 */
export function createJupiterFeed(options: {
  readonly mint: string;
  /** In place of Jupiter's own host. */
  readonly baseUrl?: string | null;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}): MarketFeed {
  const { mint, baseUrl, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
  const url = `${(baseUrl ?? HOST).replace(/\/+$/, '')}/price/v3?ids=${mint}`;
  return {
    name: 'jupiter',
    async quote(signal) {
      const { value, madeAt } = await readMarketJson({ url, shape: prices, timeoutMs, now, signal });
      const price = Object.hasOwn(value, mint) ? value[mint] : undefined;
      if (!price) throw new MarketFeedError('unusable', 'jupiter has no price of the mint');
      return {
        priceUsd: price.usdPrice,
        priceChange24h: price.priceChange24h ?? null,
        volume24h: null,
        liquidity: price.liquidity ?? null,
        source: 'jupiter',
        readAt: madeAt,
      };
    },
  };
}
