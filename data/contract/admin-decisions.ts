import { z } from 'zod';
import { LOAN_VOTES, LONGEST_REVIEW_TEXT } from '../model/record-review.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import { APPLICATION_STATUSES, LOAN_STATUSES, REQUEST_STATUSES } from '../model/submission-status.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import { CHANGED_AT_WORDS, moment, referenceNumber, writeErrors } from './admin-lists.ts';
import { recordNote } from './admin-record.ts';
import type { Call } from './call.ts';
import { lines, optionalLines } from './form-fields.ts';

const REFERENCE = 'Give the record as referenceNumber, such as BD-20260102-123456.';
const REASON_NEEDED = 'Give the reason of the refusal: the applicant is told it.';
const CHANGED_AT =
  'Give changedAt as the record has it, so that nothing is decided on what another one has changed.';

const decided = {
  referenceNumber: z.string({ error: REFERENCE }).regex(REFERENCE_NUMBER, REFERENCE),
  changedAt: z.iso.datetime({ error: CHANGED_AT }).describe(CHANGED_AT_WORDS),
};

/** The reason is told to the applicant. */
const reason = optionalLines({ what: 'the reason', atMost: LONGEST_REVIEW_TEXT.reason });

function needsReason<Value extends { readonly reason?: string | null | undefined }>(
  isRefusal: (value: Value) => boolean,
) {
  return ({ value, issues }: { value: Value; issues: z.core.$ZodRawIssue[] }): void => {
    if (isRefusal(value) && !value.reason) {
      issues.push({ code: 'custom', message: REASON_NEEDED, path: ['reason'], input: value });
    }
  };
}

const decisionErrors = {
  ...writeErrors,
  404: 'There is no such record.',
  409: 'Another admin was faster, or the record cannot go there from where it stands: the text says who decided what and when. Nothing was changed.',
};

const changed = {
  success: z.literal(true),
  referenceNumber,
  changedAt: moment.describe(CHANGED_AT_WORDS),
};

export const decideApplication = {
  method: 'POST',
  path: '/api/admin/applications/decide',
  summary: 'Moves a card application on; the applicant is written to when it is approved or refused',
  access: 'reviewer',
  body: z
    .strictObject({
      ...decided,
      decision: z.enum(['in-review', 'approved', 'refused', 'card-issued'], {
        error: 'Set decision to in-review, approved, refused or card-issued.',
      }),
      reason,
    })
    .check(needsReason(({ decision }) => decision === 'refused')),
  response: z.object({ ...changed, status: z.enum(APPLICATION_STATUSES) }),
  errors: decisionErrors,
  live: false,
} as const satisfies Call;

export const decideRequest = {
  method: 'POST',
  path: '/api/admin/verification-requests/decide',
  summary:
    'Approves a request for manual verification, which whitelists the wallet, or refuses it; the sender is written to',
  access: 'reviewer',
  body: z.discriminatedUnion(
    'decision',
    [
      z.strictObject({
        ...decided,
        decision: z.literal('approved'),
        tier: z
          .enum(CARD_TIERS, { error: `Set tier to one of ${CARD_TIERS.join(', ')}.` })
          .describe('The card tier that the wallet is admitted to.'),
        reason,
      }),
      z.strictObject({
        ...decided,
        decision: z.literal('refused'),
        reason: lines({
          what: 'the reason',
          atMost: LONGEST_REVIEW_TEXT.reason,
          words: REASON_NEEDED,
        }),
      }),
    ],
    { error: 'Set decision to approved or refused.' },
  ),
  response: z.object({ ...changed, status: z.enum(REQUEST_STATUSES) }),
  errors: decisionErrors,
  live: false,
} as const satisfies Call;

export const voteOnLoan = {
  method: 'POST',
  path: '/api/admin/loan-applications/vote',
  summary:
    'Votes on a loan application: it is decided once two admins say the same, and the applicant is written to',
  access: 'reviewer',
  body: z
    .strictObject({
      ...decided,
      vote: z.enum(LOAN_VOTES, { error: 'Set vote to approve or refuse.' }),
      reason,
    })
    .check(needsReason(({ vote }) => vote === 'refuse')),
  response: z.object({
    ...changed,
    status: z.enum(LOAN_STATUSES),
    outcome: z
      .enum(['waiting', 'decided', 'contradicted'])
      .describe(
        'waiting: a second admin has to agree. contradicted: another admin had said the opposite, so no vote stands any more and both may vote again.',
      ),
  }),
  errors: decisionErrors,
  live: false,
} as const satisfies Call;

export const addNote = {
  method: 'POST',
  path: '/api/admin/notes/add',
  summary: 'Adds a note of the team to a record; its sender never sees it',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: decided.referenceNumber,
    text: lines({ what: 'the note', atMost: LONGEST_REVIEW_TEXT.note }),
  }),
  response: z.object({ success: z.literal(true), note: recordNote }),
  errors: { ...writeErrors, 404: 'There is no such record.' },
  live: false,
} as const satisfies Call;

const DELIVERY = 'Give the delivery as deliveryId, as the delivery log names it.';

export const retryDelivery = {
  method: 'POST',
  path: '/api/admin/deliveries/retry',
  summary: 'Queues a delivery again that was given up',
  access: 'reviewer',
  body: z.strictObject({ deliveryId: z.uuid({ error: DELIVERY }) }),
  response: z.object({ success: z.literal(true), deliveryId: z.string(), state: z.literal('waiting') }),
  errors: {
    ...writeErrors,
    404: 'There is no such delivery.',
    409: 'It was not given up: it is waiting, under way, or sent. Nothing was changed.',
  },
  live: false,
} as const satisfies Call;
