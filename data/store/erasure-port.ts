import type { ErasedPart } from '../model/erased-parts.ts';
import type { SubmissionKind } from '../model/submission-status.ts';
import type { AuditRecord } from './audit-port.ts';

export interface ErasureSubject {
  /** Any spelling of the person's address: `mailboxOf` decides which addresses belong to the same mailbox. */
  readonly email: string | null;
  readonly walletAddress: string | null;
}

export type ErasureCounts = Readonly<Record<ErasedPart, number>>;

export interface PersonalData {
  /** Oldest first. */
  readonly records: readonly { readonly referenceNumber: string; readonly kind: SubmissionKind }[];
  readonly counts: ErasureCounts;
  /** Wallets that the records mention, other than the wallet in the request. */
  readonly otherWallets: readonly string[];
  /** Not erased: the wallet's live card, and admin accounts with the email address. */
  readonly kept: { readonly liveCards: number; readonly adminAccounts: number };
  /** The ids of the deliveries about the records. */
  readonly deliveries: readonly string[];
}

/** Erases a person's data, except reference numbers and the audit trail. */
export interface ErasureStore {
  find(subject: ErasureSubject): Promise<PersonalData>;
  /**
   * Erases the data and cancels the deliveries, in one transaction with an audit record.
   * @param recordOf creates the audit record, which must not contain personal data
   */
  erase(
    subject: ErasureSubject,
    at: number,
    recordOf: (erased: PersonalData) => AuditRecord,
  ): Promise<PersonalData>;
}

/** Deletes data when its retention period ends. Times are Unix milliseconds. */
export interface RetentionStore {
  /**
   * The loan applications that still have documents or message files, and were either decided at or before `decidedUntil` or
   * closed because their mailbox was not confirmed. Includes the applications merged into them.
   */
  applicationsWithDocumentsDue(decidedUntil: number): Promise<readonly string[]>;
  /**
   * Deletes the documents and message files of a loan application that `applicationsWithDocumentsDue` returned, in one
   * transaction with an audit record for each file.
   * @returns the number of documents and files; 0 if they are already deleted, or the application is open
   */
  deleteDocuments(referenceNumber: string, decidedUntil: number, at: number): Promise<number>;
  /** The open loan applications with a mailbox that was not confirmed in time. */
  unconfirmedApplicationsDue(now: number): Promise<readonly string[]>;
  /**
   * Deletes the documents of a loan application if its mailbox was not confirmed in time, and closes the application. Both
   * happen in one transaction, with an audit record for each document and one for the application.
   * @returns the number of documents; 0 if the mailbox was confirmed or the application was decided in the meantime
   */
  deleteUnconfirmed(referenceNumber: string, now: number): Promise<number>;
  messagesDue(closedUntil: number): Promise<readonly string[]>;
  /**
   * Deletes a contact message that the team closed at or before `closedUntil`, everything that belongs to it, and the messages
   * merged into it. All this happens in one transaction, with an audit record for each message.
   * @returns the number of deleted messages; 0 if the message is already deleted, or was reopened
   */
  deleteMessage(referenceNumber: string, closedUntil: number, at: number): Promise<number>;
  /**
   * Deletes rows that are no longer needed:
   * - wallet sessions that expired or ended, and expired sign-in messages
   * - decisions that can no longer be undone
   * - files of replies that were not sent within a day
   * - payments that were reported to the cardholders more than `SPEND_RETENTION_MS` ago
   * - webhook events older than `WEBHOOK_RETENTION_MS`, unless they are being sent
   * - the document and call counts for periods that have ended
   * - the answers to idempotent requests from before `answersBefore`
   * @returns the number of deleted rows
   */
  deleteExpired(now: number, answersBefore: number): Promise<number>;
  /**
   * The number of bytes in the store's file that deleted data has left free. New data fills them before the file grows. Always
   * 0 for PostgreSQL, which manages its own files.
   */
  reusableBytes(): Promise<number>;
  /** Removes copies of deleted data that remain in the store, such as in SQLite's write-ahead log or PostgreSQL's dead rows. */
  truncateLog(): Promise<void>;
}
