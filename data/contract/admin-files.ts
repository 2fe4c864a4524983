import { z } from 'zod';
import { type ListId, listDefinition } from '../model/admin-lists.ts';
import { exportedFields } from '../model/define-list.ts';
import { choice, fieldSchemas, querySchema, searchText } from './admin-lists.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';

const EXPORT_FORMATS = ['json', 'csv', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

function exportCall(id: ListId) {
  const list = listDefinition(id);
  return {
    method: 'GET',
    path: PATHS.adminExport(id),
    summary: `${list.rowsLabel} as a file: every row, oldest first. The file name contains the date, and the audit trail records the export`,
    access: 'reviewer',
    query: z.strictObject({
      format: choice('format', EXPORT_FORMATS).describe(
        'json by default; csv and xlsx (Excel) have the same fields as columns.',
      ),
    }),
    response: z
      .array(z.object(fieldSchemas(exportedFields(list))))
      .describe('Rows are streamed as they are read, with Content-Disposition: attachment.'),
  } as const satisfies Call;
}

export const EXPORT_CALLS = {
  applications: exportCall('applications'),
  contacts: exportCall('contacts'),
  'delivery-logs': exportCall('delivery-logs'),
  'verification-requests': exportCall('verification-requests'),
  'loan-applications': exportCall('loan-applications'),
} as const satisfies Record<ListId, Call>;

/** The filters are in the body, because a search term may be a name or an email address, which must not be in a URL. */
function filteredExportCall(id: ListId) {
  const list = listDefinition(id);
  const columns = Object.keys(exportedFields(list)) as [string, ...string[]];
  const COLUMNS_ERROR = `Omit columns, or set it to some of these names, each at most once: ${columns.join(', ')}.`;
  return {
    method: 'POST',
    path: PATHS.adminExport(id),
    summary: `${list.rowsLabel} as a file: the rows that match, in the order of the list. The audit trail records the export with the names of its filters`,
    access: 'reviewer',
    body: querySchema(list)
      .omit({ limit: true, after: true })
      .extend({
        q: searchText.optional(),
        format: z.enum(EXPORT_FORMATS, { error: `Set format to one of ${EXPORT_FORMATS.join(', ')}.` }),
        columns: z
          .array(z.enum(columns, { error: COLUMNS_ERROR }), { error: COLUMNS_ERROR })
          .min(1, COLUMNS_ERROR)
          .max(columns.length, COLUMNS_ERROR)
          .refine((chosen) => new Set(chosen).size === chosen.length, COLUMNS_ERROR)
          .optional()
          .describe('The fields to export, in this order. All by default.'),
      }),
    response: z
      .array(z.object(fieldSchemas(exportedFields(list))).partial())
      .describe('Rows are streamed as they are read, with Content-Disposition: attachment.'),
  } as const satisfies Call;
}

export const FILTERED_EXPORT_CALLS = {
  applications: filteredExportCall('applications'),
  contacts: filteredExportCall('contacts'),
  'delivery-logs': filteredExportCall('delivery-logs'),
  'verification-requests': filteredExportCall('verification-requests'),
  'loan-applications': filteredExportCall('loan-applications'),
} as const satisfies Record<ListId, Call>;

const DOCUMENT_ERROR = 'Set id to the id of one document of the record.';

export const loanDocument = {
  method: 'GET',
  path: PATHS.loanDocument,
  summary:
    'One document of a loan application. The audit trail records each view before the response is sent',
  access: 'reviewer',
  query: z.strictObject({
    id: z.uuid({ error: DOCUMENT_ERROR }),
    as: choice('as', ['view', 'file']).describe('`view` (the default) shows the file; `file` downloads it.'),
  }),
  response: z
    .string()
    .meta({ format: 'binary' })
    .describe('The content, as application/pdf, image/jpeg or image/png.'),
  mediaType: 'application/octet-stream',
  errors: ['unknown-document', 'document-unreadable'],
} as const satisfies Call;
