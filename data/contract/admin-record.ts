import { z } from 'zod';
import { LOAN_VOTES } from '../model/record-review.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import { APPLICATION_SHAPES, LOAN_DOCUMENT_KINDS } from '../model/submission-status.ts';
import { moment, readErrors, referenceNumber } from './admin-lists.ts';
import {
  applicationRow,
  contactRow,
  DELIVERY_METHODS,
  DELIVERY_STATES,
  loanRow,
  requestRow,
} from './admin-records.ts';
import type { Call } from './call.ts';

const REFERENCE = 'Give the record once, as reference= and its reference number, such as BD-20260102-123456.';

const adminName = z.string().describe('The admin’s username; their id where the account is gone.');

export const recordNote = z.object({ id: z.string(), at: moment, by: adminName, text: z.string() });
export type RecordNote = z.infer<typeof recordNote>;

const attempt = z.object({
  at: moment,
  outcome: z.enum(['sent', 'retry', 'dead', 'unknown']),
  error: z.string().nullable(),
  code: z.string().nullable(),
  recipient: z.string().describe('Masked.'),
});

/** What the team knows of a record of any kind beside its own fields. */
const about = {
  referenceNumber,
  timeline: z
    .array(z.object({ at: moment, status: z.string(), note: z.string().nullable() }))
    .describe('What the sender sees of it, oldest first.'),
  decisions: z
    .array(
      z.object({
        at: moment,
        by: adminName,
        decision: z
          .string()
          .describe('A status; of a loan application also approve, refuse or contradicted.'),
        reason: z.string().nullable(),
      }),
    )
    .describe('What the team decided and voted, oldest first.'),
  notes: z.array(recordNote).describe('What the team wrote about it, oldest first.'),
  deliveries: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      deliveryMethod: z.enum(DELIVERY_METHODS),
      audience: z.enum(['applicant', 'team']),
      state: z.enum(DELIVERY_STATES),
      createdAt: moment,
      nextAttemptAt: moment.nullable().describe('Null once it came to an end.'),
      finishedAt: moment.nullable(),
      attempts: z.array(attempt).describe('Oldest first.'),
    }),
  ),
};

export const applicationDetails = applicationRow.extend({
  shape: z.enum(APPLICATION_SHAPES).describe('The form that it came by.'),
  phone: z.string().nullable(),
  telegram: z.string().nullable().describe('Without the @.'),
  alias: z.string().nullable(),
  applicantNotes: z.string().nullable(),
  statedAmount: z.string().nullable().describe('BD as the applicant’s page stated it.'),
  statedTier: z.string().nullable(),
  checkedAmount: z
    .string()
    .nullable()
    .describe('BD as the portal read it, decimal text; null where it could not.'),
  checkedTier: z.string().nullable(),
  checkedAt: moment.nullable(),
});

export const contactDetails = contactRow.extend({
  message: z.string(),
  walletAddress: z.string().nullable(),
});

export const requestDetails = requestRow.extend({
  reason: z.string(),
  evidence: z.string().nullable(),
  statedDetection: z.string().describe('What the sender’s page had detected.'),
  requestedAt: moment.describe('When the sender’s page says that it was asked.'),
  refusalReason: z.string().nullable(),
  whitelistedTier: z
    .string()
    .nullable()
    .describe('The tier that the wallet is admitted to now, by whichever request.'),
});

export const loanDetails = loanRow.extend({
  riskSuitability: z.string(),
  conversionOption: z.string(),
  comments: z.string().nullable(),
  refusalReason: z.string().nullable(),
  decidedAt: moment.nullable(),
  documents: z
    .array(
      z.object({
        id: z.string().describe('For the call that shows it.'),
        kind: z.enum(LOAN_DOCUMENT_KINDS),
        fileName: z.string(),
        mediaType: z.string(),
        byteLength: z.int().nonnegative(),
      }),
    )
    .describe('None once they were deleted.'),
  votes: z
    .array(
      z.object({
        by: adminName,
        isYours: z.boolean(),
        decision: z.enum(LOAN_VOTES),
        reason: z.string().nullable(),
        at: moment,
      }),
    )
    .describe('Votes that stand while it is open.'),
});

export const adminRecord = {
  method: 'GET',
  path: '/api/admin/record',
  summary: 'All that is known of one record: its fields, timeline, decisions, notes and deliveries',
  access: 'viewer',
  query: z.strictObject({ reference: z.string({ error: REFERENCE }).regex(REFERENCE_NUMBER, REFERENCE) }),
  response: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('card-application'), record: applicationDetails, ...about }),
    z.object({ kind: z.literal('contact-message'), record: contactDetails, ...about }),
    z.object({ kind: z.literal('verification-request'), record: requestDetails, ...about }),
    z.object({ kind: z.literal('loan-application'), record: loanDetails, ...about }),
  ]),
  errors: { ...readErrors, 404: 'There is no record of this reference number.' },
  live: false,
} as const satisfies Call;
