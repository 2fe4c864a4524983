import { z } from 'zod';
import { isCountry } from '../model/countries.ts';
import {
  INVESTMENT_AMOUNTS,
  INVESTOR_TYPES,
  LOAN_FILES,
  LOAN_LONGEST,
  LOAN_WORDS,
  REPAYMENT_PREFERENCES,
  RISK_ANSWERS,
} from '../model/loan-application-rules.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import type { Call } from './call.ts';
import { line, lines, mailAddress } from './form-fields.ts';

/** The text parts of an application for the loan note. Its documents are parts of their own. */
export const loanApplication = z.strictObject({
  name: line({ what: 'the full name', atMost: LOAN_LONGEST.name, words: LOAN_WORDS.name }),
  email: mailAddress(LOAN_WORDS.email),
  referenceNumber: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The number that the sender would like, as BD-YYYYMMDD-NNNNNN. The answer’s is the one that counts.',
    ),
  investmentAmount: z
    .enum(INVESTMENT_AMOUNTS, { error: LOAN_WORDS.investmentAmount })
    .describe('Whole US dollars.'),
  investorType: z.enum(INVESTOR_TYPES, { error: LOAN_WORDS.investorType }),
  riskSuitability: z.enum(RISK_ANSWERS, { error: LOAN_WORDS.riskSuitability }),
  conversionOption: z.enum(REPAYMENT_PREFERENCES, { error: LOAN_WORDS.conversionOption }),
  country: z
    .string({ error: LOAN_WORDS.country })
    .refine(isCountry, { error: LOAN_WORDS.country })
    .describe('ISO 3166-1 alpha-2.'),
  comments: lines({ what: 'the comments', atMost: LOAN_LONGEST.comments, atLeast: 0 }).optional(),
  website: z.string().max(300).optional().describe('Leave it out, or empty.'),
});

export const applyForLoan = {
  method: 'POST',
  path: '/api/convertible-loan',
  summary: 'Applies for the convertible loan note, with two documents',
  body: loanApplication,
  files: LOAN_FILES,
  response: z.object({
    success: z.literal(true),
    referenceNumber: z.string().regex(REFERENCE_NUMBER).describe('BD-YYYYMMDD-NNNNNN.'),
  }),
  errors: {
    400: 'A field is missing, unknown or no value that the form takes, or the body is no whole form; nothing was stored.',
    403: 'A page of another site sent it.',
    413: 'A document is larger than 10 MB, or the form than all of it may be. The rest of the body is not read.',
    415: 'The body is not multipart/form-data.',
    422: 'A document is no PDF, JPEG or PNG by its content, is encrypted, damaged or more than a document; or the Idempotency-Key was used for another body.',
    429: 'Too many submissions from this address, or with this mail address.',
    503: 'Too many documents are being sent at the moment.',
  },
  live: false,
} as const satisfies Call;
