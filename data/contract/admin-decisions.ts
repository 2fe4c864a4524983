import { z } from 'zod';
import { CHANGED_AT_DESCRIPTION } from '../model/admin-lists.ts';
import { APPROVAL_WARNINGS, type ApprovalWarning } from '../model/approval-warnings.ts';
import { MAX_BULK } from '../model/bulk.ts';
import { MAX_MENTIONS } from '../model/mentions.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import {
  APPLICATION_STATUSES,
  LOAN_STATUSES,
  LOAN_VOTES,
  MAX_REVIEW_TEXT_LENGTH,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
} from '../model/submission-status.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import { UNDO_MS } from '../model/undo.ts';
import { recordNote } from './admin-record.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

const REFERENCE_ERROR = 'Set referenceNumber to the record’s reference number, such as BD-20260102-123456.';
const REASON_NEEDED = 'Enter the reason. The applicant will see it.';
const CHANGED_AT_ERROR = 'Set changedAt to the value that you read from the record.';

/** The record that a decision is about. `changedAt` identifies the version of the record that the admin saw. */
export const seenRecord = {
  referenceNumber: z.string({ error: REFERENCE_ERROR }).regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR),
  changedAt: z.iso.datetime({ error: CHANGED_AT_ERROR }).describe(CHANGED_AT_DESCRIPTION),
};

/** Shown to the applicant. */
const reason = z.nullish(
  textSchema({ kind: 'lines', label: 'Reason', maxLength: MAX_REVIEW_TEXT_LENGTH.reason, optional: true }),
);

const despite = z
  .strictObject({
    warnings: z
      .array(z.enum(Object.keys(APPROVAL_WARNINGS) as ApprovalWarning[]))
      .max(Object.keys(APPROVAL_WARNINGS).length)
      .describe('The warnings that the admin read. The approval is refused if there is any other warning.'),
    reason: textSchema({
      kind: 'lines',
      label: 'Reason',
      maxLength: MAX_REVIEW_TEXT_LENGTH.despite,
      missing: 'Enter the reason. It is kept in the audit trail.',
    }),
  })
  .nullish()
  .describe('Needed if there are warnings about the approval. Kept in the audit trail.');

export function requireReasonIf<Value extends { readonly reason?: string | null | undefined }>(
  isRefusal: (value: Value) => boolean,
) {
  return ({ value, issues }: { value: Value; issues: z.core.$ZodRawIssue[] }): void => {
    if (isRefusal(value) && !value.reason) {
      issues.push({ code: 'custom', message: REASON_NEEDED, path: ['reason'], input: value });
    }
  };
}

const sharedResponseFields = {
  success: z.literal(true),
  referenceNumber,
  changedAt: moment.describe(CHANGED_AT_DESCRIPTION),
};

export const decideApplication = {
  method: 'POST',
  path: PATHS.decideApplication,
  summary:
    'Changes the status of a card application. The applicant is notified by email of an approval or a refusal',
  access: 'reviewer',
  body: z
    .strictObject({
      ...seenRecord,
      decision: z.enum(['in-review', 'approved', 'refused', 'card-issued'], {
        error: 'Set decision to in-review, approved, refused or card-issued.',
      }),
      reason,
      despite,
    })
    .check(requireReasonIf(({ decision }) => decision === 'refused')),
  response: z.object({ ...sharedResponseFields, status: z.enum(APPLICATION_STATUSES) }),
  errors: ['unknown-record', 'record-changed', 'record-closed', 'approval-warned', 'reason-names-person'],
} as const satisfies Call;

export const decideRequest = {
  method: 'POST',
  path: PATHS.decideRequest,
  summary:
    'Approves or refuses a request for manual verification, or withdraws the whitelisting that an approval gave. The applicant is notified by email',
  access: 'reviewer',
  body: z.discriminatedUnion(
    'decision',
    [
      z.strictObject({
        ...seenRecord,
        decision: z.literal('approved'),
        tier: z
          .enum(CARD_TIERS, { error: `Set tier to one of ${CARD_TIERS.join(', ')}.` })
          .describe('The card tier to whitelist the wallet for.'),
        reason,
        despite,
      }),
      z.strictObject({
        ...seenRecord,
        decision: z.enum(['refused', 'withdrawn']),
        reason: textSchema({
          kind: 'lines',
          label: 'Reason',
          maxLength: MAX_REVIEW_TEXT_LENGTH.reason,
          missing: REASON_NEEDED,
        }),
      }),
    ],
    { error: 'Set decision to approved, refused or withdrawn.' },
  ),
  response: z.object({ ...sharedResponseFields, status: z.enum(REQUEST_STATUSES) }),
  errors: ['unknown-record', 'record-changed', 'record-closed', 'approval-warned', 'reason-names-person'],
} as const satisfies Call;

export const voteOnLoan = {
  method: 'POST',
  path: PATHS.voteOnLoan,
  summary: 'Votes on a loan application. Two matching votes decide it. The applicant is notified by email',
  access: 'reviewer',
  body: z
    .strictObject({
      ...seenRecord,
      vote: z.enum(LOAN_VOTES, { error: 'Set vote to approve or refuse.' }),
      reason,
      despite,
    })
    .check(requireReasonIf(({ vote }) => vote === 'refuse')),
  response: z.object({
    ...sharedResponseFields,
    status: z.enum(LOAN_STATUSES),
    outcome: z
      .enum(['waiting', 'decided', 'contradicted'])
      .describe(
        'waiting: one more matching vote is needed. contradicted: another admin had voted the opposite way, so both votes were cleared.',
      ),
  }),
  errors: [
    'unknown-record',
    'record-changed',
    'record-closed',
    'approval-warned',
    'reason-names-person',
    'account-too-new',
  ],
} as const satisfies Call;

export const reopenRecord = {
  method: 'POST',
  path: PATHS.reopenRecord,
  summary:
    'Reopens a decided record of any kind. The votes on a loan application are cleared, and a withdrawn whitelisting stays withdrawn. Only the team can see the reason. No email is sent',
  access: 'reviewer',
  body: z.strictObject({
    ...seenRecord,
    reason: textSchema({
      kind: 'lines',
      label: 'Reason',
      maxLength: MAX_REVIEW_TEXT_LENGTH.reason,
      missing: 'Enter the reason.',
    }),
  }),
  response: z.object({
    ...sharedResponseFields,
    status: z.string().describe('The new status. Each kind of record has its own statuses.'),
  }),
  errors: ['unknown-record', 'record-changed', 'record-closed', 'reason-needed'],
} as const satisfies Call;

export const openUndos = {
  method: 'GET',
  path: PATHS.openUndos,
  summary: `The admin’s own decisions that can still be undone, newest first. A decision can be undone for ${UNDO_MS / 1_000} seconds`,
  access: 'reviewer',
  response: z.object({
    undos: z.array(
      z.object({
        referenceNumber,
        kind: z.enum(SUBMISSION_KINDS),
        status: z.string().describe('The record’s status after the decision.'),
        changedAt: moment.describe(CHANGED_AT_DESCRIPTION),
        until: moment,
        remainingMs: count.describe('Milliseconds from now to `until`, by the clock of the server.'),
      }),
    ),
  }),
} as const satisfies Call;

export const undoDecision = {
  method: 'POST',
  path: PATHS.undoDecision,
  summary:
    'Undoes the admin’s own last decision on a record, and removes the emails that it queued. Withdrawing a whitelisting cannot be undone, because it takes effect at once',
  access: 'reviewer',
  body: z.strictObject(seenRecord),
  response: z.object({
    ...sharedResponseFields,
    status: z.string().describe('The status that the record had before the decision.'),
  }),
  errors: ['unknown-record', 'record-changed', 'undo-over', 'undo-sent'],
} as const satisfies Call;

const UNDO_RECORDS_ERROR = `Set records to a list of 1 to ${MAX_BULK} different records.`;

export const undoDecisions = {
  method: 'POST',
  path: PATHS.undoDecisions,
  summary:
    'Undoes the admin’s own last decisions on several records. Each is undone as in the call for a single record',
  access: 'reviewer',
  body: z.strictObject({
    records: z
      .array(z.strictObject(seenRecord), { error: UNDO_RECORDS_ERROR })
      .min(1, UNDO_RECORDS_ERROR)
      .max(MAX_BULK, UNDO_RECORDS_ERROR)
      .refine(
        (records) => new Set(records.map((one) => one.referenceNumber)).size === records.length,
        UNDO_RECORDS_ERROR,
      ),
  }),
  response: z.object({
    success: z.literal(true),
    undone: count.describe('The number of decisions that were undone.'),
    records: z.array(
      z.object({
        referenceNumber,
        outcome: z
          .enum(['undone', 'unknown', 'changed', 'over', 'sent', 'failed'])
          .describe(
            'unknown: the record was deleted. changed: it changed since the decision. over: the time to undo it is over. sent: a message about the decision was sent, or a card was ordered. failed: an error prevented it.',
          ),
      }),
    ),
  }),
} as const satisfies Call;

const mentions = z
  .optional(
    z
      .array(z.uuid({ error: 'Set mentions to the ids of admins.' }), {
        error: 'Set mentions to a list of ids.',
      })
      .max(MAX_MENTIONS, `Mention at most ${MAX_MENTIONS} admins.`),
  )
  .describe(
    `The ids of the admins whom the note mentions, from GET ${PATHS.mentionableAdmins}. The text names each one as @username. Each of them, except the author, sees the note in the list of mentions and gets an email.`,
  );

export const addNote = {
  method: 'POST',
  path: PATHS.addNote,
  summary: 'Adds a note to a record. Only the team can see it',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: seenRecord.referenceNumber,
    text: textSchema({ kind: 'lines', label: 'Note', maxLength: MAX_REVIEW_TEXT_LENGTH.note }),
    mentions,
  }),
  response: z.object({ success: z.literal(true), note: recordNote }),
  errors: ['unknown-record', 'not-mentionable'],
} as const satisfies Call;

const NOTE_ERROR = 'Set noteId to the id of one of the record’s notes.';

export const changeNote = {
  method: 'POST',
  path: PATHS.changeNote,
  summary: 'Changes or removes the admin’s own note. The earlier text can still be read',
  access: 'reviewer',
  body: z.strictObject({
    noteId: z.uuid({ error: NOTE_ERROR }),
    seen: z
      .string({ error: 'Set seen to the text that you read.' })
      .max(MAX_REVIEW_TEXT_LENGTH.note)
      .describe('The current text. The change is refused if the note now has a different text.'),
    text: z
      .nullable(textSchema({ kind: 'lines', label: 'Note', maxLength: MAX_REVIEW_TEXT_LENGTH.note }))
      .describe('Null removes the note.'),
    mentions: mentions.describe(
      'All admins whom the changed note mentions, as in a new note. Other mentions are withdrawn. Only admins whom the note did not mention before get an email.',
    ),
  }),
  response: z.object({ success: z.literal(true) }),
  errors: ['unknown-note', 'not-your-note', 'note-changed', 'not-mentionable'],
} as const satisfies Call;

const DELIVERY_ERROR = 'Set deliveryId to an id from the delivery log.';

export const retryDelivery = {
  method: 'POST',
  path: PATHS.retryDelivery,
  summary: 'Queues a failed delivery again',
  access: 'reviewer',
  body: z.strictObject({ deliveryId: z.uuid({ error: DELIVERY_ERROR }) }),
  response: z.object({ success: z.literal(true), deliveryId: z.string(), state: z.literal('waiting') }),
  errors: ['unknown-delivery', 'delivery-not-dead'],
} as const satisfies Call;
