import type { APIRoute } from 'astro';
import { medallionArtwork } from '../../components/cards/guilloche.ts';

/** The medallion, drawn at build time. */
export const GET: APIRoute = () =>
  new Response(medallionArtwork(), { headers: { 'Content-Type': 'image/svg+xml' } });
