import { z } from 'zod';
import { scaledDecimal } from '../../data/model/amounts.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';
import { exactNumber, readMarketJson, sumDecimals } from './market-json.ts';

interface FeedOptions {
  readonly mint: string;
  /** Used instead of the feed's own host, if given. */
  readonly baseUrl?: string | null;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const urlOf = (baseUrl: string | null | undefined, host: string, path: string): string =>
  `${(baseUrl ?? host).replace(/\/+$/, '')}${path}`;

const CHAIN = 'solana';
/** How many decimals of the liquidity are compared. */
const LIQUIDITY_SCALE = 6;

const token = z.object({ address: z.string() });

/** A pool of two tokens. `priceUsd` and `priceChange` are those of its base token. */
const pair = z.object({
  chainId: z.string(),
  baseToken: token,
  quoteToken: token,
  priceUsd: exactNumber.nullish(),
  volume: z.object({ h24: exactNumber.nullish() }).nullish(),
  priceChange: z.object({ h24: exactNumber.nullish() }).nullish(),
  liquidity: z.object({ usd: exactNumber.nullish() }).nullish(),
});
type Pair = z.infer<typeof pair>;

/**
 * DexScreener's public market data, which needs no key. Price and change come from the most liquid pool with the mint as its
 * base token. Volume and liquidity are the sums over all pools on Solana that contain the mint. Source:
 * docs.dexscreener.com/api/reference (`GET /tokens/v1/{chainId}/{tokenAddresses}`, 300 requests a minute).
 */
export function createDexScreenerFeed(options: FeedOptions): MarketFeed {
  const { mint, baseUrl, timeoutMs = TIMEOUT_MS } = options;
  const url = urlOf(baseUrl, 'https://api.dexscreener.com', `/tokens/v1/${CHAIN}/${mint}`);
  return {
    name: 'dexscreener',
    async quote(signal) {
      const { value, madeAt } = await readMarketJson({ url, shape: z.array(pair), timeoutMs, signal });
      const pools = value.filter(
        ({ chainId, baseToken, quoteToken }) =>
          chainId === CHAIN && (baseToken.address === mint || quoteToken.address === mint),
      );
      const deepestPool = pools
        .filter(({ baseToken, priceUsd }) => baseToken.address === mint && priceUsd)
        .toSorted(byLiquidity)[0];
      if (!deepestPool?.priceUsd)
        throw new MarketFeedError('unusable', 'dexscreener has no priced pool for this mint');
      return {
        priceUsd: deepestPool.priceUsd,
        priceChange24h: deepestPool.priceChange?.h24 ?? null,
        volume24h: sumOfKnown(pools.map(({ volume }) => volume?.h24)),
        liquidity: sumOfKnown(pools.map(({ liquidity }) => liquidity?.usd)),
        source: 'dexscreener',
        readAt: madeAt,
      };
    },
  };
}

function byLiquidity(one: Pair, other: Pair): number {
  const difference = liquidityOf(other) - liquidityOf(one);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

/** A pool without a reported liquidity ranks below all others. */
function liquidityOf({ liquidity }: Pair): bigint {
  return scaledDecimal(liquidity?.usd ?? '-1', LIQUIDITY_SCALE);
}

function sumOfKnown(values: readonly (string | null | undefined)[]): string | null {
  const known = values.filter((value) => typeof value === 'string');
  return known.length === 0 ? null : sumDecimals(known);
}

/** Prices by mint. A mint without a reliable price is missing or null. */
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
 * Jupiter's price for a mint, without volume. Source: dev.jup.ag/docs/price/v3 (`GET /price/v3?ids=`); 30 requests a minute
 * without a key.
 */
export function createJupiterFeed(options: FeedOptions): MarketFeed {
  const { mint, baseUrl, timeoutMs = TIMEOUT_MS } = options;
  const url = urlOf(baseUrl, 'https://api.jup.ag', `/price/v3?ids=${mint}`);
  return {
    name: 'jupiter',
    async quote(signal) {
      const { value, madeAt } = await readMarketJson({ url, shape: prices, timeoutMs, signal });
      const price = Object.hasOwn(value, mint) ? value[mint] : undefined;
      if (!price) throw new MarketFeedError('unusable', 'jupiter has no price for this mint');
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
