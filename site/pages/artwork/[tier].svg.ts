import type { APIRoute, GetStaticPaths } from 'astro';
import { TIERS } from '../../../data/model/tiers.ts';
import { plateArtwork } from '../../components/cards/plate-artwork.ts';

export const getStaticPaths = (() =>
  TIERS.map(({ tier }) => ({
    params: { tier: tier.toLowerCase() },
    props: { tier },
  }))) satisfies GetStaticPaths;

/** The artwork of a tier's card, drawn when the site is built. */
export const GET: APIRoute<{ tier: (typeof TIERS)[number]['tier'] }> = ({ props }) =>
  new Response(plateArtwork(props.tier), { headers: { 'Content-Type': 'image/svg+xml' } });
