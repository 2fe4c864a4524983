import type { APIRoute } from 'astro';
import { fieldsOf } from '../content/entries.ts';

/** Name, icons and start page of the installed portal (https://www.w3.org/TR/appmanifest/). */
export const GET: APIRoute = async () => {
  const { name, description } = await fieldsOf('site');
  const manifest = {
    id: '/',
    name,
    short_name: name,
    description,
    lang: 'en',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#0b0c0e',
    theme_color: '#0b0c0e',
    icons: [
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [
      { name: 'Staking', url: '/staking' },
      { name: 'Questions and answers', url: '/faq' },
    ],
  };
  return new Response(JSON.stringify(manifest), { headers: { 'Content-Type': 'application/manifest+json' } });
};
