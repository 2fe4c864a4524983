import type { APIRoute, GetStaticPaths } from 'astro';
import { fieldsOf } from '../../content/entries.ts';
import { listedPages } from '../../content/pages.ts';
import { shareImageName } from '../../seo/page-urls.ts';
import { shareImage } from '../../seo/share-image.ts';

export const getStaticPaths = (async () => {
  const pages = await listedPages();
  return pages.map(({ path, title, description }) => ({
    params: { page: shareImageName(path) },
    props: { title, description },
  }));
}) satisfies GetStaticPaths;

export const GET: APIRoute<{ title: string; description: string }> = async ({ props }) => {
  const { name } = await fieldsOf('site');
  const image = await shareImage({ brand: name, ...props });
  return new Response(new Uint8Array(image), { headers: { 'Content-Type': 'image/png' } });
};
