import type { APIRoute, GetStaticPaths } from 'astro';
import { drawIcon, ICONS } from '../../found/icons.ts';

export const getStaticPaths = (() =>
  ICONS.map((icon) => ({ params: { icon: icon.name }, props: { icon } }))) satisfies GetStaticPaths;

/** An icon of the app, drawn from the mark when the site is built. */
export const GET: APIRoute<{ icon: (typeof ICONS)[number] }> = async ({ props }) =>
  new Response(new Uint8Array(await drawIcon(props.icon)), { headers: { 'Content-Type': 'image/png' } });
