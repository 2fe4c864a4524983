import { ratioText, scaledDecimal, tokensToBaseUnits } from './amounts.ts';

/** Whole BD ever minted. */
export const TOTAL_SUPPLY_BD = 1_000_000_000n;
/** Whole BD in circulation. */
export const MARKET_SUPPLY_BD = 990_000_000n;
/** Whole BD set aside for early stakers, according to the project. */
export const STREAMFLOW_ALLOCATION_BD = 46_600_000n;
/** Whole BD that a wallet must stake to share in the Streamflow allocation. */
export const STREAMFLOW_MINIMUM_STAKE_BD = 5_000_000n;
/** The number of early stakers that share the Streamflow allocation, according to the project. */
export const EARLY_STAKER_COUNT = 50;
/** When the stated lock of the Streamflow allocation ended. */
export const EARLY_LOCK_END = { year: 2026, month: 2 } as const;

/** In base units. */
export function streamflowAllocation(decimals: number): bigint {
  return tokensToBaseUnits(STREAMFLOW_ALLOCATION_BD, decimals);
}

/**
 * Market supply − staked − vault − Streamflow allocation, in base units. Negative when the other parts exceed the market
 * supply.
 */
export function reducedSupply(staked: bigint, vault: bigint, decimals: number): bigint {
  return tokensToBaseUnits(MARKET_SUPPLY_BD, decimals) - staked - vault - streamflowAllocation(decimals);
}

const PRICE_SCALE = 12;

/**
 * Market cap in USD with two decimals: price × market supply. The price is first rounded to 12 decimal places.
 * @throws {RangeError} when the price is not a plain decimal number.
 */
export function marketCapUsd(priceUsd: string): string {
  const scaled = scaledDecimal(priceUsd, PRICE_SCALE) * MARKET_SUPPLY_BD;
  return ratioText(scaled, 10n ** BigInt(PRICE_SCALE), 2) ?? '0.00';
}

/** Value in USD with two decimals. @throws {RangeError} when the price is not a plain decimal number. */
export function valueUsd(baseUnits: bigint, priceUsd: string, decimals: number): string {
  const scaled = scaledDecimal(priceUsd, PRICE_SCALE) * baseUnits;
  return ratioText(scaled, 10n ** BigInt(PRICE_SCALE + decimals), 2) ?? '0.00';
}

/** Staked ÷ market supply in percent, with two decimals. */
export function stakingRatioPercent(staked: bigint, decimals: number): string {
  return ratioText(staked * 100n, tokensToBaseUnits(MARKET_SUPPLY_BD, decimals), 2) ?? '0.00';
}

/**
 * Stakers ÷ holders in percent, with two decimals. Null if there are no holders, or fewer holders than stakers: every staker
 * is a holder, so the two numbers must have been counted at different times.
 */
export function stakingParticipationPercent(stakerCount: number, holderCount: number): number | null {
  if (stakerCount > holderCount) return null;
  const percent = ratioText(BigInt(stakerCount) * 100n, BigInt(holderCount), 2);
  return percent === null ? null : Number(percent);
}
