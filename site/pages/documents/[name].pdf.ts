import { basename } from 'node:path';
import type { APIRoute, GetStaticPaths } from 'astro';
import { buildLoanNoteOnce } from '../../loan-note-pdf/built-document.ts';

const SITE = new URL(import.meta.env.SITE);

export const getStaticPaths = (async () => {
  const { fileName } = await buildLoanNoteOnce(SITE);
  return [{ params: { name: basename(fileName, '.pdf') } }];
}) satisfies GetStaticPaths;

/** The loan note as a PDF with a dated file name. The API also serves it at a permanent URL. */
export const GET: APIRoute = async () => {
  const { bytes } = await buildLoanNoteOnce(SITE);
  return new Response(new Uint8Array(bytes), { headers: { 'Content-Type': 'application/pdf' } });
};
