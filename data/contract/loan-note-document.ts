import { z } from 'zod';
import type { Call } from './call.ts';

/** Where the built site holds the document, under its dated name. */
export const LOAN_NOTE_FILE = /^\/documents\/(blackduck-convertible-loan-note-\d{4}-\d{2}-\d{2}\.pdf)$/;

/** `GET /api/pdf/loan-note`: the loan note as a PDF of twelve pages, made when the site was built. */
export const loanNoteDocument = {
  method: 'GET',
  path: '/api/pdf/loan-note',
  summary: 'The convertible loan note as a PDF, as a download with a dated name',
  response: z.string().meta({ format: 'binary' }),
  mediaType: 'application/pdf',
  errors: { 503: 'The site is not built, and the document is made with it.' },
  live: false,
} as const satisfies Call;
