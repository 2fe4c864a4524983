import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactNumber, parseExactJson, plainDecimal, sumDecimals } from './exact-json.ts';

const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`));

describe('numbers of a market', () => {
  it('keep every digit they were written with, which a floating-point number would not', () => {
    const text = '{"usd":0.000113700000000000001,"pools":[12345678901234567890.5],"name":"7"}';
    expect(parseExactJson(text)).toEqual({
      usd: '0.000113700000000000001',
      pools: ['12345678901234567890.5'],
      name: '7',
    });
  });

  it.each([
    ['1.2e-5', '0.000012'],
    ['1.20E+3', '1200'],
    ['-0.50', '-0.5'],
    ['-0.0', '0'],
    ['5e-7', '0.0000005'],
    ['00.1', '0.1'],
    ['12.345e1', '123.45'],
  ])('%s are plain decimal text: %s', (text, plain) => {
    expect(plainDecimal(text)).toBe(plain);
  });

  it.each(['NaN', 'Infinity', '', ' 1', '1.', '.5', '0x10', '1e400', '1e-400', '9'.repeat(41), '1,5'])(
    'are not what %j is',
    (text) => {
      expect(plainDecimal(text)).toBeNull();
      expect(exactNumber.safeParse(text).success).toBe(false);
    },
  );

  it('mean the same with an exponent and without', () => {
    fc.assert(
      fc.property(
        digits(1, 12),
        digits(1, 12),
        fc.integer({ min: -20, max: 20 }),
        (whole, part, exponent) => {
          const plain = plainDecimal(`${whole}.${part}e${exponent}`);
          const scale = 40;
          const scaled = BigInt(whole + part) * 10n ** BigInt(scale + exponent - part.length);
          const [integer = '', fraction = ''] = (plain ?? '').split('.');
          expect(BigInt(integer + fraction.padEnd(scale, '0'))).toBe(scaled);
        },
      ),
    );
  });

  it('add up exactly, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(digits(1, 15), digits(1, 15)), { maxLength: 8 }), (parts) => {
        const texts = parts.map(([whole, part]) => `${whole}.${part}`);
        const units = parts.reduce((sum, [whole, part]) => sum + BigInt(whole + part.padEnd(15, '0')), 0n);
        expect(sumDecimals(texts)).toBe(plainDecimal(`${units}e-15`));
        expect(sumDecimals(texts.toReversed())).toBe(sumDecimals(texts));
      }),
    );
    expect(sumDecimals(['0.1', '0.2'])).toBe('0.3');
  });
});
