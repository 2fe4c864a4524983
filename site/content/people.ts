import { z } from 'astro/zod';
import { contactAction, labelledValue, oneFile, outsideLink, pagePath, titledText, words } from './fields.ts';

/** The team, the ways to reach it, and every place that belongs to the community. */

const card = z.union([
  z.strictObject({ id: words, title: words, text: words, link: outsideLink }),
  z.strictObject({ id: words, title: words, text: words, page: pagePath }),
]);

export const peopleCollections = {
  team: oneFile(
    'team.yaml',
    z.strictObject({
      lead: words,
      leaders: z.array(
        z.strictObject({
          id: words,
          role: words,
          /** Empty where the leader is named by role alone. */
          name: z.string(),
          department: words,
          description: words,
          contact: contactAction,
        }),
      ),
      philosophy: z.strictObject({ title: words, items: z.array(titledText) }),
      connect: z.strictObject({ title: words, items: z.array(contactAction), note: words }),
    }),
  ),
  contact: oneFile(
    'contact.yaml',
    z.strictObject({
      lead: words,
      badges: z.array(labelledValue),
      channels: z.array(
        z.strictObject({
          id: words,
          title: words,
          text: words,
          badge: words.optional(),
          action: contactAction,
          response: words,
        }),
      ),
      quickAccess: z.strictObject({ title: words, items: z.array(contactAction) }),
      responseTimes: z.strictObject({ title: words, items: z.array(labelledValue), note: words }),
      coverage: z.strictObject({ title: words, items: z.array(words), note: words }),
      safety: words,
      duckling: words,
      form: z.strictObject({
        title: words,
        hint: words,
        categories: z.array(z.strictObject({ value: words, label: words })),
        privacy: words,
        needsScript: words,
      }),
    }),
  ),
  linksPage: oneFile(
    'links-page.yaml',
    z.strictObject({
      lead: words,
      cards: z.array(card),
      addresses: z.strictObject({
        title: words,
        lead: words,
        items: z.array(
          z.strictObject({
            id: z.enum(['vault', 'stake-program', 'token']),
            title: words,
            stated: words,
            /** What the live figure beside it is called, where there is one. */
            live: words.optional(),
          }),
        ),
        unset: words,
        failed: words,
        retry: words,
      }),
      return: words,
      leaving: words,
    }),
  ),
};
