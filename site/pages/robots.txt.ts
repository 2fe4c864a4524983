import type { APIRoute } from 'astro';
import { absoluteUrl } from '../seo/page-urls.ts';

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
