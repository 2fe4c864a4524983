import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveAllocation, statedAllocation } from './allocation.ts';
import { tokensToBaseUnits } from './amounts.ts';
import { MARKET_SUPPLY_BD } from './supply.ts';

const DECIMALS = 6;
const bd = (tokens: bigint) => tokensToBaseUnits(tokens, DECIMALS);
const amountsByPart = (...args: Parameters<typeof liveAllocation>) =>
  Object.fromEntries(liveAllocation(...args).map(({ part, amount }) => [part, amount]));

describe('the stated allocation', () => {
  it('adds up to the market supply', () => {
    const sum = statedAllocation().reduce((total, { amountBd }) => total + amountBd, 0n);
    expect(sum).toBe(MARKET_SUPPLY_BD);
  });

  it('rounds its shares to one decimal', () => {
    expect(statedAllocation().map(({ part, percent }) => [part, percent])).toEqual([
      ['vault', 10.3],
      ['staked', 2.5],
      ['streamflow', 4.7],
      ['remainder', 82.5],
    ]);
  });
});

describe('the live allocation', () => {
  it('divides the market supply to the last base unit', () => {
    const units = fc.bigInt({ min: 0n, max: bd(MARKET_SUPPLY_BD) });
    fc.assert(
      fc.property(units, units, (vault, staked) => {
        const sum = liveAllocation(vault, staked, DECIMALS).reduce(
          (total, part) => total + (part.amount ?? 0n),
          0n,
        );
        expect(sum).toBe(bd(MARKET_SUPPLY_BD));
      }),
    );
  });

  it('shows each part as a percentage of the market supply', () => {
    const parts = liveAllocation(bd(99_000_000n), bd(19_800_000n), DECIMALS);
    expect(parts.map(({ part, percent }) => [part, percent])).toEqual([
      ['vault', '10.00'],
      ['staked', '2.00'],
      ['streamflow', '4.71'],
      ['remainder', '83.29'],
    ]);
  });

  it('has no reduced supply while a live part is unknown', () => {
    expect(amountsByPart(null, bd(1n), DECIMALS)).toMatchObject({
      vault: null,
      staked: bd(1n),
      remainder: null,
    });
    expect(amountsByPart(bd(1n), null, DECIMALS)).toMatchObject({
      vault: bd(1n),
      staked: null,
      remainder: null,
    });
  });

  it('counts an empty part as zero, not as unknown', () => {
    expect(amountsByPart(0n, 0n, DECIMALS)).toMatchObject({ vault: 0n, remainder: bd(943_400_000n) });
  });
});
