import type { MarketQuote } from '../../data/store/chain-rows.ts';

/** A source of market figures. */
export interface MarketFeed {
  /** The source's name, as it stands beside every figure. */
  readonly name: string;
  /**
   * The market now.
   * @throws {MarketFeedError} where the source does not answer or answers nothing usable
   * @throws the signal's reason where it aborts
   */
  quote(signal: AbortSignal): Promise<MarketQuote>;
}

/**
 * `unreachable`: no connection, or an error of the server. `timed-out`: no answer in time. `limited`: asked too often. `refused`: the request itself is not
 * taken. `unusable`: an answer that holds no quote. `outdated`: a quote too old to be shown as one of this moment.
 * `implausible`: a quote that no market has. `resting`: not asked,
 * since it failed a moment ago.
 */
export type MarketFault =
  | 'unreachable'
  | 'timed-out'
  | 'limited'
  | 'refused'
  | 'unusable'
  | 'outdated'
  | 'implausible'
  | 'resting';

/** A feed has no quote to give. The message names no more of the feed than its host. */
export class MarketFeedError extends Error {
  override readonly name = 'MarketFeedError';
  readonly fault: MarketFault;
  /** Milliseconds that the feed asks to be left alone; null where it asks for nothing. */
  readonly retryAfterMs: number | null;

  constructor(
    fault: MarketFault,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
