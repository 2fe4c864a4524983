import { ratioText, scaledDecimal, toDecimalText, wholeTokens } from './amounts.ts';

/** Whole BD ever minted. */
export const TOTAL_SUPPLY_BD = 1_000_000_000n;
/** Whole BD on the market (circulating). */
export const MARKET_SUPPLY_BD = 990_000_000n;
/** Whole BD times ten of the Streamflow allocation: 46.6M. */
const STREAMFLOW_ALLOCATION_TENTHS = 466_000_000n;
/** Whole BD that a wallet must stake to share in the Streamflow allocation. */
export const STREAMFLOW_MINIMUM_STAKE_BD = 5_000_000n;
/** How many of the first stakers share the Streamflow allocation, as the project states it elsewhere. */
export const EARLY_STAKERS = 50;
/** When the stated lock of the Streamflow allocation ended. */
export const EARLY_LOCK_END = { year: 2026, month: 2 } as const;

/** Base units of the Streamflow allocation, 46.6M BD. */
export function streamflowAllocation(decimals: number): bigint {
  return wholeTokens(STREAMFLOW_ALLOCATION_TENTHS, decimals) / 10n;
}

/** Base units of the current reduced supply: 990M − staked − vault − 46.6M. May be negative if more is put aside than that. */
export function reducedSupply(staked: bigint, vault: bigint, decimals: number): bigint {
  return wholeTokens(MARKET_SUPPLY_BD, decimals) - staked - vault - streamflowAllocation(decimals);
}

const PRICE_SCALE = 12;

/**
 * Market cap in USD with two decimals: price × 990M, exact to the twelfth decimal of the price.
 * @throws {RangeError} where the price is not a plain decimal number.
 */
export function marketCapUsd(priceUsd: string): string {
  const scaled = scaledDecimal(priceUsd, PRICE_SCALE) * MARKET_SUPPLY_BD;
  return ratioText(scaled, 10n ** BigInt(PRICE_SCALE), 2) ?? '0.00';
}

/** USD value of base units at a price, with two decimals. @throws {RangeError} as `marketCapUsd`. */
export function valueUsd(baseUnits: bigint, priceUsd: string, decimals: number): string {
  const scaled = scaledDecimal(priceUsd, PRICE_SCALE) * baseUnits;
  return ratioText(scaled, 10n ** BigInt(PRICE_SCALE + decimals), 2) ?? '0.00';
}

/** Staked ÷ 990M as percent text with two decimals. */
export function stakingRatioPercent(staked: bigint, decimals: number): string {
  return ratioText(staked * 100n, wholeTokens(MARKET_SUPPLY_BD, decimals), 2) ?? '0.00';
}

/**
 * Wallets staking ÷ wallets holding BD, in percent with two decimals. Null where nobody holds, and where more stake than
 * hold: whoever stakes holds, so the two were then counted at different moments.
 */
export function stakingParticipationPercent(staking: number, holding: number): number | null {
  if (staking > holding) return null;
  const percent = ratioText(BigInt(staking) * 100n, BigInt(holding), 2);
  return percent === null ? null : Number(percent);
}

/** The formula's parts as decimal text, for a page that shows its arithmetic. */
export function supplyParts(decimals: number): { marketSupply: string; streamflowAllocation: string } {
  return {
    marketSupply: toDecimalText(wholeTokens(MARKET_SUPPLY_BD, decimals), decimals),
    streamflowAllocation: toDecimalText(streamflowAllocation(decimals), decimals),
  };
}
