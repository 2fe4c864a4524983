import {
  type Conversion,
  convertNote,
  halfYearInterestUsd,
  interestPaymentMonths,
  LOAN_EXAMPLE,
  LOAN_TERMS,
  type LoanOutcome,
  loanEnd,
  loanScenarios,
} from '../loan-terms.ts';
import { monthName, monthText } from '../month.ts';
import {
  centsAsDollarText,
  dollarText,
  durationWithUnit,
  millionDollarText,
  signedDollarText,
} from './amount-text.ts';

const { sumUsd, shareCount, lowValuationUsd, highValuationUsd, fallPercent, recoveryPercent } = LOAN_EXAMPLE;

const [firstPayment, secondPayment, thirdPayment, fourthPayment] = interestPaymentMonths().map(monthText);
if (
  firstPayment === undefined ||
  secondPayment === undefined ||
  thirdPayment === undefined ||
  fourthPayment === undefined
) {
  throw new Error('The texts of the loan note describe four payments, but its terms have fewer.');
}

const halfYearInterest = halfYearInterestUsd(sumUsd);
const paymentCount = interestPaymentMonths().length;
const low = convertNote(sumUsd, lowValuationUsd, shareCount);
const high = convertNote(sumUsd, highValuationUsd, shareCount);
const priceText = (inCents: number) => centsAsDollarText(BigInt(Math.round(inCents)));

function conversionFacts<Name extends 'Low' | 'High'>(name: Name, conversion: Conversion) {
  return {
    [`conversionPrice${name}`]: priceText(conversion.roundPrice),
    [`conversionDiscountPrice${name}`]: priceText(conversion.discountPrice),
    [`conversionApplied${name}`]: priceText(conversion.appliedPrice),
    [`conversionReceived${name}`]: conversion.shares.toLocaleString('en-US'),
    [`conversionWorth${name}`]: dollarText(conversion.worthUsd),
  } as Record<`conversion${'Price' | 'DiscountPrice' | 'Applied' | 'Received' | 'Worth'}${Name}`, string>;
}

function scenarioFacts<Name extends string>(name: Name, outcome: LoanOutcome) {
  return {
    [`scenario${name}Interest`]: dollarText(outcome.interestUsd),
    [`scenario${name}Capital`]: dollarText(outcome.capitalUsd),
    [`scenario${name}Total`]: dollarText(outcome.totalUsd),
    [`scenario${name}Result`]: signedDollarText(outcome.resultUsd),
  } as Record<`scenario${Name}${'Interest' | 'Capital' | 'Total' | 'Result'}`, string>;
}

const scenarios = loanScenarios();

export const LOAN_FACTS = {
  loanYield: `${LOAN_TERMS.yieldPercent}%`,
  loanPaymentMonths: LOAN_TERMS.paymentMonths.map(monthName).join(' and '),
  loanDiscount: `${LOAN_TERMS.discountPercent}%`,
  loanCap: millionDollarText(LOAN_TERMS.capUsd),
  loanTerm: durationWithUnit(LOAN_TERMS.termMonths, 'month'),
  loanStart: monthText(LOAN_TERMS.start),
  loanEnd: monthText(loanEnd()),
  loanMinimum: dollarText(LOAN_TERMS.minimumUsd),
  loanLargestOption: dollarText(LOAN_TERMS.largestOptionUsd),
  loanPremium: `${LOAN_TERMS.premiumPercent}%`,
  loanPremiumAfter: durationWithUnit(LOAN_TERMS.premiumAfterMonths, 'month'),
  loanConfirmation: durationWithUnit(LOAN_TERMS.confirmationHours, 'hour'),
  loanLaw: LOAN_TERMS.jurisdiction,
  utilityBillAge: durationWithUnit(LOAN_TERMS.utilityBillMonths, 'month'),
  loanPaymentOne: firstPayment,
  loanPaymentTwo: secondPayment,
  loanPaymentThree: thirdPayment,
  loanPaymentFour: fourthPayment,
  loanExample: dollarText(sumUsd),
  loanExampleHalfYear: dollarText(halfYearInterest),
  loanExampleInterest: dollarText(halfYearInterest * paymentCount),
  loanExampleTotal: dollarText(sumUsd + halfYearInterest * paymentCount),
  loanExamplePremium: dollarText((sumUsd * LOAN_TERMS.premiumPercent) / 100),
  loanMinimumHalfYear: dollarText(halfYearInterestUsd(LOAN_TERMS.minimumUsd)),
  conversionShares: `${shareCount / 1_000_000} million`,
  conversionValuationLow: millionDollarText(lowValuationUsd),
  conversionValuationHigh: millionDollarText(highValuationUsd),
  conversionCapPrice: priceText(low.capPrice),
  /** The valuation above which the cap gives the lender a better price than the discount. */
  conversionCrossover: millionDollarText((LOAN_TERMS.capUsd * 100) / (100 - LOAN_TERMS.discountPercent)),
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
