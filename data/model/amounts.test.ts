import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromDecimalText,
  productText,
  ratioText,
  scaledDecimal,
  toDecimalText,
  tokensToBaseUnits,
  unitsPerToken,
} from './amounts.ts';

const LARGEST = 2n ** 64n - 1n;
const anyAmount = fc.bigInt({ min: -LARGEST, max: LARGEST });
const anyDecimals = fc.nat({ max: 18 });

describe('base units and decimal text', () => {
  it.each([
    [99_998_436_010_000n, 6, '99998436.01'],
    [0n, 6, '0'],
    [-1n, 6, '-0.000001'],
    [-1_500_000n, 6, '-1.5'],
    [LARGEST, 0, '18446744073709551615'],
    [1_000_000n, 6, '1'],
  ])('%s base units at %i decimals are %s', (units, places, text) => {
    expect(toDecimalText(units, places)).toBe(text);
    expect(fromDecimalText(text, places)).toBe(units);
  });

  it('convert in both directions without loss, for every amount and mint', () => {
    fc.assert(
      fc.property(anyAmount, anyDecimals, (units, places) => {
        const text = toDecimalText(units, places);
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(fromDecimalText(text, places)).toBe(units);
      }),
    );
  });

  it('convert even if the text has more zeros than the mint has decimals', () => {
    expect(fromDecimalText('001.500000000', 6)).toBe(1_500_000n);
    expect(fromDecimalText('5.000', 0)).toBe(5n);
    expect(fromDecimalText('-0', 6)).toBe(0n);
  });

  it('are never rounded: a fraction of a base unit is rejected', () => {
    expect(() => fromDecimalText('0.0000001', 6)).toThrow(/finer than one base unit \(6 decimals\)/);
    expect(() => fromDecimalText('0.5', 0)).toThrow(RangeError);
  });

  it.each(['', '.', '1.', '.5', '1,000', '+1', '--1', '1e6', '0x10', 'NaN', '1 ', '1\n', '１'])(
    'cannot be read from %j, which is not a plain decimal number',
    (text) => {
      expect(() => fromDecimalText(text, 6)).toThrow(RangeError);
      expect(() => scaledDecimal(text, 6)).toThrow(RangeError);
    },
  );

  it.each([-1, 0.5, 19, Number.NaN])('are refused for a mint with %d decimals', (places) => {
    expect(() => unitsPerToken(places)).toThrow(RangeError);
  });

  it('convert whole tokens by the mint’s number of units per token', () => {
    expect(unitsPerToken(0)).toBe(1n);
    expect(tokensToBaseUnits(990_000_000n, 6)).toBe(990_000_000_000_000n);
    expect(tokensToBaseUnits(1_000_000_000n, 9)).toBe(10n ** 18n);
  });
});

describe('rounding', () => {
  it.each([
    ['0.0001137', 6, 114n],
    ['1.005', 2, 101n],
    ['-1.005', 2, -101n],
    ['1.00499999999999999999', 2, 100n],
    ['-0.004', 2, 0n],
    ['7', 3, 7_000n],
    ['1249.99', -2, 12n],
    ['-1250', -2, -13n],
  ])('%s at scale %i is %s: half away from zero', (text, scale, scaled) => {
    expect(scaledDecimal(text, scale)).toBe(scaled);
  });

  it('is exact when the scale keeps every digit, and otherwise off by at most half a step', () => {
    fc.assert(
      fc.property(anyAmount, anyDecimals, fc.nat({ max: 20 }), (units, places, scale) => {
        const scaled = scaledDecimal(toDecimalText(units, places), scale);
        const error = scaled * unitsPerToken(places) - units * 10n ** BigInt(scale);
        const doubled = error < 0n ? -error * 2n : error * 2n;
        expect(doubled <= (scale >= places ? 0n : unitsPerToken(places))).toBe(true);
      }),
    );
  });
});

describe('ratios', () => {
  it.each([
    [1n, 8n, 2, '0.13'],
    [-1n, 8n, 2, '-0.13'],
    [1n, -8n, 2, '-0.13'],
    [-1n, -8n, 2, '0.13'],
    [-1n, 1_000n, 2, '0.00'],
    [5n, 2n, 0, '3'],
    [0n, 5n, 2, '0.00'],
    [12n, 1n, 3, '12.000'],
  ])(
    '%s ÷ %s with %i places is %s: rounded half away from zero, without a minus before zero',
    (numerator, divisor, places, text) => {
      expect(ratioText(numerator, divisor, places)).toBe(text);
    },
  );

  it('are null for a divisor of zero', () => {
    expect(ratioText(1n, 0n, 2)).toBeNull();
    expect(ratioText(0n, 0n, 2)).toBeNull();
  });

  it('are off by at most half a step', () => {
    fc.assert(
      fc.property(
        anyAmount,
        anyAmount.filter((value) => value !== 0n),
        fc.nat({ max: 8 }),
        (numerator, divisor, places) => {
          const text = ratioText(numerator, divisor, places) ?? '';
          const scale = 10n ** BigInt(places);
          const error = scaledDecimal(text, places) * divisor - numerator * scale;
          const magnitude = (value: bigint) => (value < 0n ? -value : value);
          expect(magnitude(error) * 2n <= magnitude(divisor)).toBe(true);
        },
      ),
    );
  });
});

describe('the product of an amount and a price', () => {
  it('is exact, and has no trailing zeros', () => {
    expect(productText(1_500_000_000_000n, 6, '0.0001137')).toBe('170.55');
    expect(productText(-1n, 6, '0.5')).toBe('-0.0000005');
    fc.assert(
      fc.property(
        anyAmount,
        anyDecimals,
        fc.nat(),
        fc.stringMatching(/^\d{1,20}$/),
        (units, places, whole, fraction) => {
          const text = productText(units, places, `${whole}.${fraction}`);
          expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
          expect(scaledDecimal(text, places + fraction.length)).toBe(units * BigInt(`${whole}${fraction}`));
        },
      ),
    );
  });
});
