import { z } from 'astro/zod';
import { folder, oneFile, outsideLink, pagePath, secureUrl, words } from './fields.ts';

/** What every page says about the house, and what each page is called. */

const link = z.strictObject({ label: words, href: secureUrl });
const description = words.refine(
  (text) => text.length <= 180,
  'is at most 180 characters, as search engines show',
);

const page = z.union([
  z.strictObject({ alias: pagePath }),
  z.strictObject({ title: words, description, index: z.boolean().default(true) }),
]);

export const houseCollections = {
  site: oneFile(
    'site.yaml',
    z.strictObject({
      name: words,
      description: words,
      explorer: secureUrl,
      supportEmail: z.email(),
      postalAddress: words,
      offices: z.array(words),
      leadership: z.array(words),
    }),
  ),
  links: oneFile('links.yaml', z.record(outsideLink, link)),
  pages: oneFile('pages.yaml', z.record(pagePath, page)),
  dashboard: folder('dashboard', 'mdx', z.strictObject({ title: words })),
};
