import { FIELD_WORDS, mailFault } from './application-rules.ts';
import { characterCount } from './form-text.ts';
import { loanOptions } from './loan-terms.ts';
import { PORTAL_LIMITS } from './portal-limits.ts';

/** The rules of the application for the loan note, in the words that people read: the screen and the server keep the same. */

export const INVESTOR_TYPES = ['HNW Individual', 'Family Office', 'Sophisticated Investor'] as const;
export const RISK_ANSWERS = ['Yes', 'No'] as const;
export const REPAYMENT_PREFERENCES = ['Convert', 'Repaid', 'Undecided'] as const;

/** The amounts that the form offers, as it sends them. */
export const INVESTMENT_AMOUNTS: readonly string[] = loanOptions().map(String);

/** Bytes of one document at most. */
export const DOCUMENT_BYTES = PORTAL_LIMITS.uploadMegabytes * 1_000_000;

/** Characters at most. */
export const LOAN_LONGEST = { name: 120, comments: 2_000 } as const;

/** The fields that documents are sent in, in words. */
export const LOAN_FILES = { passportCopy: 'passport copy', utilityBill: 'utility bill' } as const;
export type LoanFile = keyof typeof LOAN_FILES;

/** What a field says where its value is not what it takes. */
export const LOAN_WORDS = {
  name: 'Please enter your full name',
  email: FIELD_WORDS.email,
  investmentAmount: 'Please choose an investment amount',
  investorType: 'Please choose an investor type',
  riskSuitability: 'Please answer whether you are aware of the risk',
  conversionOption: 'Please choose a repayment preference',
  country: 'Please choose your country',
  comments: `Please shorten the comments to ${LOAN_LONGEST.comments} characters`,
  passportCopy: 'Please choose a passport copy',
  utilityBill: 'Please choose a utility bill',
} as const;

const among =
  (choices: readonly string[], words: string) =>
  (value: string): string | null =>
    choices.includes(value) ? null : words;

/** The fault of each field's value, or null. Which codes are countries, the page's own list says. */
export const loanFaults = {
  name: (value: string) => (value === '' ? LOAN_WORDS.name : null),
  email: mailFault,
  investmentAmount: among(INVESTMENT_AMOUNTS, LOAN_WORDS.investmentAmount),
  investorType: among(INVESTOR_TYPES, LOAN_WORDS.investorType),
  riskSuitability: among(RISK_ANSWERS, LOAN_WORDS.riskSuitability),
  conversionOption: among(REPAYMENT_PREFERENCES, LOAN_WORDS.conversionOption),
  country: (value: string) => (value === '' ? LOAN_WORDS.country : null),
  comments: (value: string) => (characterCount(value) > LOAN_LONGEST.comments ? LOAN_WORDS.comments : null),
} as const;

/** What is said of a document that is larger than any that is taken. */
export function tooLargeWords(file: LoanFile): string {
  return `The ${LOAN_FILES[file]} is larger than ${PORTAL_LIMITS.uploadMegabytes} MB: choose a smaller file`;
}
