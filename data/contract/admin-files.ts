import { z } from 'zod';
import { type ListId, listOf } from '../model/admin-lists.ts';
import { exportedFields } from '../model/define-list.ts';
import { choice, fieldSchemas } from './admin-lists.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';

const EXPORT_FORMATS = ['json', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

function exportCall(id: ListId) {
  const list = listOf(id);
  return {
    method: 'GET',
    path: PATHS.adminExport(id),
    summary: `${list.what} as a file: every row, oldest first. The file name contains the date, and the audit trail records the export`,
    access: 'reviewer',
    query: z.strictObject({
      format: choice('format', EXPORT_FORMATS).describe(
        'json by default; csv has the same fields as columns.',
      ),
    }),
    response: z
      .array(z.object(fieldSchemas(exportedFields(list))))
      .describe('Streamed as it is read, with Content-Disposition: attachment.'),
  } as const satisfies Call;
}

export const EXPORT_CALLS = {
  applications: exportCall('applications'),
  contacts: exportCall('contacts'),
  'delivery-logs': exportCall('delivery-logs'),
  'verification-requests': exportCall('verification-requests'),
  'loan-applications': exportCall('loan-applications'),
} as const satisfies Record<ListId, Call>;

const DOCUMENT = 'Set id to the id of one document of the record.';

export const loanDocument = {
  method: 'GET',
  path: PATHS.loanDocument,
  summary:
    'One document of a loan application. The audit trail records each view before the response is sent',
  access: 'reviewer',
  query: z.strictObject({
    id: z.uuid({ error: DOCUMENT }),
    as: choice('as', ['view', 'file']).describe('view by default; file to download it.'),
  }),
  response: z
    .string()
    .meta({ format: 'binary' })
    .describe('The content, as application/pdf, image/jpeg or image/png.'),
  mediaType: 'application/octet-stream',
  errors: ['unknown-document', 'document-unreadable'],
} as const satisfies Call;
