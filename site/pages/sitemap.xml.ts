import type { APIRoute } from 'astro';
import { listedPages } from '../content/pages.ts';
import { absoluteUrl } from '../seo/page-urls.ts';

/**
 * Every page that search engines may list (https://www.sitemaps.org/protocol.html). Paths need no escaping. Written here
 * rather than by @astrojs/sitemap: docs/decisions/site-from-memory.md.
 */
export const GET: APIRoute = async ({ site }) => {
  const urls = (await listedPages()).map(({ path, changedOn }) => {
    const changed = changedOn ? `<lastmod>${changedOn.toISOString().slice(0, 10)}</lastmod>` : '';
    return `<url><loc>${absoluteUrl(path, site)}</loc>${changed}</url>`;
  });
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
  return new Response(text, { headers: { 'Content-Type': 'application/xml' } });
};
