import { scaledDecimal } from '../../data/model/amounts.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';

/**
 * Combines feeds in order of preference: each request uses the first feed that has a quote. Quotes that are too old or
 * implausible are rejected. A price jump is accepted only if another feed confirms it or it lasts for some time. A failure is
 * logged once, and again only if its kind changes or after the feed has worked.
 * @param options.lastPrice the price with which the first quote is compared; null if none is known
 */
export function createFailoverFeed(
  feeds: readonly MarketFeed[],
  { log, lastPrice }: { readonly log: Logger; readonly lastPrice: string | null },
): MarketFeed {
  const judge = createQuoteJudge(lastPrice);
  const loggedFailures = new Map<string, string>();

  const logFailure = ({ name }: MarketFeed, { failure, message }: MarketFeedError): void => {
    // A backoff is not logged, because the failure that caused it already was.
    if (failure === 'backoff' || loggedFailures.get(name) === failure) return;
    loggedFailures.set(name, failure);
    const isRejection = failure === 'implausible' || failure === 'outdated';
    const what = isRejection ? 'a market quote was rejected; it is not shown' : 'a market feed failed';
    log.warn({ feed: name, failure, reason: message }, what);
  };
  const recentQuote = async (feed: MarketFeed, signal: AbortSignal): Promise<MarketQuote> => {
    const quote = await feed.quote(signal);
    if (ageState(quote.readAt, Date.now(), FRESHNESS.market) !== 'stale') return quote;
    const seconds = Math.round((Date.now() - quote.readAt) / 1_000);
    throw new MarketFeedError('outdated', `${feed.name}: the quote is ${seconds} s old`);
  };

  return {
    name: feeds.map(({ name }) => name).join(', '),
    async quote(signal) {
      const failures: { readonly feed: MarketFeed; readonly error: MarketFeedError }[] = [];
      const feedByJump = new Map<MarketQuote, MarketFeed>();
      const logFailures = () => {
        for (const { feed, error } of failures) logFailure(feed, error);
      };
      for (const feed of feeds) {
        try {
          const quote = await recentQuote(feed, signal);
          const rejection = judge.checkQuote(quote);
          if (rejection === null) {
            logFailures();
            if (loggedFailures.delete(feed.name)) log.info({ feed: feed.name }, 'a market feed works again');
            return quote;
          }
          if (rejection.isJump) feedByJump.set(quote, feed);
          throw new MarketFeedError('implausible', `${feed.name}: ${rejection.reason}`);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof MarketFeedError)) throw error;
          failures.push({ feed, error });
        }
      }
      const confirmed = judge.confirmedJump([...feedByJump.keys()]);
      const confirmedFeed = confirmed && feedByJump.get(confirmed);
      if (confirmed && confirmedFeed) {
        log.warn({ feed: confirmedFeed.name, priceUsd: confirmed.priceUsd }, 'a price jump was accepted');
        loggedFailures.delete(confirmedFeed.name);
        return confirmed;
      }
      logFailures();
      const reasons = failures.map(({ error }) => error.message).join('; ');
      const failure = failures[0]?.error.failure ?? 'unusable';
      throw new MarketFeedError(failure, reasons || 'no feed is configured');
    },
  };
}

/** How many decimals of a price in US dollars are compared. */
const PRICE_SCALE = 12;
/** A price that moves by more than this factor between two quotes needs confirmation. */
const MAX_JUMP = 100n;
/** Two prices within this factor confirm each other. */
const CONFIRMING_FACTOR = 2n;
/** How long a jump must last to be accepted without confirmation (ms). */
const JUMP_CONFIRMED_MS = 10 * 60_000;
const MAX_PRICE_USD = 1_000_000n;
const MAX_SUM_USD = 10n ** 15n;

/** Why a quote is rejected. A jump may still be accepted later. */
interface QuoteRejection {
  readonly reason: string;
  readonly isJump: boolean;
}

function createQuoteJudge(lastPrice: string | null) {
  let acceptedPrice = priceOf(lastPrice ?? '');
  let pending: { readonly price: bigint; readonly since: number } | null = null;
  const accept = (price: bigint): void => {
    acceptedPrice = price;
    pending = null;
  };
  return {
    /** Null if the quote is accepted. */
    checkQuote(quote: MarketQuote): QuoteRejection | null {
      const { priceUsd, priceChange24h, volume24h, liquidity } = quote;
      const price = parseScaled(priceUsd);
      const reject = (reason: string): QuoteRejection => ({ reason, isJump: false });
      if (price === null || (priceChange24h !== null && parseScaled(priceChange24h) === null)) {
        return reject('a figure is not a number');
      }
      if (price <= 0n) return reject('the price is zero or less');
      if (price > MAX_PRICE_USD * 10n ** BigInt(PRICE_SCALE)) {
        return reject('the price is implausibly high');
      }
      if (![volume24h, liquidity].every(isPlausibleSum)) return reject('volume or liquidity is implausible');
      if (acceptedPrice !== null && !isWithin(price, acceptedPrice, MAX_JUMP)) {
        return { reason: `the price moved more than ${MAX_JUMP}-fold`, isJump: true };
      }
      accept(price);
      return null;
    },
    /**
     * Called if no feed's quote was accepted. `jumping` contains the quotes that were rejected as jumps. Returns the first of
     * them that another feed confirms. If there is none, returns the first quote once the jump has lasted for
     * `JUMP_CONFIRMED_MS`, and null until then.
     */
    confirmedJump(jumping: readonly MarketQuote[]): MarketQuote | null {
      const priced = jumping.flatMap((quote) => {
        const price = priceOf(quote.priceUsd);
        return price === null ? [] : [{ quote, price }];
      });
      const confirmed = priced.find((one) =>
        priced.some((other) => other !== one && isWithin(one.price, other.price, CONFIRMING_FACTOR)),
      );
      if (confirmed) {
        accept(confirmed.price);
        return confirmed.quote;
      }
      const [first] = priced;
      if (first === undefined) return null;
      if (pending === null || !isWithin(first.price, pending.price, CONFIRMING_FACTOR)) {
        pending = { price: first.price, since: performance.now() };
      }
      if (performance.now() - pending.since < JUMP_CONFIRMED_MS) return null;
      accept(first.price);
      return first.quote;
    },
  };
}

/** A price times 10^`PRICE_SCALE`; null if the text is not a positive number. */
function priceOf(text: string): bigint | null {
  const price = parseScaled(text);
  return price !== null && price > 0n ? price : null;
}

function isWithin(one: bigint, other: bigint, factor: bigint): boolean {
  return one <= other * factor && other <= one * factor;
}

function parseScaled(text: string): bigint | null {
  try {
    return scaledDecimal(text, PRICE_SCALE);
  } catch {
    return null;
  }
}

function isPlausibleSum(text: string | null): boolean {
  if (text === null) return true;
  const value = parseScaled(text);
  return value !== null && value >= 0n && value <= MAX_SUM_USD * 10n ** BigInt(PRICE_SCALE);
}
