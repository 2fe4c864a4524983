import { scaledDecimal } from '../../data/model/amounts.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';

/** Decimals of a dollar by which a price is judged; a market cap is exact to as many. */
const PRICE_SCALE = 12;
/** A price that moves by more than this factor from one quote to the next needs more than one feed's word. */
const WIDEST_JUMP = 100n;
/** Two prices within this factor confirm one another. */
const CONFIRMING_FACTOR = 2n;
/** Milliseconds after which a jump that nothing contradicted is believed. */
const JUMP_STANDS_MS = 10 * 60_000;
const HIGHEST_PRICE_USD = 1_000_000n;
const HIGHEST_SUM_USD = 10n ** 15n;

/** Why a quote is not believed. */
export interface QuoteDoubt {
  readonly reason: string;
  /** Whether it is doubted only because it lies so far from the last one: then it may yet be believed. */
  readonly isJump: boolean;
}

/** Judges quotes, each against the last one that was believed. */
export interface QuoteJudge {
  /** What speaks against a quote; null where it is believed from here on. */
  doubt(quote: MarketQuote): QuoteDoubt | null;
  /**
   * Of quotes that several feeds gave at one time, that all jump and beside which none was believed, the one to believe:
   * one that another confirms, or that has stood for ten minutes. Null where none is.
   */
  believedJump(jumping: readonly MarketQuote[]): MarketQuote | null;
}

/**
 * @param elapsed milliseconds of a clock that never steps back
 * @param lastPrice what the first quote is judged against; null where nothing is known
 */
export function createQuoteJudge(elapsed: () => number, lastPrice: string | null = null): QuoteJudge {
  let last = priceOf(lastPrice ?? '');
  let standing: { readonly price: bigint; readonly since: number } | null = null;
  const believe = (price: bigint): void => {
    last = price;
    standing = null;
  };
  return {
    doubt(quote) {
      const { priceUsd, priceChange24h, volume24h, liquidity } = quote;
      const price = scaled(priceUsd);
      const refusal = (reason: string): QuoteDoubt => ({ reason, isJump: false });
      if (price === null || (priceChange24h !== null && scaled(priceChange24h) === null)) {
        return refusal('a figure is not a number');
      }
      if (price <= 0n) return refusal('the price is zero or less');
      if (price > HIGHEST_PRICE_USD * 10n ** BigInt(PRICE_SCALE)) {
        return refusal('the price is beyond any token');
      }
      if (![volume24h, liquidity].every(isSum)) return refusal('volume or liquidity is no sum of dollars');
      if (last !== null && !isWithin(price, last, WIDEST_JUMP)) {
        return { reason: `the price is more than ${WIDEST_JUMP} times off the last one`, isJump: true };
      }
      believe(price);
      return null;
    },
    believedJump(jumping) {
      const priced = jumping.flatMap((quote) => {
        const price = priceOf(quote.priceUsd);
        return price === null ? [] : [{ quote, price }];
      });
      const confirmed = priced.find((one) =>
        priced.some((other) => other !== one && isWithin(one.price, other.price, CONFIRMING_FACTOR)),
      );
      const [first] = priced;
      if (confirmed) {
        believe(confirmed.price);
        return confirmed.quote;
      }
      if (first === undefined) return null;
      if (standing === null || !isWithin(first.price, standing.price, CONFIRMING_FACTOR)) {
        standing = { price: first.price, since: elapsed() };
      }
      if (elapsed() - standing.since < JUMP_STANDS_MS) return null;
      believe(first.price);
      return first.quote;
    },
  };
}

/** A price above zero, scaled; null where the text is none. */
function priceOf(text: string): bigint | null {
  const price = scaled(text);
  return price !== null && price > 0n ? price : null;
}

function isWithin(one: bigint, other: bigint, factor: bigint): boolean {
  return one <= other * factor && other <= one * factor;
}

function scaled(text: string): bigint | null {
  try {
    return scaledDecimal(text, PRICE_SCALE);
  } catch {
    return null;
  }
}

function isSum(text: string | null): boolean {
  if (text === null) return true;
  const value = scaled(text);
  return value !== null && value >= 0n && value <= HIGHEST_SUM_USD * 10n ** BigInt(PRICE_SCALE);
}
