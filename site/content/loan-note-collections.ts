import { z } from 'astro/zod';
import { askedAs, fileCollection, folderCollection, order, text, texts } from './fields.ts';

export const loanNoteCollections = {
  loanNote: folderCollection(
    'loan-note',
    z.strictObject({
      title: text,
      order,
      places: z.array(z.enum(['page', 'pdf'])).min(1),
      summary: text,
      table: z.enum(['terms', 'use-of-funds']).optional(),
      askedAs,
    }),
  ),
  loanTerms: fileCollection(
    'loan-note/terms.yaml',
    z.strictObject({
      headline: z.array(z.strictObject(texts('id', 'label', 'value', 'note'))),
      terms: z.array(z.strictObject(texts('id', 'term', 'value', 'meaning'))),
    }),
  ),
  loanDocument: fileCollection(
    'loan-note/document.yaml',
    z.strictObject({
      /** Null until the borrower's details are published. */
      borrower: z.strictObject(texts('name', 'registration', 'address')).nullable(),
      parts: z.array(z.strictObject({ title: text.optional(), chapters: z.array(text).min(1) })),
    }),
  ),
  useOfFunds: fileCollection(
    'loan-note/use-of-funds.yaml',
    z.strictObject({
      caption: text,
      items: z
        .array(z.strictObject({ id: text, label: text, percent: z.int().positive(), description: text }))
        .refine(
          (items) => items.reduce((sum, { percent }) => sum + percent, 0) === 100,
          'its shares must add up to 100 percent',
        ),
    }),
  ),
  loanOutcomes: fileCollection(
    'loan-note/outcomes.yaml',
    z.strictObject({
      conversion: z.strictObject({
        ...texts('caption', 'discount', 'cap', 'note'),
        columns: z.array(text).length(4),
      }),
      scenarios: z.strictObject({
        ...texts('caption', 'note'),
        columns: z.array(text).length(3),
        rows: z.strictObject(texts('A', 'B', 'C', 'D', 'E', 'F')),
      }),
    }),
  ),
  loanForm: fileCollection('loan-note/form.yaml', z.strictObject(texts('documents', 'withoutScript'))),
};
