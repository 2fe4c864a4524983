import { dollarText, durationWithUnit } from '../facts/amount-text.ts';
import { LOAN_TERMS, loanAmountOptions } from '../loan-terms.ts';
import { PORTAL_LIMITS } from '../portal-terms.ts';
import type { FileFieldName, FormSpec } from './field.ts';

export const MAX_DOCUMENT_BYTES = PORTAL_LIMITS.uploadMegabytes * 1_000_000;

/** What to do with a picture that only Apple's devices can decode. */
export const HEIC_REMEDY =
  'Export it as a JPEG and choose it again. On an iPhone, choose it from the photo library, or take a screenshot of it.';

const FILE_TYPES_HINT = `PDF, JPEG, PNG or WebP, up to ${PORTAL_LIMITS.uploadMegabytes} MB. An iPhone turns HEIC photos into JPEG when you choose them.`;

const INVESTMENT_AMOUNTS: Readonly<Record<string, string>> = Object.fromEntries(
  loanAmountOptions().map((amount) => [amount, dollarText(amount)]),
);

export const LOAN_FORM = {
  name: 'loan',
  fields: {
    name: {
      kind: 'line',
      label: 'Full name',
      autoComplete: 'name',
      missing: 'Please enter your full name',
      halfWidth: true,
      hasOwnColumn: true,
    },
    email: { kind: 'email', label: 'Email', halfWidth: true, hasOwnColumn: true },
    country: {
      kind: 'country',
      label: 'Country',
      hint: 'Where you live and pay tax. For a territory, choose the country it belongs to.',
      autoComplete: 'country',
      missing: 'Please choose your country',
      hasOwnColumn: true,
    },
    investmentAmount: {
      kind: 'choice',
      label: 'Investment amount',
      hint: `In US dollars, from ${dollarText(LOAN_TERMS.minimumUsd)} in steps of ${dollarText(LOAN_TERMS.optionStepUsd)}. For a larger sum, choose the largest amount and add a comment.`,
      options: INVESTMENT_AMOUNTS,
      missing: 'Please choose an investment amount',
      hasOwnColumn: true,
    },
    investorType: {
      kind: 'choice',
      label: 'Investor type',
      hint: 'We may ask you for proof.',
      options: {
        'HNW Individual': 'HNW Individual',
        'Family Office': 'Family Office',
        'Sophisticated Investor': 'Sophisticated Investor',
      },
      missing: 'Please choose an investor type',
      halfWidth: true,
      hasOwnColumn: true,
    },
    conversionOption: {
      kind: 'choice',
      label: 'Repayment preference',
      hint: 'Your preference is not binding.',
      options: { Convert: 'Convert', Repaid: 'Repaid', Undecided: 'Undecided' },
      missing: 'Please choose a repayment preference',
      halfWidth: true,
    },
    riskSuitability: {
      kind: 'choice',
      label: 'Risk awareness',
      hint: 'I understand that I can lose the whole sum and that the note is hard to sell.',
      options: { Yes: 'Yes', No: 'No' },
      missing: 'Please say whether you understand the risk',
    },
    passportCopy: {
      kind: 'file',
      label: 'Passport copy',
      hint: `The page with your photo. ${FILE_TYPES_HINT}`,
      missing: 'Upload a copy of your passport',
    },
    utilityBill: {
      kind: 'file',
      label: 'Utility bill',
      hint: `With your name and address, no older than ${durationWithUnit(LOAN_TERMS.utilityBillMonths, 'month')}. ${FILE_TYPES_HINT}`,
      missing: 'Upload a utility bill',
    },
    comments: { kind: 'lines', label: 'Comments', optional: true, maxLength: 2_000, rows: 4 },
  },
} as const satisfies FormSpec;

export type LoanFileFieldName = FileFieldName<typeof LOAN_FORM.fields>;

export function tooLargeMessage(fieldName: LoanFileFieldName): string {
  const noun = LOAN_FORM.fields[fieldName].label.toLowerCase();
  return `The ${noun} is larger than ${PORTAL_LIMITS.uploadMegabytes} MB. Choose a smaller file.`;
}
