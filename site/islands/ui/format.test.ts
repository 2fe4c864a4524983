import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromDecimalText, toDecimalText } from '../../../data/model/amounts.ts';
import { formatAmount, formatCompact, formatStake } from './format.ts';

it('a round amount loses the trailing zeros of its fraction', () => {
  expect(['990000000', '46600000', '5000000', '100', '1500'].map(formatCompact)).toEqual([
    '990M',
    '46.6M',
    '5M',
    '100',
    '1.5K',
  ]);
});

it('the amount of a movement is never shown as zero unless it is zero', () => {
  expect(['0.000001', '0.0049', '0.00490', '0.005', '0', '0.000', '1500000'].map(formatAmount)).toEqual([
    '0.000001',
    '0.0049',
    '0.0049',
    '0.01',
    '0.00',
    '0.00',
    '1,500,000.00',
  ]);
});

it('a stake is never shown as more than it is, nor as zero unless it is zero', () => {
  expect(['4999999.999999', '0.000001', '1500000'].map(formatStake)).toEqual([
    '4,999,999.99',
    '0.000001',
    '1,500,000.00',
  ]);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (units) => {
      const shownUnits = fromDecimalText(formatStake(toDecimalText(units, 6)).replaceAll(',', ''), 6);
      expect(shownUnits <= units && units - shownUnits < 10_000n).toBe(true);
    }),
  );
});
