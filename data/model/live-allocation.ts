import { ratioText, wholeTokens } from './amounts.ts';
import type { AllocationPart } from './stated-allocation.ts';
import { MARKET_SUPPLY_BD, reducedSupply, streamflowAllocation } from './supply.ts';

/** A part of the market supply as it stands; null where what it is made of is not known. */
export interface LivePart {
  readonly part: AllocationPart['part'];
  /** Base units. */
  readonly amount: bigint | null;
  /** Of the market supply in percent, with two decimals. */
  readonly percent: string | null;
}

/**
 * How the market supply stands divided, in base units: what the vault holds, what is staked, the Streamflow allocation,
 * and the rest, which is the reduced supply. The rest is known only where both live parts are; it is below zero where
 * more is put aside than there is.
 */
export function liveAllocation(
  vault: bigint | null,
  staked: bigint | null,
  decimals: number,
): readonly LivePart[] {
  const rest = vault === null || staked === null ? null : reducedSupply(staked, vault, decimals);
  const amounts = [
    ['vault', vault],
    ['staked', staked],
    ['streamflow', streamflowAllocation(decimals)],
    ['market', rest],
  ] as const;
  return amounts.map(([part, amount]) => ({
    part,
    amount,
    percent: amount === null ? null : ratioText(amount * 100n, wholeTokens(MARKET_SUPPLY_BD, decimals), 2),
  }));
}
