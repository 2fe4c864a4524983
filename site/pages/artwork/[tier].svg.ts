import type { APIRoute, GetStaticPaths } from 'astro';
import { TIER_TERMS } from '../../../data/model/tiers.ts';
import { tierArtwork } from '../../components/cards/card-design.ts';

export const getStaticPaths = (() =>
  TIER_TERMS.map(({ tier }) => ({
    params: { tier: tier.toLowerCase() },
    props: { tier },
  }))) satisfies GetStaticPaths;

export const GET: APIRoute<{ tier: (typeof TIER_TERMS)[number]['tier'] }> = ({ props }) =>
  new Response(tierArtwork(props.tier), { headers: { 'Content-Type': 'image/svg+xml' } });
