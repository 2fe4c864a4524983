import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertNote, halfYearInterestUsd, LOAN_EXAMPLE, LOAN_TERMS, loanConversions } from './loan-terms.ts';

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

  it('is worth a constant sum at the discount price, and grows with the valuation at the cap price', () => {
    const conversions = loanConversions().map(({ valuationUsd, worthUsd }) => [valuationUsd / 1e6, worthUsd]);
    expect(conversions.slice(0, 4).map(([, worth = 0]) => Math.round(worth / 1_000))).toEqual([
      154, 154, 154, 154,
    ]);
    // Shares are rounded down, so the value may be up to one share below the exact amount.
    for (const [millions = 0, worth = 0] of conversions.slice(4)) {
      const exact = (LOAN_EXAMPLE.sumUsd * millions) / (LOAN_TERMS.capUsd / 1e6);
      expect(exact - worth).toBeGreaterThanOrEqual(0);
      expect(exact - worth).toBeLessThan((millions * 1e6) / LOAN_EXAMPLE.shareCount + 1);
    }
  });
});
