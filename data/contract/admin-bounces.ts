import { z } from 'zod';
import { SETTLED_BY_LABELS, type SettledBy } from '../model/bounces.ts';
import { MAX_BULK } from '../model/bulk.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

const REFERENCE_ERROR = 'Set referenceNumber to the record’s reference number, such as BD-20260102-123456.';
const reference = z.string({ error: REFERENCE_ERROR }).regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR);
const SETTLED_BY_VALUES = Object.keys(SETTLED_BY_LABELS) as [SettledBy, ...SettledBy[]];

export const correctAddress = {
  method: 'POST',
  path: PATHS.correctAddress,
  summary:
    'Corrects the applicant’s address in a record with failed emails, and queues its failed and waiting emails for the new address',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: reference,
    email: textSchema({ kind: 'email', label: 'Email address' }),
  }),
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    deliveries: count.describe('How many emails were queued.'),
    confirmBy: moment
      .nullable()
      .describe(
        'When the documents of a loan application will be deleted if the new mailbox is not confirmed; null if no deletion is due.',
      ),
  }),
  errors: ['unknown-record', 'mail-not-bounced', 'address-unchanged'],
} as const satisfies Call;

export const settleBounce = {
  method: 'POST',
  path: PATHS.settleBounce,
  summary: 'Closes the failed emails of a record, because the team informed the applicant in another way',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: reference,
    by: z.enum(SETTLED_BY_VALUES, {
      error: `Set by to ${SETTLED_BY_VALUES.slice(0, -1).join(', ')} or ${SETTLED_BY_VALUES.at(-1)}.`,
    }),
  }),
  response: z.object({ success: z.literal(true), referenceNumber }),
  errors: ['unknown-record', 'mail-not-bounced'],
} as const satisfies Call;

export const retryFailedDeliveries = {
  method: 'POST',
  path: PATHS.retryFailedDeliveries,
  summary: 'Requeues the failed deliveries of one record or of all records, or previews this',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: reference.nullable().describe('null: all records.'),
    preview: z
      .boolean()
      .optional()
      .describe('true: changes nothing, and responds with what would be queued.'),
  }),
  response: z.object({
    success: z.literal(true),
    deliveries: count.describe('How many deliveries were queued or, in a preview, would be queued.'),
    recordCount: count.describe(
      'The number of records with these deliveries. Each record gets an entry in the audit trail.',
    ),
    records: z
      .array(z.object({ referenceNumber, deliveries: count }))
      .max(MAX_BULK)
      .describe(`The first ${MAX_BULK} of these records.`),
  }),
  errors: [],
} as const satisfies Call;
