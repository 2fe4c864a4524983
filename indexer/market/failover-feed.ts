import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';
import { createQuoteJudge } from './plausible-quote.ts';

export interface FailoverOptions {
  readonly log: Logger;
  /** The price that the first quote is judged against; null where none is known. */
  readonly lastPrice?: string | null;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: () => number;
  /** Unix ms. */
  readonly now?: () => number;
}

/**
 * Feeds in the order they are asked: the first that has a quote gives it, so that an earlier feed is back as soon as it
 * works again. A quote that is too old, or that no market has, is refused like none at all; one whose price jumps is
 * believed only where another feed confirms it, or once it has stood for long. Each fault is told once while it lasts.
 */
export function createFailoverFeed(feeds: readonly MarketFeed[], options: FailoverOptions): MarketFeed {
  const { log, lastPrice = null, elapsed = performance.now.bind(performance), now = Date.now } = options;
  const judge = createQuoteJudge(elapsed, lastPrice);
  const standing = new Map<string, string>();

  const tellFault = (feed: MarketFeed, error: MarketFeedError): void => {
    // A feed that rests does so for the fault that was told.
    if (error.fault === 'resting' || standing.get(feed.name) === error.fault) return;
    standing.set(feed.name, error.fault);
    const isRefusal = error.fault === 'implausible' || error.fault === 'outdated';
    const what = isRefusal ? 'a market quote was refused; it is not shown' : 'a market feed failed';
    log.warn({ feed: feed.name, fault: error.fault, reason: error.message }, what);
  };
  const tellGood = (feed: MarketFeed): void => {
    if (standing.delete(feed.name)) log.info({ feed: feed.name }, 'a market feed works again');
  };
  const youngQuote = async (feed: MarketFeed, signal: AbortSignal): Promise<MarketQuote> => {
    const quote = await feed.quote(signal);
    if (ageState(quote.readAt, now(), FRESHNESS.market) !== 'stale') return quote;
    const seconds = Math.round((now() - quote.readAt) / 1_000);
    throw new MarketFeedError('outdated', `${feed.name}: the quote is ${seconds} s old`);
  };

  return {
    name: feeds.map(({ name }) => name).join(', '),
    async quote(signal) {
      const faults: { readonly feed: MarketFeed; readonly error: MarketFeedError }[] = [];
      const jumping = new Map<MarketQuote, MarketFeed>();
      const tellFaults = () => {
        for (const { feed, error } of faults) tellFault(feed, error);
      };
      for (const feed of feeds) {
        try {
          const quote = await youngQuote(feed, signal);
          const doubt = judge.doubt(quote);
          if (doubt === null) {
            tellFaults();
            tellGood(feed);
            return quote;
          }
          if (doubt.isJump) jumping.set(quote, feed);
          throw new MarketFeedError('implausible', `${feed.name}: ${doubt.reason}`);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof MarketFeedError)) throw error;
          faults.push({ feed, error });
        }
      }
      const believed = judge.believedJump([...jumping.keys()]);
      const from = believed && jumping.get(believed);
      if (believed && from) {
        log.warn({ feed: from.name, priceUsd: believed.priceUsd }, 'the price jumped, and is believed');
        standing.delete(from.name);
        return believed;
      }
      tellFaults();
      const reasons = faults.map(({ error }) => error.message).join('; ');
      throw new MarketFeedError(faults[0]?.error.fault ?? 'unusable', reasons || 'there is no feed to ask');
    },
  };
}
