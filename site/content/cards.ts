import { z } from 'astro/zod';
import { oneFile, titledText, words } from './fields.ts';

/** Card tiers, the card page, and the way to a card. */
const tier = z.strictObject({ note: words });

export const cardCollections = {
  tiers: oneFile('tiers.yaml', z.strictObject({ Duckling: tier, Banker: tier, Raven: tier })),
  virtualCard: oneFile(
    'virtual-card.mdx',
    z.strictObject({
      lead: words,
      features: z.array(titledText),
      requirements: z.strictObject({ title: words, note: words }),
      funding: z.strictObject({ title: words, warning: words, fee: words, closed: words, test: words }),
      sandbox: z.strictObject({ badge: words, text: words }),
      limits: z.strictObject({ title: words, unknown: words, newCard: words, link: words }),
      usage: z.strictObject({ empty: words }),
    }),
  ),
  cardSteps: oneFile(
    'card-steps.yaml',
    z.strictObject({
      title: words,
      steps: z.array(z.strictObject({ id: words, title: words, text: words })),
      next: z.strictObject({ title: words, steps: z.array(words), note: words }),
    }),
  ),
};
