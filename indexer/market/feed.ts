import type { MarketQuote } from '../../data/store/ports.ts';

/** A source of market figures. */
export interface MarketFeed {
  /** The source's name, as it stands beside every figure. */
  readonly name: string;
  /** The market now. @throws {Error} where the source does not answer or answers nothing usable */
  quote(signal: AbortSignal): Promise<MarketQuote>;
}
