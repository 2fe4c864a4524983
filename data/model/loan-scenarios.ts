import { convertNote, halfYearInterestUsd, LOAN_TERMS, loanPayments } from './loan-terms.ts';

/** The made-up round that the note's worked examples use. Sums are whole US dollars. */
export const LOAN_EXAMPLE = {
  sumUsd: 100_000,
  shareCount: 50_000_000,
  lowValuationUsd: 100_000_000,
  highValuationUsd: 300_000_000,
  /** How far shares fall after conversion in one scenario, and what a failure leaves in another. */
  fallPercent: 60,
  recoveryPercent: 10,
} as const;

/** What comes back on the example's sum, in whole US dollars. */
export interface LoanOutcome {
  readonly interestUsd: number;
  readonly capitalUsd: number;
  readonly totalUsd: number;
  /** The total less the sum lent. */
  readonly resultUsd: number;
}

/** Payments that fall due in the first year of the term. */
const FIRST_YEAR_PAYMENTS = 2;

function outcome(payments: number, capitalUsd: number): LoanOutcome {
  const interestUsd = halfYearInterestUsd(LOAN_EXAMPLE.sumUsd) * payments;
  const totalUsd = interestUsd + capitalUsd;
  return { interestUsd, capitalUsd, totalUsd, resultUsd: totalUsd - LOAN_EXAMPLE.sumUsd };
}

/** The worked scenarios of the note, from repayment in full to nothing. Arithmetic, not forecasts. */
export function loanScenarios(): Readonly<Record<'A' | 'B' | 'C' | 'D' | 'E' | 'F', LoanOutcome>> {
  const { sumUsd, lowValuationUsd, shareCount, fallPercent, recoveryPercent } = LOAN_EXAMPLE;
  const converted = convertNote(sumUsd, lowValuationUsd, shareCount).worthUsd;
  const share = (percent: number, of: number) => Math.round((of * percent) / 100);
  return {
    A: outcome(loanPayments().length, sumUsd),
    B: outcome(FIRST_YEAR_PAYMENTS, sumUsd + share(LOAN_TERMS.premiumPercent, sumUsd)),
    C: outcome(FIRST_YEAR_PAYMENTS, converted),
    D: outcome(FIRST_YEAR_PAYMENTS, share(100 - fallPercent, converted)),
    E: outcome(FIRST_YEAR_PAYMENTS, share(recoveryPercent, sumUsd)),
    F: outcome(0, 0),
  };
}
