import { z } from 'astro/zod';
import {
  INVESTOR_TYPES,
  REPAYMENT_PREFERENCES,
  RISK_ANSWERS,
} from '../../data/model/loan-application-rules.ts';
import { folder, oneFile, words } from './fields.ts';

/** The loan note: its chapters, and the tables and choices that page, form and document share. */

/** What the form sends is what the server takes: an editor may word the choices, and not add any. */
const choices = (values: readonly string[]) =>
  z.strictObject({
    label: words,
    hint: words,
    options: z
      .array(z.strictObject({ value: z.enum(values), label: words, description: words.optional() }))
      .length(values.length),
  });
const upload = z.strictObject({ label: words, hint: words });

export const loanNoteCollections = {
  loanNote: folder(
    'loan-note',
    'mdx',
    z.strictObject({
      title: words,
      order: z.int().positive(),
      /** Where the chapter stands: on the page, in the document, or in both. */
      places: z.array(z.enum(['page', 'pdf'])).min(1),
      summary: words,
      /** The table that belongs to the chapter. */
      data: z.enum(['terms', 'use-of-funds']).optional(),
    }),
  ),
  loanTerms: oneFile(
    'loan-note/terms.yaml',
    z.strictObject({
      headline: z.array(z.strictObject({ id: words, label: words, value: words, note: words })),
      terms: z.array(z.strictObject({ id: words, term: words, value: words, meaning: words })),
    }),
  ),
  useOfFunds: oneFile(
    'loan-note/use-of-funds.yaml',
    z.strictObject({
      caption: words,
      items: z
        .array(z.strictObject({ id: words, label: words, percent: z.int().positive(), description: words }))
        .refine(
          (items) => items.reduce((sum, { percent }) => sum + percent, 0) === 100,
          'have shares that add up to 100 percent',
        ),
    }),
  ),
  loanOptions: oneFile(
    'loan-note/options.yaml',
    z.strictObject({
      investmentAmount: z.strictObject({ label: words, hint: words }),
      investorType: choices(INVESTOR_TYPES),
      riskSuitability: choices(RISK_ANSWERS),
      conversionOption: choices(REPAYMENT_PREFERENCES),
      documents: z.strictObject({ passportCopy: upload, utilityBill: upload, note: words }),
      withoutScript: words,
    }),
  ),
};
