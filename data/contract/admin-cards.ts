import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { CARD_DECISIONS, MAX_REVIEW_TEXT_LENGTH } from '../model/submission-status.ts';
import { ownPassword, PASSWORD_ERRORS } from './admin-session.ts';
import type { Call } from './call.ts';
import { cardIdBody, cardSummary, ISSUER_ERRORS } from './cards.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

export const teamCard = cardSummary
  .pick({
    cardId: true,
    state: true,
    tier: true,
    lastFour: true,
    isTestCard: true,
    createdAt: true,
    limits: true,
  })
  .extend({
    changedAt: moment.describe('When the card last changed. Send this time with a decision.'),
    stakeGoneAt: moment
      .nullable()
      .describe(
        'When the wallet was found without a sufficient stake; null while it has one or is whitelisted.',
      ),
    closesAt: cardSummary.shape.closesAt,
    frozenByTeamAt: moment
      .nullable()
      .describe('When the team froze the card, or when a card that the issuer had frozen was closed.'),
    closedByTeamAt: moment
      .nullable()
      .describe(
        'When a second admin confirmed the closure. Until `state` is closed, the issuer has not closed the card yet.',
      ),
    cardholder: z
      .union([
        z.object({
          firstName: z.string(),
          lastName: z.string(),
          dateOfBirth: z.string(),
          email: z.string(),
          phone: z.string(),
          acceptedAt: moment.describe('When the holder accepted the cardholder terms.'),
        }),
        z.literal('unreadable'),
      ])
      .nullable()
      .describe(
        'What the holder entered for the card issuer. unreadable: it was encrypted with a key that the portal does not have. Null if nothing was required, or if the data was removed when the card was closed or by an erasure.',
      ),
    closedByHolderAt: moment
      .nullable()
      .describe(
        'When the holder decided to close the card. Until `state` is closed, the issuer has not closed it yet.',
      ),
    closing: z
      .object({
        by: z.string().describe('The username of the admin who requested the closure.'),
        isYours: z.boolean(),
        expiresAt: moment,
      })
      .nullable()
      .describe('A request to close the card. A second admin has to confirm it.'),
    decisions: z
      .array(
        z.object({
          at: moment,
          by: z.string().describe('The admin’s username.'),
          decision: z.enum(CARD_DECISIONS),
          reason: z.string().nullable(),
        }),
      )
      .describe('The team’s decisions on the card, oldest first.'),
  });
export type TeamCard = z.infer<typeof teamCard>;

const CHANGED_AT_ERROR = 'Set changedAt to the value that you read from the card.';
const seenCard = {
  ...cardIdBody.shape,
  changedAt: z.iso
    .datetime({ error: CHANGED_AT_ERROR })
    .describe('The card’s changedAt, as the caller read it.'),
};

/** Only the team sees the reason. */
const reason = textSchema({
  kind: 'lines',
  label: 'Reason',
  maxLength: MAX_REVIEW_TEXT_LENGTH.reason,
  missing: 'Enter the reason.',
});

export const decideCard = {
  method: 'POST',
  path: PATHS.decideCard,
  summary: `Freezes a card so that its holder cannot unfreeze it, or lets the holder unfreeze it again. To close a card, one admin requests it and another confirms within ${PORTAL_LIMITS.cardClosingHours} hours`,
  access: 'reviewer',
  body: z.discriminatedUnion(
    'decision',
    [
      z.strictObject({ ...seenCard, decision: z.enum(['frozen', 'freeze-lifted']), reason }),
      z.strictObject({ ...seenCard, decision: z.literal('closing-requested'), reason, ownPassword }),
      z.strictObject({ ...seenCard, decision: z.literal('closed'), ownPassword }),
      z.strictObject({ ...seenCard, decision: z.literal('closing-withdrawn') }),
    ],
    { error: `Set decision to one of ${CARD_DECISIONS.join(', ')}.` },
  ),
  response: z.object({ success: z.literal(true), card: teamCard }),
  errors: [
    'unknown-card',
    'card-changed',
    'closing-not-requested',
    'account-too-new',
    'card-busy',
    ...PASSWORD_ERRORS,
    ...ISSUER_ERRORS,
  ],
} as const satisfies Call;
