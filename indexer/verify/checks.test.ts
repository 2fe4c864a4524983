import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratioText, toDecimalText } from '../../data/model/amounts.ts';
import { marketCapUsd } from '../../data/model/supply.ts';
import { decimalText, parseFraction, quotientText } from './checks.ts';

const amount = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
const decimals = fc.integer({ min: 0, max: 18 });

describe('the arithmetic of the checks', () => {
  it('formats amounts like the portal', () => {
    fc.assert(
      fc.property(amount, decimals, (units, digits) => {
        expect(decimalText(units, digits)).toBe(toDecimalText(units, digits));
      }),
    );
  });

  it('rounds ratios like the portal', () => {
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 1n, max: 2n ** 70n }), (numerator, denominator) => {
        expect(quotientText(numerator, denominator)).toBe(ratioText(numerator, denominator, 2));
      }),
    );
  });

  it('computes the market cap like the portal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.stringMatching(/^\d{1,12}$/), (whole, part) => {
        const price = `${whole}.${part}`;
        const { numerator, denominator } = parseFraction(price);
        expect(quotientText(numerator * 990_000_000n, denominator)).toBe(marketCapUsd(price));
      }),
    );
  });

  it.each(['', 'NaN', '1e5', '.5', '1.'])('rejects %j as a number', (text) => {
    expect(() => parseFraction(text)).toThrow(RangeError);
  });
});
