import type { APIRoute } from 'astro';
import { medallionArtwork } from '../../components/cards/guilloche.ts';

export const GET: APIRoute = () =>
  new Response(medallionArtwork(), { headers: { 'Content-Type': 'image/svg+xml' } });
