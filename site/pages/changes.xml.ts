import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { fullAddress, recordedChanges } from '../found/listed-pages.ts';
import { siteWords } from '../shell/words.ts';

/** RSS of the changes in the portal's words. */
export const GET: APIRoute = async ({ site }) => {
  const { name } = await siteWords();
  const changes = await recordedChanges();
  return rss({
    title: `${name}: changes`,
    description: `What has changed in the words of the ${name} portal.`,
    site: fullAddress('/', site),
    trailingSlash: false,
    items: changes.map(({ date, title, text, pages }) => ({
      title,
      description: text,
      pubDate: date,
      // Two changes of one page are two entries: readers tell them apart by their links.
      link: `${pages[0] ?? '/'}#${date.toISOString().slice(0, 10)}`,
    })),
    customData: '<language>en</language>',
  });
};
