import { z } from 'zod';
import * as mini from 'zod/mini';
import { BOUNCE_REASONS, type BounceReason } from '../model/bounces.ts';
import { isCountry } from '../model/countries.ts';
import { CARD_FORM_BODY, OVERLAY_FORM, TEST_PAGE_FIELDS } from '../model/forms/card-forms.ts';
import { CONTACT_FORM } from '../model/forms/contact-form.ts';
import { fieldError } from '../model/forms/field.ts';
import { LOAN_FORM } from '../model/forms/loan-form.ts';
import { STATUS_FORM } from '../model/forms/status-form.ts';
import { REQUEST_BODY, REQUEST_FORM, SHORT_REQUEST_VALUES } from '../model/forms/verification-forms.ts';
import {
  APPLICATION_STATUSES,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  shownStatuses,
  TRACKABLE_KINDS,
} from '../model/submission-status.ts';
import type { Call } from './call.ts';
import type { ErrorCode } from './errors.ts';
import { shapeOf, textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { moment, referenceNumber } from './provenance.ts';

/** A hidden field that only bots fill in. */
const website = z.string().max(300).optional().describe('Must be absent or empty.');

const submissionResponse = z.object({ success: z.literal(true), referenceNumber });

const SUBMISSION_ERRORS = [
  'automated-form',
  'invalid-idempotency-key',
  'idempotency-key-reused',
] as const satisfies readonly ErrorCode[];

// The values as the applicant's page sends them. No decision depends on this tier or amount, because the portal reads the stake
// itself.
const wallet = textSchema({ kind: 'wallet', label: 'Wallet', hint: 'A Solana address in base58.' });
const tier = textSchema({
  kind: 'line',
  label: 'Tier, according to the page',
  maxLength: 20,
  optional: true,
});
const amount = z.union(
  [
    z.number().nonnegative(),
    textSchema({ kind: 'amount', label: 'BD, according to the page', maxLength: 40, optional: true }),
  ],
  { error: 'Enter the BD amount as a number, or as a string of at most 40 characters.' },
);

export const overlayApplication = z.strictObject({
  ...shapeOf(OVERLAY_FORM.fields),
  walletAddress: z.nullish(wallet),
  tier: z.nullish(tier),
  bdAmount: amount.nullish(),
  website,
});

export const testPageApplication = z.strictObject({
  ...shapeOf(TEST_PAGE_FIELDS),
  wallet,
  bd_amount: amount,
  tier,
  website,
});

/** Sent by the form at `/polished-card`. */
export const formApplication = z.strictObject({
  ...shapeOf(CARD_FORM_BODY),
  wallet,
  bd_amount: amount,
  tier,
  website,
});

export const submitApplication = {
  method: 'POST',
  path: PATHS.submitApplication,
  summary: 'Applies for a card, from the overlay or the test page',
  usesWalletSession: true,
  body: z.union([overlayApplication, testPageApplication]),
  response: submissionResponse,
  errors: SUBMISSION_ERRORS,
} as const satisfies Call;

export const submitApplicationV2 = {
  method: 'POST',
  path: PATHS.submitApplicationV2,
  summary: 'Applies for a card, from the application form',
  usesWalletSession: true,
  body: formApplication,
  response: submissionResponse.extend({
    deliveryMethods: z
      .array(z.enum(['email', 'telegram']))
      .describe(
        'How the application is delivered: by email to the applicant and the team, by Telegram to the team.',
      ),
  }),
  errors: SUBMISSION_ERRORS,
} as const satisfies Call;

export const requestVerification = {
  method: 'POST',
  path: PATHS.requestVerification,
  summary: 'Requests manual verification of a stake that the portal did not find',
  usesWalletSession: true,
  body: z
    .strictObject({
      ...shapeOf(REQUEST_BODY),
      requestedAt: z.iso
        .datetime({ offset: true, error: 'Set requestedAt to the time of the request, in ISO 8601.' })
        .describe('ISO 8601.'),
      website,
    })
    .check(({ value: { requestReason, claimedStakedAmount }, issues }) => {
      if (claimedStakedAmount === SHORT_REQUEST_VALUES.claimedStakedAmount) return;
      const { message } = fieldError(REQUEST_FORM.fields.requestReason, requestReason) ?? {};
      if (message) issues.push({ code: 'custom', message, path: ['requestReason'], input: requestReason });
    }),
  response: submissionResponse,
  errors: SUBMISSION_ERRORS,
} as const satisfies Call;

const status = z.enum(shownStatuses([...APPLICATION_STATUSES, ...REQUEST_STATUSES, ...LOAN_STATUSES]));

/** Identifies a submission. With a valid `proof`, also proves that the caller controls the applicant's mailbox. */
export const submissionKey = z.strictObject({
  ...shapeOf(STATUS_FORM.fields),
  proof: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The token from the link in an email to the applicant. It proves the mailbox. A wrong one proves nothing.',
    ),
});

export const applicationStatus = {
  method: 'POST',
  path: PATHS.applicationStatus,
  summary: 'The status of a submission, by its reference number and email address',
  body: submissionKey,
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    kind: z.enum(TRACKABLE_KINDS),
    status: status.describe('The current status.'),
    timeline: z
      .array(
        z.object({
          at: moment,
          status,
          note: z
            .string()
            .nullable()
            .describe(
              'The team’s reason for the applicant. Null if there is none, or if neither the mailbox nor the wallet is proven.',
            ),
        }),
      )
      .min(1)
      .describe('What happened, oldest first.'),
    proven: z
      .object({
        by: z.enum(['mailbox', 'wallet']).describe('wallet: the session is of the wallet in the submission.'),
        decision: z
          .object({
            at: moment,
            reason: z.string().nullable().describe('The team’s reason for the applicant, or null.'),
            tier: z.string().nullable().describe('The tier that the wallet is whitelisted for, or null.'),
          })
          .nullable()
          .describe('Null while there is no decision.'),
        mail: z
          .object({
            state: z
              .enum(['sent', 'waiting', 'bounced', 'unsent'])
              .describe(
                'unsent: the portal failed to send the email. The team sees it and can send it again.',
              ),
            reason: z
              .enum(Object.keys(BOUNCE_REASONS) as [BounceReason, ...BounceReason[]])
              .exclude(['not-sent'])
              .nullable()
              .describe('Why the email bounced.'),
          })
          .nullable()
          .describe('The newest email about the submission; null if there is none.'),
      })
      .nullable()
      .describe('What only the applicant may read. Null unless the mailbox or the wallet is proven.'),
  }),
  errors: ['unknown-submission'],
} as const satisfies Call;

export const submitContactMessage = {
  method: 'POST',
  path: PATHS.submitContactMessage,
  summary: 'Sends a message to support',
  body: z.strictObject({ ...shapeOf(CONTACT_FORM.fields), website }),
  response: submissionResponse,
  errors: SUBMISSION_ERRORS,
} as const satisfies Call;

const { country, ...shapeWithoutCountry } = shapeOf(LOAN_FORM.fields);
const { passportCopy, utilityBill, country: countryField } = LOAN_FORM.fields;

export const applyForLoan = {
  method: 'POST',
  path: PATHS.applyForLoan,
  summary: 'Applies for the convertible loan note, with two documents',
  body: z.strictObject({
    ...shapeWithoutCountry,
    country: country.check(mini.refine(isCountry, countryField.missing)),
    referenceNumber: z
      .string()
      .max(64)
      .optional()
      .describe(
        'A proposed reference number, BD-YYYYMMDD-NNNNNN. The response has the final one, which may differ.',
      ),
    website,
  }),
  files: { passportCopy: passportCopy.label.toLowerCase(), utilityBill: utilityBill.label.toLowerCase() },
  response: submissionResponse,
  errors: SUBMISSION_ERRORS,
} as const satisfies Call;

export const confirmMailbox = {
  method: 'POST',
  path: PATHS.confirmMailbox,
  summary: 'Confirms the email address of a loan application, so that its documents are kept',
  body: z.strictObject({
    token: z
      .string()
      .regex(/^[\w-]{43}$/, { error: 'Set `token` to the token in the link from the confirmation email.' })
      .describe('The token in the link from the confirmation email.'),
  }),
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    isFirst: z.boolean().describe('False if the email address was already confirmed.'),
  }),
  errors: ['unknown-confirmation', 'confirmation-expired'],
} as const satisfies Call;
