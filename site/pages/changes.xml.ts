import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { fieldsOf } from '../content/entries.ts';
import { recordedChanges } from '../content/pages.ts';
import { absoluteUrl } from '../seo/page-urls.ts';

export const GET: APIRoute = async ({ site }) => {
  const { name } = await fieldsOf('site');
  const changes = await recordedChanges();
  return rss({
    title: `${name}: changes`,
    description: `What has changed on the ${name} portal.`,
    site: absoluteUrl('/', site),
    trailingSlash: false,
    items: changes.map(({ date, title, text, pages }) => ({
      title,
      description: text,
      pubDate: date,
      // Feed readers identify entries by their links, so each change to a page needs its own link.
      link: `${pages[0] ?? '/'}#${date.toISOString().slice(0, 10)}`,
    })),
    customData: '<language>en</language>',
  });
};
