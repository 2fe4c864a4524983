import { z } from 'zod';
import { choice, readErrors } from './admin-lists.ts';
import { applicationDetails, contactDetails, loanDetails, requestDetails } from './admin-record.ts';
import { deliveryLogRow } from './admin-records.ts';
import type { Call } from './call.ts';

/** What the admin takes away as a file. */

export const EXPORT_TYPES = [
  'applications',
  'contacts',
  'delivery-logs',
  'verification-requests',
  'loan-applications',
] as const;
export type ExportType = (typeof EXPORT_TYPES)[number];

export const EXPORT_FORMATS = ['json', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const exportOf = <Type extends ExportType, Row extends z.ZodObject>(type: Type, what: string, row: Row) =>
  ({
    method: 'GET',
    path: `/api/admin/export/${type}`,
    summary: `Every ${what}, oldest first, as a file that is named by the day; recorded in the audit trail`,
    access: 'reviewer',
    query: z.strictObject({
      format: choice('format', EXPORT_FORMATS).describe(
        'json where absent; csv has the same fields as columns.',
      ),
    }),
    response: z.array(row).describe('Sent as it is read, with Content-Disposition: attachment.'),
    errors: readErrors,
    live: false,
  }) as const satisfies Call;

export const exportApplications = exportOf('applications', 'card application', applicationDetails);
export const exportContacts = exportOf('contacts', 'message to support', contactDetails);
export const exportDeliveryLogs = exportOf(
  'delivery-logs',
  'try to deliver',
  deliveryLogRow.omit({ isRetryable: true }),
);
export const exportRequests = exportOf(
  'verification-requests',
  'request for manual verification',
  requestDetails.omit({ whitelistedTier: true }),
);
export const exportLoans = exportOf(
  'loan-applications',
  'loan application, without its documents',
  loanDetails.omit({ documents: true, votes: true }),
);

const DOCUMENT = 'Give the document once, as id= and its id, as the record names it.';

export const loanDocument = {
  method: 'GET',
  path: '/api/admin/loan-documents',
  summary:
    'One document of a loan application, as it was sent in; each view is recorded in the audit trail before it is shown',
  access: 'reviewer',
  query: z.strictObject({
    id: z.uuid({ error: DOCUMENT }),
    as: choice('as', ['view', 'file']).describe('view where absent. file: to be saved, not shown.'),
  }),
  response: z
    .string()
    .meta({ format: 'binary' })
    .describe('The bytes, as application/pdf, image/jpeg or image/png.'),
  mediaType: 'application/octet-stream',
  errors: {
    ...readErrors,
    404: 'There is no such document, or it was deleted.',
    503: 'The document cannot be decrypted: its key is not configured here, or it is damaged. The log says which.',
  },
  live: false,
} as const satisfies Call;
