import { LOAN_DOCUMENT_KINDS, LOAN_STATUSES } from '../../model/submission-status.ts';
import { referenceNumbers } from './application-schema.ts';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/** Tables of `app.db` about the convertible loan note. Times are Unix milliseconds. */

export const loanApplications = sqliteTable(
  'loan_applications',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .unique()
      .references(() => referenceNumbers.referenceNumber),
    name: text().notNull(),
    email: text().notNull(),
    /** Whole US dollars, as one of the options that the form offers. */
    investmentAmount: integer().notNull(),
    investorType: text().notNull(),
    riskSuitability: text().notNull(),
    conversionOption: text().notNull(),
    /** ISO 3166-1 alpha-2. */
    country: text().notNull(),
    comments: text(),
    status: text({ enum: LOAN_STATUSES }).notNull(),
    refusalReason: text(),
    /** When it was approved or refused; documents are kept for a while from then on. */
    decidedAt: integer(),
    createdAt: integer().notNull(),
    changedAt: integer().notNull(),
  },
  (table) => [
    index('loan_applications_created').on(table.createdAt),
    index('loan_applications_decided').on(table.decidedAt),
  ],
);

/** Documents, encrypted: AES-256-GCM under a data key of their own, which the master key wraps. Deleted with their row. */
export const loanDocuments = sqliteTable(
  'loan_documents',
  {
    id: text().primaryKey(),
    referenceNumber: text()
      .notNull()
      .references(() => loanApplications.referenceNumber),
    kind: text({ enum: LOAN_DOCUMENT_KINDS }).notNull(),
    /** The sender's name of it, made harmless. */
    fileName: text().notNull(),
    /** By its content. */
    mediaType: text().notNull(),
    /** Bytes of the document in the clear. */
    byteLength: integer().notNull(),
    /** SHA-256 of the document in the clear, in hex. */
    contentHash: text().notNull(),
    /** Which master key wrapped the data key: the first 16 hex digits of its SHA-256. */
    masterKey: text().notNull(),
    /** Nonce (12 bytes), encrypted data key, tag (16 bytes). */
    wrappedKey: blob({ mode: 'buffer' }).notNull(),
    /** Nonce (12 bytes), encrypted document, tag (16 bytes). */
    content: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [uniqueIndex('loan_documents_one_a_kind').on(table.referenceNumber, table.kind)],
);

/** Words of two people for or against a loan application: one row an admin, the latest word. */
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
