import type { APIRoute, GetStaticPaths } from 'astro';
import { listedPages, shareImageName } from '../../found/listed-pages.ts';
import { shareImage } from '../../found/share-image.ts';
import { siteWords } from '../../shell/words.ts';

export const getStaticPaths = (async () => {
  const pages = await listedPages();
  return pages.map(({ path, title, description }) => ({
    params: { page: shareImageName(path) },
    props: { title, description },
  }));
}) satisfies GetStaticPaths;

/** The picture of a page where it is shared, drawn when the site is built. */
export const GET: APIRoute<{ title: string; description: string }> = async ({ props }) => {
  const { name } = await siteWords();
  const image = await shareImage({ house: name, ...props });
  return new Response(new Uint8Array(image), { headers: { 'Content-Type': 'image/png' } });
};
