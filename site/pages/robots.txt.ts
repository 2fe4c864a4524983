import type { APIRoute } from 'astro';
import { absoluteUrl } from '../seo/page-urls.ts';

/** Keeps crawlers away from the team's pages and the API. */
export const GET: APIRoute = ({ site }) =>
  new Response(
    [
      'User-agent: *',
      'Disallow: /admin/',
      'Disallow: /bot-diagnostics',
      'Disallow: /new-bot-diagnostics',
      'Disallow: /api/',
      '',
      `Sitemap: ${absoluteUrl('/sitemap.xml', site)}`,
      '',
    ].join('\n'),
    { headers: { 'Content-Type': 'text/plain' } },
  );
