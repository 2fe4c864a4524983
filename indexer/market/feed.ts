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
import type { MarketQuote } from '../../data/store/chain-rows.ts';

/** A source of market figures. */
export interface MarketFeed {
  /** The source's name, as shown beside every figure. */
  readonly name: string;
  /**
   * @throws {MarketFeedError} if the source does not answer, or its answer is unusable
   * @throws the signal's reason if it aborts
   */
  quote(signal: AbortSignal): Promise<MarketQuote>;
}

export type MarketFailure =
  /** No connection, or an error of the server. */
  | 'unreachable'
  | 'timed-out'
  /** Rate limited. */
  | 'limited'
  /** The request itself was rejected. */
  | 'refused'
  /** An answer without a quote. */
  | 'unusable'
  /** A quote too old to be shown as current. */
  | 'outdated'
  /** A quote with impossible figures. */
  | 'implausible'
  /** Not requested: the feed backs off after failures. */
  | 'backoff';

/** A feed has no quote. The message names the feed's host only. */
export class MarketFeedError extends Error {
  override readonly name = 'MarketFeedError';
  readonly failure: MarketFailure;
  /** Milliseconds that the feed asks the client to wait. */
  readonly retryAfterMs: number | null;

  constructor(
    failure: MarketFailure,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Failures in a row after which a feed backs off. */
const FAILURES_TO_BACK_OFF = 3;
const MIN_BACKOFF_MS = 15_000;
const MAX_BACKOFF_MS = 120_000;
const RETRY_MS = 250;

/**
 * A feed that is retried once if its server failed, backs off after failures in a row, and gets no request before the time
 * that it names.
 */
export function guardFeed(feed: MarketFeed): MarketFeed {
  let notBefore = Number.NEGATIVE_INFINITY;
  const policy = wrap(
    circuitBreaker(handleAll, {
      breaker: new ConsecutiveBreaker(FAILURES_TO_BACK_OFF),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: MIN_BACKOFF_MS, maxDelay: MAX_BACKOFF_MS }),
    }),
    retry(
      handleWhen(
        (error) =>
          error instanceof MarketFeedError && error.failure === 'unreachable' && error.retryAfterMs === null,
      ),
      { maxAttempts: 1, backoff: new ExponentialBackoff({ initialDelay: RETRY_MS, maxDelay: 4 * RETRY_MS }) },
    ),
  );
  return {
    name: feed.name,
    async quote(signal) {
      if (performance.now() < notBefore)
        throw new MarketFeedError('backoff', `${feed.name} asked for a pause`);
      try {
        return await policy.execute(() => feed.quote(signal), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BrokenCircuitError) {
          throw new MarketFeedError('backoff', `${feed.name} backs off after failures`, { cause: error });
        }
        const retryAfterMs = error instanceof MarketFeedError ? error.retryAfterMs : null;
        if (retryAfterMs !== null) notBefore = performance.now() + retryAfterMs;
        throw error;
      }
    },
  };
}
