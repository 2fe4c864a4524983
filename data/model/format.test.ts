import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimalText } from './amounts.ts';
import {
  formatAbbreviated,
  formatAge,
  formatFull,
  formatPrice,
  formatUsd,
  priceDecimals,
  shorten,
  shortenAround,
} from './format.ts';

describe('abbreviated numbers', () => {
  it.each([
    ['0.004', '0.00'],
    ['0.005', '0.01'],
    ['999.994', '999.99'],
    ['999.995', '1.00K'],
    ['1004.995', '1.00K'],
    ['1005', '1.01K'],
    ['999994.995', '999.99K'],
    ['999995', '1.00M'],
    ['1004999.999', '1.00M'],
    ['99998436.01', '100.00M'],
    ['1000000000', '1,000.00M'],
    ['-999999.99', '−1.00M'],
  ])('%s is shown as %s', (text, expected) => {
    expect(formatAbbreviated(text)).toBe(expected);
  });

  it('have two decimals, at most three digits before the point unless the suffix is M, and at most half a step of error', () => {
    const steps = { '': 10_000n, K: 10_000_000n, M: 10_000_000_000n };
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), (units) => {
        const output = formatAbbreviated(toDecimalText(units, 6));
        expect(output).toMatch(/^(\d{1,3}\.\d\dK?|\d{1,3}(,\d{3})*\.\d\dM)$/);
        const suffix = output.endsWith('K') ? 'K' : output.endsWith('M') ? 'M' : '';
        const step = steps[suffix];
        const error = BigInt(output.replace(/\D/g, '')) * step - units;
        expect((error < 0n ? -error : error) * 2n <= step).toBe(true);
      }),
    );
  });
});

describe('full numbers', () => {
  it.each([
    ['0', '0.00'],
    ['999.995', '1,000.00'],
    ['-1234567.895', '−1,234,567.90'],
    ['9223372036854775808', '9,223,372,036,854,775,808.00'],
  ])('%s is shown as %s', (text, expected) => {
    expect(formatFull(text)).toBe(expected);
  });
});

describe('dollars', () => {
  it.each([
    ['112167.00', '$112.17K'],
    ['-1500', '−$1.50K'],
    ['-0.001', '$0.00'],
  ])('%s is shown as %s', (text, expected) => {
    expect(formatUsd(text)).toBe(expected);
  });
});

describe('prices', () => {
  it.each([
    ['0', 8],
    ['0.00009999', 8],
    ['0.0001', 6],
    ['0.0001137', 6],
    ['0.00999999', 6],
    ['0.01', 4],
    ['0.99999999', 4],
    ['1', 2],
    ['-0.5', 4],
  ])('%s has %i decimals', (price, decimals) => {
    expect(priceDecimals(price)).toBe(decimals);
  });

  it.each([
    ['0.0001133', 6, '0.000113'],
    ['0.0001137', undefined, '0.000114'],
    ['0.5', undefined, '0.5000'],
    ['2.5', 0, '3'],
    ['-1234.5', undefined, '−1,234.50'],
    ['-0.000000001', undefined, '0.00000000'],
  ])('%s with %s decimals is shown as %s', (price, decimals, expected) => {
    expect(formatPrice(price, decimals)).toBe(expected);
  });
});

/** The values where suffixes, grouping and signs change, and their neighbors. */
const EDGES = [0n, 999_990_000n, 1_000_000_000n, 999_999_990_000n, 1_000_000_000_000n, 2n ** 63n].flatMap(
  (edge) => [edge - 1n, edge, edge + 1n],
);

describe('every format', () => {
  const nearEdges = fc.oneof(
    fc
      .tuple(fc.constantFrom(...EDGES), fc.bigInt({ min: -20_000n, max: 20_000n }))
      .map(([edge, offset]) => edge + offset),
    fc.bigInt({ min: 0n, max: 2n ** 64n }),
  );
  const formats = {
    formatFull,
    formatAbbreviated,
    formatUsd,
    formatPrice: (text: string) => formatPrice(text),
  };

  it.each(Object.entries(formats))(
    '%s shows a negative number as a minus and its absolute value, and zero without a minus',
    (_name, format) => {
      fc.assert(
        fc.property(nearEdges, (units) => {
          const magnitude = units < 0n ? -units : units;
          const output = format(toDecimalText(magnitude, 6));
          const isZero = !/[1-9]/.test(output);
          expect(format(toDecimalText(-magnitude, 6))).toBe(isZero ? output : `−${output}`);
        }),
      );
    },
  );

  it.each(Object.entries(formats))('%s never shows a larger number for a smaller value', (_name, format) => {
    const FACTORS = { K: 1_000n, M: 1_000_000n };
    // The number in units of 10^-8, since no format shows more than eight decimals.
    const unitsOf = (output: string) => {
      const [, sign, whole = '', fraction = '', suffix] =
        /^(−?)\$?([\d,]+)\.(\d+)([KM]?)$/.exec(output) ?? [];
      const digits = BigInt(whole.replaceAll(',', '') + fraction.padEnd(8, '0'));
      const value = digits * (suffix === 'K' || suffix === 'M' ? FACTORS[suffix] : 1n);
      return sign === '−' ? -value : value;
    };
    fc.assert(
      fc.property(nearEdges, nearEdges, (one, other) => {
        const [smaller, larger] = one < other ? [one, other] : [other, one];
        expect(unitsOf(format(toDecimalText(smaller, 6))) <= unitsOf(format(toDecimalText(larger, 6)))).toBe(
          true,
        );
      }),
    );
  });

  it('formatFull is off by at most half a hundredth, and groups digits by three', () => {
    fc.assert(
      fc.property(nearEdges, (units) => {
        const output = formatFull(toDecimalText(units, 6));
        expect(output).toMatch(/^−?\d{1,3}(,\d{3})*\.\d\d$/);
        const hundredths = BigInt(output.replace(/[^\d−]/g, '').replace('−', '-'));
        const error = hundredths * 10_000n - units;
        expect((error < 0n ? -error : error) <= 5_000n).toBe(true);
      }),
    );
  });

  it('formatPrice shows as many decimals as priceDecimals returns, and is off by at most half a unit of the last one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (units) => {
        const text = toDecimalText(units, 12);
        const output = formatPrice(text);
        const decimals = priceDecimals(text);
        expect(output.split('.')[1]).toHaveLength(decimals);
        const step = 10n ** BigInt(12 - decimals);
        const error = BigInt(output.replace(/[^\d−]/g, '').replace('−', '-')) * step - units;
        expect((error < 0n ? -error : error) * 2n <= step).toBe(true);
      }),
    );
  });
});

it.each(['', '1e-7', 'NaN', '1,000'])(
  '%j is refused by every format: an error is never shown as a number',
  (text) => {
    for (const format of [formatAbbreviated, formatFull, formatUsd, formatPrice]) {
      expect(() => format(text)).toThrow(RangeError);
    }
  },
);

describe('addresses', () => {
  it('are shortened only if they get shorter', () => {
    expect(shorten('4vJ9mQ2xAbCdEfGh8sXb2T')).toBe('4vJ9…Xb2T');
    expect(shorten('4vJ9mQ2xAbCdEfGh8sXb2T', 8)).toBe('4vJ9mQ2x…Gh8sXb2T');
    expect(shorten('123456789')).toBe('123456789');
    expect(shorten('1234567890')).toBe('1234…7890');
  });

  it.each([
    ['', '4vJ9…Xb2T', ''],
    [' EFG', '4vJ9…EfG…Xb2T', 'EfG'],
    ['4vJ', '4vJ9…Xb2T', '4vJ'],
    ['J9mq', '4vJ9mQ…Xb2T', 'J9mQ'],
    ['2T', '4vJ9…Xb2T', '2T'],
    ['h8s', '4vJ9…h8sXb2T', 'h8s'],
    ['4vJ9mQ2xAbCdEfGh8sXb2T', '4vJ9mQ2xAbCdEfGh8sXb2T', '4vJ9mQ2xAbCdEfGh8sXb2T'],
    ['nowhere', '4vJ9…Xb2T', ''],
  ])('with a search for %j are shortened to %s', (query, expected, match) => {
    const parts = shortenAround('4vJ9mQ2xAbCdEfGh8sXb2T', query);
    expect(parts.before + parts.match + parts.after).toBe(expected);
    expect(parts.match).toBe(match);
  });

  it('always show the match, and leave out at most two parts of the text', () => {
    const anyId = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,88}$/);
    fc.assert(
      fc.property(anyId, fc.nat(), fc.nat(), (text, from, length) => {
        const start = from % text.length;
        const find = text.slice(start, start + (length % 20) + 1);
        const { before, match, after } = shortenAround(text, find.toUpperCase());
        expect(match.toLowerCase()).toBe(find.toLowerCase());
        // The result is the text with at most two parts left out.
        const pieces = `${before}${match}${after}`.split('…');
        expect(pieces.length).toBeLessThanOrEqual(3);
        let position = 0;
        for (const piece of pieces) position = text.indexOf(piece, position) + piece.length;
        expect(position).toBe(text.length);
        expect(text.startsWith(pieces[0] ?? '')).toBe(true);
      }),
    );
  });
});

describe('ages', () => {
  it.each([
    [-5_000, 'just now'],
    [999, 'just now'],
    [1_000, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 d ago'],
    [180 * 86_400_000, '180 d ago'],
  ])('%i ms ago is shown as %s', (age, expected) => {
    expect(formatAge(age)).toBe(expected);
  });
});
