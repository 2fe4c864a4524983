import type { APIRoute } from 'astro';
import { listedPages } from '../content/pages.ts';
import { versionsOf } from '../locale/page-language.ts';
import { absoluteUrl } from '../seo/page-urls.ts';

/**
 * Every page that search engines may list (https://www.sitemaps.org/protocol.html). Paths need no escaping.
 * docs/decisions/site-from-memory.md explains why @astrojs/sitemap is not used.
 */
export const GET: APIRoute = async ({ site }) => {
  const urls = (await listedPages()).flatMap(({ path, changedOn }) => {
    const lastModified = changedOn ? `<lastmod>${changedOn.toISOString().slice(0, 10)}</lastmod>` : '';
    const versions = versionsOf(path);
    const alternates = versions.map(
      (version) =>
        `<xhtml:link rel="alternate" hreflang="${version.language}" href="${absoluteUrl(version.path, site)}"/>`,
    );
    const paths = versions.length > 0 ? versions.map((version) => version.path) : [path];
    return paths.map(
      (one) => `<url><loc>${absoluteUrl(one, site)}</loc>${lastModified}${alternates.join('')}</url>`,
    );
  });
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${urls.join('\n')}\n</urlset>\n`;
  return new Response(text, { headers: { 'Content-Type': 'application/xml' } });
};
