import { z } from 'zod';
import { scaledDecimal } from '../../data/model/amounts.ts';
import { exactNumber, sumDecimals } from './exact-json.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';
import { readMarketJson } from './read-market-json.ts';

const HOST = 'https://api.dexscreener.com';
const CHAIN = 'solana';
const TIMEOUT_MS = 5_000;
/** Decimals by which pools are compared. */
const DEPTH_SCALE = 6;

const token = z.object({ address: z.string() });

/** A pool that trades the token. `priceUsd` and `priceChange` are those of its base token. */
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
 * DexScreener's public figures, which need no key: price and change of the pool with the deepest liquidity that prices
 * the mint; volume and liquidity of all its pools on Solana together. Source: docs.dexscreener.com/api/reference
 * (`GET /tokens/v1/{chainId}/{tokenAddresses}`, 300 requests a minute).
 */
export function createDexScreenerFeed(options: {
  readonly mint: string;
  /** In place of DexScreener's own host. */
  readonly baseUrl?: string | null;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}): MarketFeed {
  const { mint, baseUrl, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
  const url = `${(baseUrl ?? HOST).replace(/\/+$/, '')}/tokens/v1/${CHAIN}/${mint}`;
  return {
    name: 'dexscreener',
    async quote(signal) {
      const { value, madeAt } = await readMarketJson({ url, shape: z.array(pair), timeoutMs, now, signal });
      const pools = value.filter(
        ({ chainId, baseToken, quoteToken }) =>
          chainId === CHAIN && (baseToken.address === mint || quoteToken.address === mint),
      );
      const deepest = pools
        .filter(({ baseToken, priceUsd }) => baseToken.address === mint && priceUsd)
        .toSorted(byDepth)[0];
      if (!deepest?.priceUsd) throw new MarketFeedError('unusable', 'dexscreener prices no pool of the mint');
      return {
        priceUsd: deepest.priceUsd,
        priceChange24h: deepest.priceChange?.h24 ?? null,
        volume24h: total(pools.map(({ volume }) => volume?.h24)),
        liquidity: total(pools.map(({ liquidity }) => liquidity?.usd)),
        source: 'dexscreener',
        readAt: madeAt,
      };
    },
  };
}

function byDepth(one: Pair, other: Pair): number {
  const difference = depth(other) - depth(one);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

/** A pool that does not tell its liquidity is shallower than any that does. */
function depth({ liquidity }: Pair): bigint {
  return scaledDecimal(liquidity?.usd ?? '-1', DEPTH_SCALE);
}

function total(values: readonly (string | null | undefined)[]): string | null {
  const known = values.filter((value) => typeof value === 'string');
  return known.length === 0 ? null : sumDecimals(known);
}
