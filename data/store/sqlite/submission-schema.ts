import { CONTACT_CATEGORIES } from '../../model/forms/contact-form.ts';
import {
  APPLICATION_FORM_VARIANTS,
  APPLICATION_STATUSES,
  CONTACT_STATUSES,
  LOAN_DOCUMENT_KINDS,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
} from '../../model/submission-status.ts';
import { baseUnits, blob, index, integer, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/* The tables of `app.db` for submissions. Times are Unix milliseconds. */

/** Every assigned reference number, of any kind: `BD-YYYYMMDD-NNNNNN`. */
export const referenceNumbers = sqliteTable(
  'reference_numbers',
  {
    referenceNumber: text().primaryKey(),
    kind: text({ enum: SUBMISSION_KINDS }).notNull(),
    createdAt: integer().notNull(),
    /**
     * The applicant's mailbox (`mailboxOf`), which may have several addresses. The number of confirmation emails to a
     * mailbox is limited. Null after an erasure.
     */
    mailbox: text(),
  },
  (table) => [index('reference_numbers_of_mailbox').on(table.mailbox, table.createdAt)],
);

const referenceNumber = () =>
  text()
    .notNull()
    .unique()
    .references(() => referenceNumbers.referenceNumber);

/** The form fields that no list sorts, filters or searches by, as a JSON object keyed by field name. */
const details = () =>
  text({ mode: 'json' }).$type<Readonly<Record<string, string | null>>>().notNull().default(sql`'{}'`);

/** The id of the admin who works on the record, or null. Accounts are never deleted, so the id stays valid. */
const assigneeId = () => text();
/** The time by which the team must act, while the record waits for the team. */
const dueAt = () => integer();
/** How many milliseconds the team had left when the record began to wait for the applicant; null if it is not waiting. */
const dueLeft = () => integer();

export const cardApplications = sqliteTable(
  'card_applications',
  {
    id: text().primaryKey(),
    referenceNumber: referenceNumber(),
    /** The form that the application came from. */
    shape: text({ enum: APPLICATION_FORM_VARIANTS }).notNull(),
    name: text().notNull(),
    email: text().notNull(),
    telegram: text(),
    walletAddress: text(),
    /** The staked BD and the tier as sent by the applicant's page. Not used for decisions. */
    statedAmount: text(),
    statedTier: text(),
    /** The staked amount (base units) and the tier, as the portal read them at `checkedAt`; null if it could not read them. */
    checkedAmount: baseUnits(),
    checkedTier: text(),
    checkedAt: integer(),
    isOwnershipProven: integer({ mode: 'boolean' }).notNull(),
    status: text({ enum: APPLICATION_STATUSES }).notNull(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
    details: details(),
    assigneeId: assigneeId(),
    dueAt: dueAt(),
    dueLeft: dueLeft(),
  },
  (table) => [
    index('card_applications_waiting').on(table.dueLeft).where(sql`"dueLeft" is not null`),
    index('card_applications_wallet').on(table.walletAddress),
  ],
);

export const verificationRequests = sqliteTable(
  'verification_requests',
  {
    id: text().primaryKey(),
    referenceNumber: referenceNumber(),
    walletAddress: text().notNull(),
    email: text().notNull(),
    telegram: text(),
    /** What the portal itself found in the wallet when the request arrived, as text. */
    checkedDetection: text(),
    /** When the request was made, according to the applicant's clock. */
    requestedAt: integer().notNull(),
    isOwnershipProven: integer({ mode: 'boolean' }).notNull(),
    status: text({ enum: REQUEST_STATUSES }).notNull(),
    refusalReason: text(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
    details: details(),
    assigneeId: assigneeId(),
    dueAt: dueAt(),
    dueLeft: dueLeft(),
  },
  (table) => [
    index('verification_requests_waiting').on(table.dueLeft).where(sql`"dueLeft" is not null`),
    index('verification_requests_wallet').on(table.walletAddress),
  ],
);

export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text().primaryKey(),
    referenceNumber: referenceNumber(),
    name: text().notNull(),
    email: text().notNull(),
    subject: text(),
    category: text({ enum: CONTACT_CATEGORIES }),
    walletAddress: text(),
    createdAt: integer().notNull(),
    details: details(),
    assigneeId: assigneeId(),
    dueAt: dueAt(),
    status: text({ enum: CONTACT_STATUSES }).notNull().default('open'),
    changedAt: integer().notNull().default(0),
    /** When the team closed the message; null unless it is closed. The message is deleted some time later. */
    closedAt: integer(),
  },
  (table) => [
    index('contact_messages_wallet').on(table.walletAddress),
    index('contact_messages_closed').on(table.closedAt),
  ],
);

export const loanApplications = sqliteTable(
  'loan_applications',
  {
    id: text().primaryKey(),
    referenceNumber: referenceNumber(),
    name: text().notNull(),
    email: text().notNull(),
    /** Whole US dollars; one of the amounts offered in the form. */
    investmentAmount: integer().notNull(),
    investorType: text().notNull(),
    /** ISO 3166-1 alpha-2. */
    country: text().notNull(),
    status: text({ enum: LOAN_STATUSES }).notNull(),
    refusalReason: text(),
    /** When the application was approved or refused. The documents are deleted some time later. */
    decidedAt: integer(),
    /** SHA-256, in hex, of the token that confirms the mailbox. Null for applications from before mailboxes were confirmed. */
    confirmationDigest: text().unique(),
    /** When the documents are deleted unless the mailbox has been confirmed. Null if there is no such deadline. */
    confirmBy: integer(),
    mailboxConfirmedAt: integer(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
    details: details(),
    assigneeId: assigneeId(),
    dueAt: dueAt(),
    dueLeft: dueLeft(),
  },
  (table) => [
    index('loan_applications_waiting').on(table.dueLeft).where(sql`"dueLeft" is not null`),
    index('loan_applications_decided').on(table.decidedAt),
    index('loan_applications_confirm_by').on(table.confirmBy),
  ],
);

/** The changes of a submission's status, in order. Rows are only added; an erasure removes only their notes. */
export const submissionEvents = sqliteTable(
  'submission_events',
  {
    sequence: integer().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    at: integer().notNull(),
    status: text().notNull(),
    /** A note to the applicant. */
    note: text(),
  },
  (table) => [index('submission_events_reference').on(table.referenceNumber, table.sequence)],
);

/** Responses by idempotency key, stored for as long as a client may retry. */
export const idempotentAnswers = sqliteTable(
  'idempotent_answers',
  {
    /** SHA-256 of the call's path and the key, in hex. */
    keyHash: text().primaryKey(),
    /** SHA-256 of the parsed body, in hex. */
    bodyHash: text().notNull(),
    answer: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [index('idempotent_answers_created').on(table.createdAt)],
);

/** Documents, each encrypted with AES-256-GCM under its own data key, which the master key wraps. */
export const loanDocuments = sqliteTable(
  'loan_documents',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => loanApplications.referenceNumber),
    kind: text({ enum: LOAN_DOCUMENT_KINDS }).notNull(),
    /** The original file name, with unsafe characters removed. */
    fileName: text().notNull(),
    /** Determined from the content. */
    mediaType: text().notNull(),
    /** Bytes before encryption. */
    byteLength: integer().notNull(),
    /** SHA-256 of the document before encryption, in hex. */
    contentHash: text().notNull(),
    /** The id of the master key that wraps the data key: the first 16 hex digits of the key's SHA-256. */
    masterKeyId: text('masterKey').notNull(),
    /** Nonce (12 bytes), encrypted data key, tag (16 bytes). */
    wrappedKey: blob({ mode: 'buffer' }).notNull(),
    /** Nonce (12 bytes), encrypted document, tag (16 bytes). */
    content: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [uniqueIndex('loan_documents_one_a_kind').on(table.referenceNumber, table.kind)],
);

/** The bytes of documents that count toward each quota. For `subject`, see `DocumentQuota`. */
export const documentUsage = sqliteTable(
  'document_usage',
  {
    subject: text().primaryKey(),
    /** Encrypted bytes. */
    bytes: integer().notNull(),
    endsAt: integer().notNull(),
  },
  (table) => [index('document_usage_ends').on(table.endsAt)],
);

/**
 * Email addresses that the team corrected. Rows never change, and are deleted with the record or when the
 * address is erased.
 */
export const addressCorrections = sqliteTable(
  'address_corrections',
  {
    sequence: integer().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => referenceNumbers.referenceNumber),
    at: integer().notNull(),
    adminId: text().notNull(),
    /** The address before the correction. */
    email: text().notNull(),
  },
  (table) => [index('address_corrections_reference').on(table.referenceNumber, table.sequence)],
);

/** Votes on a loan application: one row per admin, with the latest vote. */
export const loanVotes = sqliteTable(
  'loan_votes',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => loanApplications.referenceNumber),
    adminId: text().notNull(),
    decision: text({ enum: ['approve', 'refuse'] }).notNull(),
    reason: text(),
    votedAt: integer().notNull(),
  },
  (table) => [uniqueIndex('loan_votes_one_an_admin').on(table.referenceNumber, table.adminId)],
);
