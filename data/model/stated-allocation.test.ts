import { describe, expect, it } from 'vitest';
import { statedAllocation } from './stated-allocation.ts';
import { MARKET_SUPPLY_BD } from './supply.ts';

describe('the stated allocation', () => {
  it('divides the market supply without a rest', () => {
    const sum = statedAllocation().reduce((total, { amountBd }) => total + amountBd, 0n);
    expect(sum).toBe(MARKET_SUPPLY_BD);
  });

  it('has shares that add up to a hundred, but for their rounding', () => {
    expect(statedAllocation().map(({ part, percent }) => [part, percent])).toEqual([
      ['vault', 10.3],
      ['staked', 2.5],
      ['streamflow', 4.7],
      ['market', 82.5],
    ]);
  });
});
