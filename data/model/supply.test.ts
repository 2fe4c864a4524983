import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromDecimalText, tokensToBaseUnits } from './amounts.ts';
import { REFERENCE_VALUES } from './stated-figures.ts';
import {
  marketCapUsd,
  reducedSupply,
  stakingParticipationPercent,
  stakingRatioPercent,
  valueUsd,
} from './supply.ts';

describe('reduced supply', () => {
  it('is 990M − staked − vault − 46.6M', () => {
    const staked = fromDecimalText('20887580.31', 6);
    const vault = fromDecimalText('99998436.01', 6);
    expect(reducedSupply(staked, vault, 6)).toBe(fromDecimalText('822513983.68', 6));
  });

  it('is negative when the other parts exceed the market supply', () => {
    expect(reducedSupply(tokensToBaseUnits(990_000_000n, 6), 0n, 6)).toBe(-tokensToBaseUnits(46_600_000n, 6));
  });

  it('falls by every base unit that is staked or deposited', () => {
    const anyAmount = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(anyAmount, anyAmount, anyAmount, (staked, vault, more) => {
        const before = reducedSupply(staked, vault, 6);
        expect(reducedSupply(staked + more, vault, 6)).toBe(before - more);
        expect(reducedSupply(staked, vault + more, 6)).toBe(before - more);
      }),
    );
  });
});

describe('market cap', () => {
  it('is price × 990M to the cent: the published fallback price gives 112,167.00', () => {
    expect(marketCapUsd('0.0001133')).toBe('112167.00');
  });

  it('equals the published fallback cap, which is rounded to tens of dollars', () => {
    const { priceUsd, marketCapUsd: publishedCap } = REFERENCE_VALUES.market;
    expect(Math.abs(Number(marketCapUsd(priceUsd)) - Number(publishedCap))).toBeLessThan(10);
  });

  it.each([
    ['0', '0.00'],
    ['1', '990000000.00'],
    ['0.000000000001', '0.00'],
    ['0.000000000006', '0.01'],
    ['0.00011370001', '112563.01'],
  ])('at %s is %s', (price, cap) => {
    expect(marketCapUsd(price)).toBe(cap);
  });

  it('is refused for a price that is not a number', () => {
    expect(() => marketCapUsd('n/a')).toThrow(RangeError);
  });
});

describe('staking participation', () => {
  it.each([
    [8, 32, 25],
    [1, 3, 33.33],
    [2, 3, 66.67],
    [0, 5, 0],
    [5, 5, 100],
  ])('with %i stakers among %i holders is %d percent', (staking, holding, percent) => {
    expect(stakingParticipationPercent(staking, holding)).toBe(percent);
  });

  it('is null without holders, or with fewer holders than stakers', () => {
    expect(stakingParticipationPercent(0, 0)).toBeNull();
    expect(stakingParticipationPercent(6, 5)).toBeNull();
  });

  it('is between 0 and 100, and within half a hundredth of the exact value', () => {
    const counts = fc
      .tuple(fc.nat(), fc.nat())
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(counts, ([staking = 0, holding = 0]) => {
        fc.pre(holding > 0);
        const percent = stakingParticipationPercent(staking, holding) ?? Number.NaN;
        expect(percent).toBeGreaterThanOrEqual(0);
        expect(percent).toBeLessThanOrEqual(100);
        expect(Math.abs(percent - (staking / holding) * 100)).toBeLessThanOrEqual(0.005_001);
      }),
    );
  });
});

describe('value in dollars', () => {
  it.each([
    ['5000000', '0.00012', '600.00'],
    ['5000000', '0.005', '25000.00'],
    ['1', '0.0049', '0.00'],
    ['1', '0.005', '0.01'],
    ['0', '123.45', '0.00'],
    ['18446744073709.551615', '1', '18446744073709.55'],
  ])('of %s BD at %s is %s', (tokens, price, value) => {
    expect(valueUsd(fromDecimalText(tokens, 6), price, 6)).toBe(value);
  });

  it('of the whole market supply is the market cap', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 9 }), (millionths) => {
        const price = `0.${String(millionths).padStart(10, '0')}`;
        expect(valueUsd(tokensToBaseUnits(990_000_000n, 6), price, 6)).toBe(marketCapUsd(price));
      }),
    );
  });
});

describe('staking ratio', () => {
  it.each([
    ['20887580.31', '2.11'],
    ['0', '0.00'],
    ['990000000', '100.00'],
    ['49500', '0.01'],
    ['49499.999999', '0.00'],
  ])('of %s BD staked is %s %% of 990M', (staked, percent) => {
    expect(stakingRatioPercent(fromDecimalText(staked, 6), 6)).toBe(percent);
  });
});
