import { scaledDecimal } from './amounts.ts';
import { type Month, monthsLater } from './month.ts';

/** The terms of the convertible loan note, as the project states them. Sums are whole US dollars. */
export const LOAN_TERMS = {
  /** Per year, fixed, not compounded. */
  yieldPercent: '14.4',
  /** Calendar months, from 1. In each of them, half a year's interest is paid. */
  paymentMonths: [6, 12],
  /** The discount to the Series A price per share on conversion. */
  discountPercent: 35,
  /** The valuation cap: the price on conversion is at most the price per share at this valuation. */
  capUsd: 150_000_000,
  start: { year: 2025, month: 6 },
  termMonths: 24,
  minimumUsd: 50_000,
  /** The largest amount in the application form. The choices start at the minimum, in steps of `optionStepUsd`. */
  largestOptionUsd: 250_000,
  optionStepUsd: 25_000,
  /** Paid in addition to the principal if the note is repaid after `premiumAfterMonths`. */
  premiumPercent: 10,
  premiumAfterMonths: 12,
  confirmationHours: 48,
  jurisdiction: 'Dubai (ADGM law)',
  /** The maximum age of the utility bill. */
  utilityBillMonths: 3,
} as const;

/** In whole US dollars. */
export function loanAmountOptions(): readonly number[] {
  const { minimumUsd, largestOptionUsd, optionStepUsd } = LOAN_TERMS;
  const steps = (largestOptionUsd - minimumUsd) / optionStepUsd;
  return Array.from({ length: steps + 1 }, (_, step) => minimumUsd + step * optionStepUsd);
}

export function loanEnd(): Month {
  return monthsLater(LOAN_TERMS.start, LOAN_TERMS.termMonths);
}

export function interestPaymentMonths(): readonly Month[] {
  return Array.from({ length: LOAN_TERMS.termMonths }, (_, index) =>
    monthsLater(LOAN_TERMS.start, index + 1),
  ).filter(({ month }) => LOAN_TERMS.paymentMonths.some((due) => due === month));
}

/** Interest for half a year, in whole US dollars: sum × yield ÷ 2. */
export function halfYearInterestUsd(sumUsd: number): number {
  return Number((BigInt(sumUsd) * scaledDecimal(LOAN_TERMS.yieldPercent, 1)) / 2_000n);
}

/** A note's conversion into shares in a Series A round. Prices are US cents per share. */
export interface Conversion {
  readonly roundPrice: number;
  readonly discountPrice: number;
  readonly capPrice: number;
  /** The discount price or the cap price, whichever is lower. Notes commonly convert at the lower one. */
  readonly appliedPrice: number;
  /** Whole shares. */
  readonly shares: number;
  /** The value of the shares in whole US dollars, at the price of the round. */
  readonly worthUsd: number;
}

/** @param valuationUsd the pre-money valuation of the round */
export function convertNote(sumUsd: number, valuationUsd: number, shareCount: number): Conversion {
  const roundPrice = (valuationUsd * 100) / shareCount;
  const discountPrice = (roundPrice * (100 - LOAN_TERMS.discountPercent)) / 100;
  const capPrice = (LOAN_TERMS.capUsd * 100) / shareCount;
  const appliedPrice = Math.min(discountPrice, capPrice);
  const shares = Math.floor((sumUsd * 100) / appliedPrice);
  return {
    roundPrice,
    discountPrice,
    capPrice,
    appliedPrice,
    shares,
    worthUsd: Math.round((shares * roundPrice) / 100),
  };
}

/** The hypothetical funding round in the note's worked examples. Sums are whole US dollars. */
export const LOAN_EXAMPLE = {
  sumUsd: 100_000,
  shareCount: 50_000_000,
  lowValuationUsd: 100_000_000,
  highValuationUsd: 300_000_000,
  /** Scenario D: how far the shares fall after the conversion. Scenario E: how much is recovered after a failure. */
  fallPercent: 60,
  recoveryPercent: 10,
} as const;

const CONVERSION_VALUATIONS_USD = [50, 100, 150, 200, 250, 300, 400, 500].map(
  (millions) => millions * 1_000_000,
);

/** How the note in the example converts at several valuations, lowest first. */
export function loanConversions(): readonly (Conversion & { readonly valuationUsd: number })[] {
  const { sumUsd, shareCount } = LOAN_EXAMPLE;
  return CONVERSION_VALUATIONS_USD.map((valuationUsd) => ({
    valuationUsd,
    ...convertNote(sumUsd, valuationUsd, shareCount),
  }));
}

/** The payments to the lender in one scenario of the example, in whole US dollars. */
export interface LoanOutcome {
  readonly interestUsd: number;
  readonly capitalUsd: number;
  readonly totalUsd: number;
  /** The total minus the sum lent. */
  readonly resultUsd: number;
}

const FIRST_YEAR_PAYMENTS = 2;

function toOutcome(paymentCount: number, capitalUsd: number): LoanOutcome {
  const interestUsd = halfYearInterestUsd(LOAN_EXAMPLE.sumUsd) * paymentCount;
  const totalUsd = interestUsd + capitalUsd;
  return { interestUsd, capitalUsd, totalUsd, resultUsd: totalUsd - LOAN_EXAMPLE.sumUsd };
}

/** The note's worked scenarios, from full repayment to total loss. They are not forecasts. */
export function loanScenarios(): Readonly<Record<'A' | 'B' | 'C' | 'D' | 'E' | 'F', LoanOutcome>> {
  const { sumUsd, lowValuationUsd, shareCount, fallPercent, recoveryPercent } = LOAN_EXAMPLE;
  const convertedWorthUsd = convertNote(sumUsd, lowValuationUsd, shareCount).worthUsd;
  const applyPercent = (percent: number, sum: number) => Math.round((sum * percent) / 100);
  return {
    A: toOutcome(interestPaymentMonths().length, sumUsd),
    B: toOutcome(FIRST_YEAR_PAYMENTS, sumUsd + applyPercent(LOAN_TERMS.premiumPercent, sumUsd)),
    C: toOutcome(FIRST_YEAR_PAYMENTS, convertedWorthUsd),
    D: toOutcome(FIRST_YEAR_PAYMENTS, applyPercent(100 - fallPercent, convertedWorthUsd)),
    E: toOutcome(FIRST_YEAR_PAYMENTS, applyPercent(recoveryPercent, sumUsd)),
    F: toOutcome(0, 0),
  };
}
