import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromDecimalText, toDecimalText } from '../../../data/model/amounts.ts';
import { formatMoved, formatStake } from './moved-amount.ts';

describe('a moved amount', () => {
  it('never reads as nothing where something moved', () => {
    expect(['0.000001', '0.0049', '0.00490', '0.005', '0', '0.000', '1500000'].map(formatMoved)).toEqual([
      '0.000001',
      '0.0049',
      '0.0049',
      '0.01',
      '0.00',
      '0.00',
      '1,500,000.00',
    ]);
  });
});

describe('a stake', () => {
  it('never reads as more than it is, nor as nothing', () => {
    expect(['4999999.999999', '0.000001', '1500000'].map(formatStake)).toEqual([
      '4,999,999.99',
      '0.000001',
      '1,500,000.00',
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), (units) => {
        const shown = fromDecimalText(formatStake(toDecimalText(units, 6)).replaceAll(',', ''), 6);
        expect(shown <= units && units - shown < 10_000n).toBe(true);
      }),
    );
  });
});
