import { z } from 'zod';
import { aliasFault, FIELD_WORDS, LONGEST, phoneFault, reasonFault } from '../model/application-rules.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import { APPLICATION_STATUSES, FOLLOWED_KINDS, REQUEST_STATUSES } from '../model/submission-status.ts';
import type { Call } from './call.ts';
import { line, lines, mailAddress, optionalLine, optionalLines } from './form-fields.ts';
import { ADDRESS } from './provenance.ts';

/** The request header by which a form that is sent again is known as the same. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

const referenceNumber = z.string().regex(REFERENCE_NUMBER).describe('BD-YYYYMMDD-NNNNNN.');

const wallet = z
  .string({ error: FIELD_WORDS.walletAddress })
  .regex(ADDRESS, FIELD_WORDS.walletAddress)
  .describe('The wallet, as a Solana address in base58.');

const amount = z
  .union([z.number().nonnegative(), line({ what: 'the BD amount', atMost: LONGEST.amount, atLeast: 0 })], {
    error: 'Give the BD amount as a number, or as a text of 40 characters at most.',
  })
  .describe('BD as the page states it. Nothing is decided by it: the portal reads the stake itself.');
const tier = line({ what: 'the tier', atMost: LONGEST.tier, atLeast: 0 }).describe(
  'The tier as the page states it. Nothing is decided by it.',
);
const notes = optionalLines({ what: 'the notes', atMost: LONGEST.notes });
const name = line({ what: 'the name', atMost: LONGEST.name, words: 'Give the full legal name.' });
const email = mailAddress(FIELD_WORDS.email);

/** A field that people do not see, so that what fills it in is a program. */
const website = z.string().max(300).optional().describe('Leave it out, or empty.');

/** The application of the overlay. */
export const overlayApplication = z.strictObject({
  cardAlias: line({ what: 'the card alias', atMost: LONGEST.cardAlias }),
  fullName: name,
  email,
  telegram: line({ what: 'the Telegram account', atMost: LONGEST.telegram }),
  notes,
  walletAddress: wallet.nullish(),
  tier: tier.nullish(),
  bdAmount: amount.nullish(),
  website,
});

/** The application of the test page. */
export const testPageApplication = z.strictObject({
  name,
  email,
  wallet,
  bd_amount: amount,
  tier,
  telegram: optionalLine({ what: 'the Telegram account', atMost: LONGEST.telegram }),
  alias: optionalLine({ what: 'the card alias', atMost: LONGEST.cardAlias }),
  notes,
  website,
});

/** The application of the form at `/polished-card`. */
export const formApplication = z.strictObject({
  name,
  email,
  wallet,
  bd_amount: amount,
  tier,
  phone: line({ what: 'the phone number', atMost: LONGEST.phone, words: FIELD_WORDS.phoneNumber }).refine(
    (phone) => phoneFault(phone) === null,
    { error: FIELD_WORDS.phoneNumber },
  ),
  alias: line({ what: 'the alias', atMost: LONGEST.cardAlias, words: FIELD_WORDS.aliasTooShort }).check(
    ({ value, issues }) => {
      const fault = aliasFault(value);
      if (fault !== null) issues.push({ code: 'custom', message: fault, input: value });
    },
  ),
  website,
});

const submissionErrors = {
  400: 'A field is missing, unknown or no value that the form takes; nothing was stored.',
  403: 'A page of another site sent it.',
  413: 'The body is too large.',
  422: `The ${IDEMPOTENCY_HEADER} was used for another body.`,
  429: 'Too many submissions from this address, or with this mail address.',
};

export const submitApplication = {
  method: 'POST',
  path: '/api/card/submit-application',
  summary: 'Applies for a card, from the overlay or the test page',
  body: z.union([overlayApplication, testPageApplication]),
  response: z.object({ success: z.literal(true), referenceNumber }),
  errors: submissionErrors,
  live: false,
} as const satisfies Call;

export const submitApplicationV2 = {
  method: 'POST',
  path: '/api/card/submit-application-v2',
  summary: 'Applies for a card, from the application form',
  body: formApplication,
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    deliveryMethods: z
      .array(z.enum(['email', 'telegram']))
      .describe('How it is passed on: by mail to the applicant and the team, by Telegram to the team.'),
  }),
  errors: submissionErrors,
  live: false,
} as const satisfies Call;

export const requestVerification = {
  method: 'POST',
  path: '/api/whitelist/request-verification',
  summary: 'Asks the team to verify a stake that the portal did not find',
  body: z
    .strictObject({
      walletAddress: wallet,
      userEmail: mailAddress(FIELD_WORDS.userEmail),
      userTelegram: optionalLine({ what: 'the Telegram username', atMost: LONGEST.telegram }),
      claimedStakedAmount: line({
        what: 'the amount you have staked',
        atMost: LONGEST.claimedAmount,
        words: FIELD_WORDS.claimedStakedAmount,
      }),
      requestReason: lines({
        what: 'the reason',
        // What the short form took for evidence is sent as the reason too.
        atMost: LONGEST.evidence,
        words: FIELD_WORDS.requestReason,
      }),
      evidenceProvided: optionalLines({ what: 'the evidence', atMost: LONGEST.evidence }),
      currentDetection: line({
        what: 'the detection',
        atMost: LONGEST.detection,
        words: 'Give what was detected as currentDetection.',
      }),
      requestedAt: z.iso
        .datetime({ offset: true, error: 'Give the time of the request as requestedAt, in ISO 8601.' })
        .describe('ISO 8601.'),
      website,
    })
    .check(({ value, issues }) => {
      const fault = reasonFault(value.requestReason, value.claimedStakedAmount);
      if (fault !== null) {
        issues.push({ code: 'custom', message: fault, path: ['requestReason'], input: value });
      }
    }),
  response: z.object({ success: z.literal(true), referenceNumber }),
  errors: submissionErrors,
  live: false,
} as const satisfies Call;

export const applicationStatus = {
  method: 'POST',
  path: '/api/card/application-status',
  summary: 'Where an application or a request stands, for who knows its reference number and mail address',
  body: z.strictObject({
    referenceNumber: z
      .string({ error: 'Give the reference number, such as BD-20260102-123456.' })
      .max(64, 'Give the reference number, such as BD-20260102-123456.')
      .trim()
      .toUpperCase()
      .regex(REFERENCE_NUMBER, 'Give the reference number, such as BD-20260102-123456.'),
    email,
  }),
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    kind: z.enum(FOLLOWED_KINDS),
    status: z.enum([...APPLICATION_STATUSES, ...REQUEST_STATUSES]).describe('Where it stands now.'),
    timeline: z
      .array(
        z.object({
          at: z.iso.datetime(),
          status: z.enum([...APPLICATION_STATUSES, ...REQUEST_STATUSES]),
          note: z.string().nullable().describe('Words of the team; null where the status says it all.'),
        }),
      )
      .min(1)
      .describe('What happened, oldest first.'),
  }),
  errors: {
    400: 'The reference number or the mail address is missing or malformed.',
    403: 'A page of another site sent it.',
    404: 'There is no submission of this reference number and mail address: which of them is wrong is not told.',
    413: 'The body is too large.',
    429: 'Too many looks from this address, or with this mail address.',
  },
  live: false,
} as const satisfies Call;
