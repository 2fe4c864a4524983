import { defineCollection } from 'astro:content';
import { file } from 'astro/loaders';
import { z } from 'astro/zod';
import { parse } from 'yaml';
import { pagePath, words } from './fields.ts';

/** Dated changes in the words of the portal. */
export const changeCollections = {
  changes: defineCollection({
    loader: file('./content/changes.yaml', {
      parser: (text) => {
        const entries: Record<string, unknown>[] = parse(text);
        return entries.map((entry, index) => ({ ...entry, id: String(index) }));
      },
    }),
    schema: z.strictObject({
      id: z.string(),
      date: z.coerce.date(),
      title: words,
      text: words,
      pages: z.array(pagePath).min(1),
    }),
  }),
};
