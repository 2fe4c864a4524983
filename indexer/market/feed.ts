import { ExponentialBackoff, handleType, retry } from 'cockatiel';
import type { MarketQuote } from '../../data/store/chain-rows.ts';

export interface MarketFeed {
  /** Shown next to all values from this feed. */
  readonly name: string;
  /**
   * @throws {MarketFeedError} if the source does not answer, or its answer is unusable
   * @throws the signal's reason if it aborts
   */
  quote(signal: AbortSignal): Promise<MarketQuote>;
}

export type MarketFailure =
  /** No connection, or a server error. */
  | 'unreachable'
  | 'timed-out'
  | 'limited'
  /** The request itself was rejected. */
  | 'refused'
  /** An answer without a quote. */
  | 'unusable'
  /** A quote too old to be shown as current. */
  | 'outdated'
  /** A quote with impossible values. */
  | 'implausible'
  /** No request was sent: the feed has failed several times in a row, or asked the client to wait. */
  | 'backoff';

/** The error of a feed that has no quote. Its message contains no part of the URL except the host. */
export class MarketFeedError extends Error {
  override readonly name = 'MarketFeedError';
  readonly failure: MarketFailure;
  /** How long the feed asks the client to wait; null if it does not say. */
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

const FAILURES_TO_BACK_OFF = 3;
const MIN_BACKOFF_MS = 15_000;
const MAX_BACKOFF_MS = 120_000;
const RETRY_MS = 250;

/**
 * Wraps a feed: retries once if its server failed, backs off after several failures in a row, and waits for as long as the feed
 * asks.
 */
export function guardFeed(feed: MarketFeed): MarketFeed {
  // Not cockatiel's circuit breaker, because that uses the system clock, which may be set back by hours.
  let notBefore = Number.NEGATIVE_INFINITY;
  let failures = 0;
  const policy = retry(
    handleType(MarketFeedError, (error) => error.failure === 'unreachable' && error.retryAfterMs === null),
    { maxAttempts: 1, backoff: new ExponentialBackoff({ initialDelay: RETRY_MS, maxDelay: 4 * RETRY_MS }) },
  );
  return {
    name: feed.name,
    async quote(signal) {
      if (performance.now() < notBefore)
        throw new MarketFeedError('backoff', `${feed.name} failed, or asked the client to wait`);
      try {
        const quote = await policy.execute(() => feed.quote(signal), signal);
        failures = 0;
        return quote;
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        const backoffMs =
          failures < FAILURES_TO_BACK_OFF
            ? 0
            : Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - FAILURES_TO_BACK_OFF));
        const retryAfterMs = error instanceof MarketFeedError ? (error.retryAfterMs ?? 0) : 0;
        notBefore = performance.now() + Math.max(backoffMs, retryAfterMs);
        throw error;
      }
    },
  };
}
