import { z } from 'astro/zod';
import { folder, labelledValue, oneFile, words } from './fields.ts';

/** Questions, legal pages and the investor journey. */

const lossRow = z.strictObject({
  id: words,
  title: words,
  holdings: words,
  price: words,
  total: words,
  result: words,
  multiple: words,
});

const returnRow = z.strictObject({
  id: words,
  title: words,
  price: words,
  holdings: words,
  income: words,
  total: words,
  multiple: words,
  arithmetic: words,
});

const table = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ caption: words, columns: z.array(words).length(6), rows: z.array(row), note: words });

export const readingCollections = {
  faq: folder(
    'faq',
    'yaml',
    z.strictObject({
      category: words,
      order: z.int().positive(),
      isOpen: z.boolean(),
      questions: z.array(
        z.strictObject({ id: z.string().regex(/^[a-z0-9-]+$/), question: words, answer: words }),
      ),
    }),
  ),
  legal: folder('legal', 'mdx', z.strictObject({ updated: words, summary: words })),
  journey: oneFile('journey/investor-journey.mdx', z.strictObject({ label: words, summary: words })),
  journeyTables: oneFile(
    'journey/scenarios.yaml',
    z.strictObject({
      label: words,
      setup: z.array(labelledValue),
      returns: table(returnRow),
      losses: table(lossRow),
    }),
  ),
  dailyDisclaimer: oneFile(
    'disclaimer-daily.mdx',
    z.strictObject({
      title: words,
      description: words,
      accept: words,
      withoutScript: words,
    }),
  ),
};
