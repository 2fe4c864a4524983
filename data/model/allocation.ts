import { ratioText, tokensToBaseUnits } from './amounts.ts';
import { STATED_FIGURES } from './stated-figures.ts';
import { MARKET_SUPPLY_BD, reducedSupply, STREAMFLOW_ALLOCATION_BD, streamflowAllocation } from './supply.ts';

export interface AllocationPart {
  readonly part: 'vault' | 'staked' | 'streamflow' | 'remainder';
  /** Whole BD. */
  readonly amountBd: bigint;
  /** Share of the market supply, with one decimal. */
  readonly percent: number;
}

/** How the market supply is divided, calculated only from the amounts that the project states, never from live ones. */
export function statedAllocation(): readonly AllocationPart[] {
  const parts = [
    ['vault', STATED_FIGURES.vaultHeldBd],
    ['staked', STATED_FIGURES.stakedBd],
    ['streamflow', STREAMFLOW_ALLOCATION_BD],
  ] as const;
  const allocatedBd = parts.reduce((sum, [, amount]) => sum + amount, 0n);
  return [...parts, ['remainder', MARKET_SUPPLY_BD - allocatedBd] as const].map(([part, amountBd]) => ({
    part,
    amountBd,
    percent: Math.round(Number((amountBd * 10_000n) / MARKET_SUPPLY_BD) / 10) / 10,
  }));
}

/**
 * A part of the market supply according to live amounts. `amount` and `percent` are null while a live amount that the part
 * depends on is unknown.
 */
export interface LiveAllocationPart {
  readonly part: AllocationPart['part'];
  /** Base units. */
  readonly amount: bigint | null;
  /** Share of the market supply, with two decimals. */
  readonly percent: string | null;
}

/**
 * How the market supply is divided now. `vault` and `staked` are base units. The part `remainder` is the market supply minus
 * the other parts. It is negative when the other parts exceed the market supply.
 */
export function liveAllocation(
  vault: bigint | null,
  staked: bigint | null,
  decimals: number,
): readonly LiveAllocationPart[] {
  const remainder = vault === null || staked === null ? null : reducedSupply(staked, vault, decimals);
  const amounts = [
    ['vault', vault],
    ['staked', staked],
    ['streamflow', streamflowAllocation(decimals)],
    ['remainder', remainder],
  ] as const;
  return amounts.map(([part, amount]) => ({
    part,
    amount,
    percent:
      amount === null ? null : ratioText(amount * 100n, tokensToBaseUnits(MARKET_SUPPLY_BD, decimals), 2),
  }));
}
