import type { MarketFeedName, PortalConfig } from '../../data/config/environment.ts';
import { isAgeUnknown } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { createDemoFeed } from './demo-feed.ts';
import { createDexScreenerFeed } from './dexscreener-feed.ts';
import { createFailoverFeed } from './failover-feed.ts';
import type { MarketFeed } from './feed.ts';
import { guardFeed } from './guarded-feed.ts';
import { createJupiterFeed } from './jupiter-feed.ts';

/** Milliseconds for which a stored quote says what the next one may be. */
const TELLING_MS = 6 * 3_600_000;

/**
 * The feeds that the configuration names, as one.
 * @param lastQuote what is stored: the first quote is judged against it where it is of the same kind, and not too old
 */
export function configuredFeed(
  { market, addresses }: Pick<PortalConfig, 'market' | 'addresses'>,
  { log, lastQuote }: { readonly log: Logger; readonly lastQuote: MarketQuote | null },
): MarketFeed {
  const options = { mint: addresses.mint, baseUrl: market.baseUrl };
  const feedOf = (name: MarketFeedName): MarketFeed => {
    if (name === 'demo') return createDemoFeed();
    return guardFeed(name === 'jupiter' ? createJupiterFeed(options) : createDexScreenerFeed(options));
  };
  const lastPrice = lastQuote && isTelling(lastQuote, market.feeds) ? lastQuote.priceUsd : null;
  return createFailoverFeed(market.feeds.map(feedOf), { log, lastPrice });
}

/** Made-up prices say nothing of a market's, nor the other way round. */
function isTelling({ source, readAt }: MarketQuote, feeds: readonly MarketFeedName[]): boolean {
  const age = Date.now() - readAt;
  const isSameKind = (source === 'demo') === feeds.includes('demo');
  return isSameKind && !isAgeUnknown(age) && age <= TELLING_MS;
}
