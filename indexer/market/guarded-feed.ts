import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  handleWhen,
  retry,
  wrap,
} from 'cockatiel';
import { type MarketFeed, MarketFeedError } from './feed.ts';

/** Failures in a row after which a feed is left alone. */
const FAILURES_TO_REST = 3;
const SHORTEST_REST_MS = 15_000;
const LONGEST_REST_MS = 120_000;

export interface FeedPatience {
  readonly retryDelayMs?: number;
  /** Milliseconds of a clock that never steps back. */
  readonly elapsed?: () => number;
}

/**
 * A feed that is asked again at once where its server failed, is left alone after failures in a row, and is not asked
 * before the time it asks to be left alone is over.
 */
export function guardFeed(feed: MarketFeed, patience: FeedPatience = {}): MarketFeed {
  const { retryDelayMs = 250, elapsed = performance.now.bind(performance) } = patience;
  let notBefore = Number.NEGATIVE_INFINITY;
  const policy = wrap(
    circuitBreaker(handleAll, {
      breaker: new ConsecutiveBreaker(FAILURES_TO_REST),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: SHORTEST_REST_MS, maxDelay: LONGEST_REST_MS }),
    }),
    retry(
      handleWhen(
        (error) =>
          error instanceof MarketFeedError && error.fault === 'unreachable' && error.retryAfterMs === null,
      ),
      {
        maxAttempts: 1,
        backoff: new ExponentialBackoff({ initialDelay: retryDelayMs, maxDelay: 4 * retryDelayMs }),
      },
    ),
  );
  return {
    name: feed.name,
    async quote(signal) {
      if (elapsed() < notBefore) throw new MarketFeedError('resting', `${feed.name} asked to be left alone`);
      try {
        return await policy.execute(() => feed.quote(signal), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BrokenCircuitError) {
          throw new MarketFeedError('resting', `${feed.name} rests after failures in a row`, {
            cause: error,
          });
        }
        const retryAfterMs = error instanceof MarketFeedError ? error.retryAfterMs : null;
        if (retryAfterMs !== null) notBefore = elapsed() + retryAfterMs;
        throw error;
      }
    },
  };
}
