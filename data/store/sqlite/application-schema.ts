import {
  APPLICATION_SHAPES,
  APPLICATION_STATUSES,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
} from '../../model/submission-status.ts';
import { baseUnits } from './amount-column.ts';
import { index, integer, sqliteTable, text } from './drizzle.ts';

/** Tables of `app.db` about what people apply and ask for. Times are Unix milliseconds. */

/** Every reference number that was given out, of whatever kind: `BD-YYYYMMDD-NNNNNN`. */
export const referenceNumbers = sqliteTable(
  'reference_numbers',
  {
    referenceNumber: text().primaryKey(),
    kind: text({ enum: SUBMISSION_KINDS }).notNull(),
    createdAt: integer().notNull(),
    /**
     * The mailbox that sent it, whatever its address looked like: each submission sends mail to it, so how many it may
     * send is counted by it. Null where that was erased.
     */
    mailbox: text(),
  },
  (table) => [index('reference_numbers_of_mailbox').on(table.mailbox, table.createdAt)],
);

export const cardApplications = sqliteTable(
  'card_applications',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .unique()
      .references(() => referenceNumbers.referenceNumber),
    /** The shape it was sent in. */
    shape: text({ enum: APPLICATION_SHAPES }).notNull(),
    name: text().notNull(),
    email: text().notNull(),
    phone: text(),
    telegram: text(),
    alias: text(),
    notes: text(),
    walletAddress: text(),
    /** BD and tier as the applicant's page stated them: nothing is decided by them. */
    statedAmount: text(),
    statedTier: text(),
    /** BD staked in base units and the tier, as the portal read them itself at that moment; null where it could not. */
    checkedAmount: baseUnits(),
    checkedTier: text(),
    checkedAt: integer(),
    /** Whether the sender had proved that the wallet is theirs. */
    isOwnershipProven: integer({ mode: 'boolean' }).notNull(),
    status: text({ enum: APPLICATION_STATUSES }).notNull(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
  },
  (table) => [
    index('card_applications_created').on(table.createdAt),
    index('card_applications_wallet').on(table.walletAddress),
  ],
);

/** What happened to an application or a request, in order. Rows are added, never changed. */
export const submissionEvents = sqliteTable(
  'submission_events',
  {
    sequence: integer().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    at: integer().notNull(),
    status: text().notNull(),
    /** Words for the applicant; null where the status says it all. */
    note: text(),
  },
  (table) => [index('submission_events_reference').on(table.referenceNumber, table.sequence)],
);

export const verificationRequests = sqliteTable(
  'verification_requests',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .unique()
      .references(() => referenceNumbers.referenceNumber),
    walletAddress: text().notNull(),
    email: text().notNull(),
    telegram: text(),
    claimedAmount: text().notNull(),
    reason: text().notNull(),
    evidence: text(),
    /** What the applicant's page had detected, and what the portal read itself at that moment. */
    statedDetection: text().notNull(),
    checkedDetection: text(),
    /** When the applicant's page says that it was asked. */
    requestedAt: integer().notNull(),
    isOwnershipProven: integer({ mode: 'boolean' }).notNull(),
    status: text({ enum: REQUEST_STATUSES }).notNull(),
    refusalReason: text(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
  },
  (table) => [
    index('verification_requests_created').on(table.createdAt),
    index('verification_requests_wallet').on(table.walletAddress),
  ],
);

/** Answers by idempotency key, for as long as a client may ask again. */
export const idempotentAnswers = sqliteTable(
  'idempotent_answers',
  {
    /** SHA-256 of the call's path and the key, in hex. */
    keyHash: text().primaryKey(),
    /** SHA-256 of the body as it was read, in hex. */
    bodyHash: text().notNull(),
    answer: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [index('idempotent_answers_created').on(table.createdAt)],
);
