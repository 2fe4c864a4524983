import {
  type Conversion,
  convertNote,
  halfYearInterestUsd,
  LOAN_EXAMPLE,
  LOAN_TERMS,
  type LoanOutcome,
  loanEnd,
  loanPayments,
  loanScenarios,
} from '../loan-terms.ts';
import { monthName, monthText } from '../month.ts';
import { cents, dollars, duration, millionDollars, signedDollars } from './wording.ts';

const { sumUsd, shareCount, lowValuationUsd, highValuationUsd, fallPercent, recoveryPercent } = LOAN_EXAMPLE;

const [one, two, three, four] = loanPayments().map(monthText);
if (one === undefined || two === undefined || three === undefined || four === undefined) {
  throw new Error('The texts of the loan note describe four payments, but its terms have fewer.');
}

const halfYear = halfYearInterestUsd(sumUsd);
const payments = loanPayments().length;
const low = convertNote(sumUsd, lowValuationUsd, shareCount);
const high = convertNote(sumUsd, highValuationUsd, shareCount);
const price = (inCents: number) => cents(BigInt(Math.round(inCents)));

function conversionFacts<Name extends 'Low' | 'High'>(name: Name, conversion: Conversion) {
  return {
    [`conversionPrice${name}`]: price(conversion.roundPrice),
    [`conversionDiscountPrice${name}`]: price(conversion.discountPrice),
    [`conversionApplied${name}`]: price(conversion.appliedPrice),
    [`conversionReceived${name}`]: conversion.shares.toLocaleString('en-US'),
    [`conversionWorth${name}`]: dollars(conversion.worthUsd),
  } as Record<`conversion${'Price' | 'DiscountPrice' | 'Applied' | 'Received' | 'Worth'}${Name}`, string>;
}

function scenarioFacts<Name extends string>(name: Name, outcome: LoanOutcome) {
  return {
    [`scenario${name}Interest`]: dollars(outcome.interestUsd),
    [`scenario${name}Capital`]: dollars(outcome.capitalUsd),
    [`scenario${name}Total`]: dollars(outcome.totalUsd),
    [`scenario${name}Result`]: signedDollars(outcome.resultUsd),
  } as Record<`scenario${Name}${'Interest' | 'Capital' | 'Total' | 'Result'}`, string>;
}

const scenarios = loanScenarios();

export const LOAN_FACTS = {
  loanYield: `${LOAN_TERMS.yieldPercent}%`,
  loanPaymentMonths: LOAN_TERMS.paymentMonths.map(monthName).join(' and '),
  loanDiscount: `${LOAN_TERMS.discountPercent}%`,
  loanCap: millionDollars(LOAN_TERMS.capUsd),
  loanTerm: duration(LOAN_TERMS.termMonths, 'month'),
  loanStart: monthText(LOAN_TERMS.start),
  loanEnd: monthText(loanEnd()),
  loanMinimum: dollars(LOAN_TERMS.minimumUsd),
  loanLargestOption: dollars(LOAN_TERMS.largestOptionUsd),
  loanPremium: `${LOAN_TERMS.premiumPercent}%`,
  loanPremiumAfter: duration(LOAN_TERMS.premiumAfterMonths, 'month'),
  loanConfirmation: duration(LOAN_TERMS.confirmationHours, 'hour'),
  loanLaw: LOAN_TERMS.jurisdiction,
  utilityBillAge: duration(LOAN_TERMS.utilityBillMonths, 'month'),
  loanPaymentOne: one,
  loanPaymentTwo: two,
  loanPaymentThree: three,
  loanPaymentFour: four,
  loanExample: dollars(sumUsd),
  loanExampleHalfYear: dollars(halfYear),
  loanExampleInterest: dollars(halfYear * payments),
  loanExampleTotal: dollars(sumUsd + halfYear * payments),
  loanExamplePremium: dollars((sumUsd * LOAN_TERMS.premiumPercent) / 100),
  loanMinimumHalfYear: dollars(halfYearInterestUsd(LOAN_TERMS.minimumUsd)),
  conversionShares: `${shareCount / 1_000_000} million`,
  conversionValuationLow: millionDollars(lowValuationUsd),
  conversionValuationHigh: millionDollars(highValuationUsd),
  conversionCapPrice: price(low.capPrice),
  /** The valuation above which the cap gives the better price. */
  conversionCrossover: millionDollars((LOAN_TERMS.capUsd * 100) / (100 - LOAN_TERMS.discountPercent)),
  ...conversionFacts('Low', low),
  ...conversionFacts('High', high),
  ...scenarioFacts('A', scenarios.A),
  ...scenarioFacts('B', scenarios.B),
  ...scenarioFacts('C', scenarios.C),
  ...scenarioFacts('D', scenarios.D),
  ...scenarioFacts('E', scenarios.E),
  ...scenarioFacts('F', scenarios.F),
  scenarioDFall: `${fallPercent}%`,
  scenarioERecovery: `${recoveryPercent}%`,
} as const;
