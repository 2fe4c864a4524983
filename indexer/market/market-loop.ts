import type { MarketFeedName, PortalConfig } from '../../data/config/environment.ts';
import { isAgeUnknown } from '../../data/model/value-state.ts';
import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { runTraced } from '../../data/runtime/tracing.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { pauseOrStop } from '../pause.ts';
import { demoFeed } from './demo-feed.ts';
import { createFailoverFeed } from './failover-feed.ts';
import { guardFeed, type MarketFeed, MarketFeedError } from './feed.ts';
import { createDexScreenerFeed, createJupiterFeed } from './real-feeds.ts';

/** A stored quote that is older than this (ms) is not compared with the feed's first quote. */
const MAX_REFERENCE_AGE_MS = 6 * 3_600_000;
const INTERVAL_MS = 10_000;

/**
 * @param lastQuote the stored quote. If it is recent enough, the feed's first quote is compared with it, unless only one of
 * the two comes from the demo feed.
 */
export function configuredFeed(
  { market, addresses }: Pick<PortalConfig, 'market' | 'addresses'>,
  { log, lastQuote }: { readonly log: Logger; readonly lastQuote: MarketQuote | null },
): MarketFeed {
  const options = { mint: addresses.mint, baseUrl: market.baseUrl };
  const feedOf = (name: MarketFeedName): MarketFeed => {
    if (name === 'demo') return demoFeed;
    return guardFeed(name === 'jupiter' ? createJupiterFeed(options) : createDexScreenerFeed(options));
  };
  const lastPrice = lastQuote && isComparable(lastQuote, market.feeds) ? lastQuote.priceUsd : null;
  return createFailoverFeed(market.feeds.map(feedOf), { log, lastPrice });
}

/** Demo prices and real prices are never compared with each other. */
function isComparable({ source, readAt }: MarketQuote, feeds: readonly MarketFeedName[]): boolean {
  const ageMs = Date.now() - readAt;
  const isSameKind = (source === 'demo') === feeds.includes('demo');
  return isSameKind && !isAgeUnknown(ageMs) && ageMs <= MAX_REFERENCE_AGE_MS;
}

/**
 * Commits quotes until the signal aborts. While the feed fails, nothing is committed, and screens show how old the last quote is.
 * @throws {StartError} if the store can no longer be used
 */
export async function runMarketLoop(options: {
  readonly feed: MarketFeed;
  readonly writer: Pick<IndexWriter, 'commitQuote'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { feed, writer, log, signal } = options;
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await runTraced({ name: 'market quote', attributes: { feed: feed.name } }, async () =>
        writer.commitQuote(await feed.quote(signal)),
      );
      if (isFailing) log.info({ feed: feed.name }, 'market quotes resumed');
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StartError) throw error;
      // A market host's failure needs no stack trace. Any other error may be a bug.
      const cause = error instanceof MarketFeedError ? { reason: error.message } : { err: error };
      if (!isFailing) log.warn({ feed: feed.name, ...cause }, 'no market quote; keeping the last one');
      isFailing = true;
    }
    await pauseOrStop(INTERVAL_MS, signal);
  }
}
