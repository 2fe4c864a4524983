import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertNote, halfYearInterestUsd, LOAN_TERMS } from './loan-terms.ts';

describe('the loan note', () => {
  it('earns 14.4% a year on the sum, not compounded', () => {
    expect(halfYearInterestUsd(100_000)).toBe(7_200);
    expect(halfYearInterestUsd(LOAN_TERMS.minimumUsd)).toBe(3_600);
  });

  it('never converts at a higher price per share than the discount or the cap allows', () => {
    const valuation = fc.integer({ min: 1_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(valuation, (valuationUsd) => {
        const { appliedPrice, discountPrice, capPrice } = convertNote(100_000, valuationUsd, 50_000_000);
        expect(appliedPrice).toBe(Math.min(discountPrice, capPrice));
      }),
    );
  });
});
