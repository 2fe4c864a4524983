import { z } from 'zod';
import { APPROVAL_WARNINGS, type ApprovalWarning } from '../model/approval-warnings.ts';
import { BULK_OUTCOMES, MAX_BULK } from '../model/bulk.ts';
import { CONTACT_DECISIONS, LOAN_VOTES, MAX_REVIEW_TEXT_LENGTH } from '../model/submission-status.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import { requireReasonIf, seenRecord } from './admin-decisions.ts';
import { adminId } from './admin-session.ts';
import { assigneeError } from './admin-work.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, referenceNumber } from './provenance.ts';

const TIER_ERROR = `Set tier to one of ${CARD_TIERS.join(', ')}.`;
const RECORDS_ERROR = `Set records to a list of 1 to ${MAX_BULK} different records.`;

const sharedFields = {
  isPreview: z
    .boolean({ error: 'Set isPreview to true or false.' })
    .describe('true: changes nothing. The response says what would change.'),
  records: z
    .array(
      z.strictObject({
        ...seenRecord,
        assigneeId: z
          .uuid({ error: 'Set assigneeId to the value that you read from the record.' })
          .nullable()
          .describe('The assignee that the admin saw.'),
      }),
      { error: RECORDS_ERROR },
    )
    .min(1, RECORDS_ERROR)
    .max(MAX_BULK, RECORDS_ERROR)
    .refine(
      (records) => new Set(records.map((one) => one.referenceNumber)).size === records.length,
      RECORDS_ERROR,
    )
    .describe('The records as the admin saw them. Records that have changed since then are left out.'),
};

/** The reason, stored with each record. Applicants can see it, except on contact messages, where only the team can. */
const reason = z.nullish(
  textSchema({ kind: 'lines', label: 'Reason', maxLength: MAX_REVIEW_TEXT_LENGTH.reason, optional: true }),
);

const action = z.discriminatedUnion(
  'action',
  [
    z.strictObject({
      ...sharedFields,
      action: z.literal('assign'),
      assignTo: z.uuid({ error: assigneeError('assignTo') }).nullable(),
    }),
    z.strictObject({
      ...sharedFields,
      action: z.literal('move-contacts'),
      status: z.enum(CONTACT_DECISIONS, { error: `Set status to one of ${CONTACT_DECISIONS.join(', ')}.` }),
      reason,
    }),
    z
      .strictObject({
        ...sharedFields,
        action: z.literal('decide-applications'),
        decision: z.enum(['in-review', 'approved', 'refused', 'card-issued'], {
          error: 'Set decision to in-review, approved, refused or card-issued.',
        }),
        reason,
      })
      .check(requireReasonIf(({ decision }) => decision === 'refused')),
    z
      .strictObject({
        ...sharedFields,
        action: z.literal('decide-requests'),
        decision: z.enum(['approved', 'refused'], { error: 'Set decision to approved or refused.' }),
        tier: z
          .enum(CARD_TIERS, { error: TIER_ERROR })
          .nullish()
          .describe('Needed for an approval: the card tier to whitelist the wallets for.'),
        reason,
      })
      .check(requireReasonIf(({ decision }) => decision === 'refused'))
      .check(({ value, issues }) => {
        if (value.decision === 'approved' && !value.tier)
          issues.push({ code: 'custom', message: TIER_ERROR, path: ['tier'], input: value });
      }),
    z
      .strictObject({
        ...sharedFields,
        action: z.literal('vote-on-loans'),
        vote: z.enum(LOAN_VOTES, { error: 'Set vote to approve or refuse.' }),
        reason,
      })
      .check(requireReasonIf(({ vote }) => vote === 'refuse')),
  ],
  { error: 'Set action to assign, move-contacts, decide-applications, decide-requests or vote-on-loans.' },
);

export const changeRecords = {
  method: 'POST',
  path: PATHS.changeRecords,
  summary:
    'Changes many records at once, as the calls for single records do, or previews the changes. Skips records with warnings about their approval',
  access: 'reviewer',
  body: action,
  response: z.object({
    success: z.literal(true),
    changed: count.describe('The number of records that were changed, or would be.'),
    records: z.array(
      z.object({
        referenceNumber,
        outcome: z
          .enum(BULK_OUTCOMES)
          .describe(
            'ready: it would be changed. done: it was changed. unchanged: it is already in this state. changed: it changed since the admin saw it. unknown: there is no such record; it may have been deleted. other-kind: the action is for records of another kind. closed: its status does not allow the action. warned: there are warnings about its approval. voted: the admin already voted on it. contradicts: another admin voted the opposite way. reason-needed: a reason is missing. failed: an error prevented it.',
          ),
        status: z
          .string()
          .nullable()
          .describe('The record’s new status; its current status if the record is left out.'),
        assigneeId: adminId
          .nullable()
          .describe('The record’s new assignee; its current assignee if the record is left out.'),
        warnings: z.array(z.enum(Object.keys(APPROVAL_WARNINGS) as ApprovalWarning[])),
      }),
    ),
  }),
  errors: ['no-such-reviewer', 'account-too-new'],
} as const satisfies Call;
