import { scaledDecimal } from './amounts.ts';
import { type Month, monthsLater } from './month.ts';

/** The terms of the convertible loan note, as the project states them. Sums are whole US dollars. */
export const LOAN_TERMS = {
  /** A year, fixed, not compounded. */
  yieldPercent: '14.4',
  /** The months in which interest is paid, half a year's each. */
  paymentMonths: [6, 12],
  /** How much less than in the Series A a share costs on conversion. */
  discountPercent: 35,
  /** The highest valuation at which a note converts. */
  capUsd: 150_000_000,
  start: { year: 2025, month: 6 },
  termMonths: 24,
  minimumUsd: 50_000,
  /** Amounts that the application offers: from the minimum up to this, in such steps. */
  largestOptionUsd: 250_000,
  optionStepUsd: 25_000,
  /** On top of the principal, if the note is repaid after this many months. */
  premiumPercent: 10,
  premiumAfterMonths: 12,
  confirmationHours: 48,
  jurisdiction: 'Dubai (ADGM law)',
  /** The greatest age of the utility bill. */
  utilityBillMonths: 3,
} as const;

/** The amounts that the application offers, in whole US dollars. */
export function loanOptions(): readonly number[] {
  const { minimumUsd, largestOptionUsd, optionStepUsd } = LOAN_TERMS;
  const steps = (largestOptionUsd - minimumUsd) / optionStepUsd;
  return Array.from({ length: steps + 1 }, (_, step) => minimumUsd + step * optionStepUsd);
}

export function loanEnd(): Month {
  return monthsLater(LOAN_TERMS.start, LOAN_TERMS.termMonths);
}

/** The months in which a note held for the whole term is paid interest, first to last. */
export function loanPayments(): readonly Month[] {
  return Array.from({ length: LOAN_TERMS.termMonths }, (_, index) =>
    monthsLater(LOAN_TERMS.start, index + 1),
  ).filter(({ month }) => LOAN_TERMS.paymentMonths.some((due) => due === month));
}

/** Interest of one half-year, in whole US dollars: sum × yield ÷ 2. */
export function halfYearInterestUsd(sumUsd: number): number {
  return Number((BigInt(sumUsd) * scaledDecimal(LOAN_TERMS.yieldPercent, 1)) / 2_000n);
}

/** How a note turns into shares in a Series A. Prices are US cents a share. */
export interface Conversion {
  readonly roundPrice: number;
  readonly discountPrice: number;
  readonly capPrice: number;
  /** The lower of the two, which is what notes commonly convert at. */
  readonly appliedPrice: number;
  /** Whole shares. */
  readonly shares: number;
  /** Their worth in whole US dollars at the price of the round. */
  readonly worthUsd: number;
}

/** Converts a sum in a round that values the company, before its new money, at so much for so many shares. */
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
