import type { APIRoute } from 'astro';
import { medallionArtwork } from '../../components/cards/medallion-artwork.ts';

/** The house's medallion, drawn when the site is built. */
export const GET: APIRoute = () =>
  new Response(medallionArtwork(), { headers: { 'Content-Type': 'image/svg+xml' } });
