import { z } from 'zod';
import { ADMIN_LISTS } from '../model/admin-lists.ts';
import { BOUNCE_REASONS, type BounceReason } from '../model/bounces.ts';
import type { Fields } from '../model/define-list.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_METHODS, DELIVERY_STATES } from '../model/delivery-states.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import { LOAN_DOCUMENT_KINDS, LOAN_VOTES } from '../model/submission-status.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import { teamCard } from './admin-cards.ts';
import { fieldSchemas } from './admin-lists.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, decimalText, moment, referenceNumber } from './provenance.ts';

const REFERENCE_ERROR = 'Set reference to one reference number, such as BD-20260102-123456.';

export const adminName = z.string().describe('The admin’s username; the id if there is no such account.');

export const recordNote = z.object({
  id: z.string(),
  referenceNumber: referenceNumber.describe(
    'The record that the note was written on: this one, or a merged one.',
  ),
  at: moment,
  by: adminName,
  isYours: z.boolean(),
  text: z.string().describe('Empty after the author has removed the note.'),
  changedAt: moment.nullable().describe('When the author last changed or removed the note.'),
  isRemoved: z.boolean(),
  mentions: z
    .array(z.object({ id: z.string(), username: z.string() }))
    .describe(
      'The active admins whom the note mentions. The text names each one as @username, in upper or lower case.',
    ),
  isUnread: z
    .boolean()
    .describe('Whether the note mentions the calling admin and that admin has not read it.'),
  versions: z
    .array(z.object({ at: moment, text: z.string() }))
    .describe('The earlier texts of the note, and when each was written, oldest first.'),
});

const attempt = z.object({
  at: moment,
  outcome: z.enum(ATTEMPT_OUTCOMES),
  error: z.string().nullable(),
  code: z.string().nullable(),
  recipient: z.string().describe('Masked.'),
});

const sharedFields = {
  referenceNumber,
  timeline: z
    .array(z.object({ at: moment, status: z.string(), note: z.string().nullable() }))
    .describe('What the applicant sees, oldest first.'),
  decisions: z
    .array(
      z.object({
        at: moment,
        by: adminName,
        decision: z
          .string()
          .describe('A status, or reopened; for a loan application also approve, refuse or contradicted.'),
        reason: z.string().nullable(),
      }),
    )
    .describe('Decisions and votes, oldest first.'),
  notes: z.array(recordNote).describe('Oldest first, including the notes of merged records.'),
  mergedInto: referenceNumber.nullable().describe('The record that this one is merged into.'),
  merged: z
    .array(z.object({ referenceNumber, at: moment, by: adminName }))
    .describe('The records that are merged into this one. Their notes, messages and documents are included.'),
  earlierAddresses: z
    .array(z.object({ email: z.string(), at: moment, by: adminName }))
    .describe('The applicant’s email addresses before they were corrected, oldest first.'),
  bounces: z
    .array(
      z.object({
        deliveryId: z.string(),
        event: z.string(),
        at: moment.nullable().describe('When the email failed permanently.'),
        reason: z.enum(Object.keys(BOUNCE_REASONS) as [BounceReason, ...BounceReason[]]),
        recipient: z.string().nullable().describe('Masked; null if sending was never attempted.'),
        error: z.string().nullable().describe('The message of the mail server.'),
      }),
    )
    .describe('The emails to the applicant that have failed permanently and are not settled, oldest first.'),
  deliveries: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      deliveryMethod: z.enum(DELIVERY_METHODS),
      audience: z.enum(['applicant', 'team']),
      state: z.enum(DELIVERY_STATES),
      createdAt: moment,
      nextAttemptAt: moment
        .nullable()
        .describe('Null once the delivery was sent, has failed permanently or is settled.'),
      finishedAt: moment.nullable(),
      attempts: z.array(attempt).describe('Oldest first.'),
    }),
  ),
};

const recordSchema = <Row extends Fields, Details extends Fields>({
  fields,
  details,
}: {
  readonly fields: Row;
  readonly details: Details;
}) => z.object({ ...fieldSchemas(fields), ...fieldSchemas(details) });

const walletCard = teamCard
  .nullable()
  .describe('The wallet’s card, or the most recently closed one. Null if the wallet never had a card.');

const walletNow = z
  .object({
    tier: z
      .enum([...CARD_TIERS, 'None'])
      .nullable()
      .describe('The tier of the wallet now; null if its stake cannot be read.'),
    staked: decimalText
      .nullable()
      .describe('BD that the wallet has staked now; null if that cannot be read.'),
  })
  .nullable()
  .describe('Null if the applicant gave no wallet.');

const requestRecord = recordSchema(ADMIN_LISTS['verification-requests']).extend({
  whitelistedTier: z
    .string()
    .nullable()
    .describe('The tier that the wallet is whitelisted for now, through any request.'),
  whitelistedThrough: referenceNumber
    .nullable()
    .describe('The request through which it is whitelisted; null if it is not whitelisted.'),
  card: walletCard,
  walletNow: walletNow.unwrap(),
});

const loanRecord = recordSchema(ADMIN_LISTS['loan-applications']).extend({
  documents: z
    .array(
      z.object({
        id: z.string().describe('Send it to the call that returns the document’s content.'),
        referenceNumber: referenceNumber.describe('The application: this one, or a merged one.'),
        kind: z.enum(LOAN_DOCUMENT_KINDS),
        fileName: z.string(),
        mediaType: z.string(),
        byteLength: count,
      }),
    )
    .describe('Empty after the documents have been deleted.'),
  votes: z
    .array(
      z.object({
        by: adminName,
        addedBy: adminName.nullable().describe('Who added this admin to the team.'),
        isYours: z.boolean(),
        decision: z.enum(LOAN_VOTES),
        reason: z.string().nullable(),
        at: moment,
      }),
    )
    .describe('The votes of admins who may still vote. Other votes do not count.'),
});

export const adminRecord = {
  method: 'GET',
  path: PATHS.adminRecord,
  summary: 'One record: its fields, timeline, decisions, notes and deliveries',
  access: 'viewer',
  query: z.strictObject({
    reference: z.string({ error: REFERENCE_ERROR }).regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR),
  }),
  response: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('card-application'),
      record: recordSchema(ADMIN_LISTS.applications).extend({ card: walletCard, walletNow }),
      ...sharedFields,
    }),
    z.object({
      kind: z.literal('contact-message'),
      record: recordSchema(ADMIN_LISTS.contacts),
      ...sharedFields,
    }),
    z.object({ kind: z.literal('verification-request'), record: requestRecord, ...sharedFields }),
    z.object({ kind: z.literal('loan-application'), record: loanRecord, ...sharedFields }),
  ]),
  errors: ['unknown-record'],
} as const satisfies Call;
