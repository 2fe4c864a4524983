import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';

export const LOAN_NOTE_PATH_PATTERN =
  /^\/documents\/(blackduck-convertible-loan-note-\d{4}-\d{2}-\d{2}\.pdf)$/;

export const loanNoteDocument = {
  method: 'GET',
  path: PATHS.loanNoteDocument,
  summary: 'Downloads the convertible loan note as a PDF with a dated file name',
  response: z.string().meta({ format: 'binary' }),
  mediaType: 'application/pdf',
  errors: ['document-not-built'],
} as const satisfies Call;
