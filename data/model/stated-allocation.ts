import { STATED_FIGURES } from './stated-figures.ts';
import { MARKET_SUPPLY_BD, streamflowAllocation } from './supply.ts';

export interface AllocationPart {
  readonly part: 'vault' | 'staked' | 'streamflow' | 'market';
  /** Whole BD. */
  readonly amountBd: bigint;
  /** Of the market supply, with one decimal. */
  readonly percent: number;
}

/** How the project's stated amounts divide the market supply. Stated, not live: both are never mixed in one sum. */
export function statedAllocation(): readonly AllocationPart[] {
  const parts = [
    ['vault', STATED_FIGURES.vaultHeldBd],
    ['staked', STATED_FIGURES.stakedBd],
    ['streamflow', streamflowAllocation(0)],
  ] as const;
  const setAside = parts.reduce((sum, [, amount]) => sum + amount, 0n);
  return [...parts, ['market', MARKET_SUPPLY_BD - setAside] as const].map(([part, amountBd]) => ({
    part,
    amountBd,
    percent: Math.round(Number((amountBd * 10_000n) / MARKET_SUPPLY_BD) / 10) / 10,
  }));
}
