import type { LoanDocumentKind, LoanStatus } from '../model/submission-status.ts';
import type { SubmissionOutcome, SubmissionTerms, SubmissionTimeline } from './application-port.ts';

/** An application for the loan note as it is kept. Times are Unix milliseconds. */
export interface LoanApplication {
  readonly id: string;
  readonly referenceNumber: string;
  readonly name: string;
  readonly email: string;
  /** Whole US dollars. */
  readonly investmentAmount: number;
  readonly investorType: string;
  readonly riskSuitability: string;
  readonly conversionOption: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly comments: string | null;
  readonly status: LoanStatus;
  readonly refusalReason: string | null;
  /** When it was approved or refused. */
  readonly decidedAt: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

export type NewLoanApplication = Omit<
  LoanApplication,
  'referenceNumber' | 'status' | 'refusalReason' | 'decidedAt' | 'changedAt'
>;

/** What is known of a document without opening it. */
export interface LoanDocumentFacts {
  readonly id: string;
  readonly kind: LoanDocumentKind;
  /** The sender's name of it, made harmless. */
  readonly fileName: string;
  /** By its content. */
  readonly mediaType: string;
  /** Bytes of the document in the clear. */
  readonly byteLength: number;
}

/** A document, encrypted; the store knows no key. */
export interface LoanDocument extends LoanDocumentFacts {
  /** SHA-256 of the document in the clear, in hex. */
  readonly contentHash: string;
  /** Which master key wrapped the data key. */
  readonly masterKey: string;
  readonly wrappedKey: Buffer;
  readonly content: Buffer;
}

export interface LoanStore {
  /**
   * Keeps an application with its documents, in one transaction with all that a submission brings with it.
   * @throws {ReferenceNumbersTakenError} where no free number is drawn; nothing is kept then.
   */
  submit(
    application: NewLoanApplication,
    documents: readonly LoanDocument[],
    terms: SubmissionTerms,
  ): Promise<SubmissionOutcome>;
  byReference(referenceNumber: string): Promise<LoanApplication | null>;
  /** Newest first. @param before only those that were sent before this moment (Unix ms); of any time where null */
  list(page: { readonly limit: number; readonly before: number | null }): Promise<readonly LoanApplication[]>;
  /** What documents an application has, the passport copy first. */
  documentsOf(referenceNumber: string): Promise<readonly LoanDocumentFacts[]>;
  /** One document, encrypted; null where there is none of this id. */
  readDocument(id: string): Promise<(LoanDocument & { readonly referenceNumber: string }) | null>;
  /** Names of the master keys that wrapped what is kept, and how many documents each. */
  masterKeys(): Promise<readonly { readonly masterKey: string; readonly documents: number }[]>;
  /** The timeline, for who knows the reference number and the mail address it was sent with (in any case); else null. */
  statusOf(referenceNumber: string, email: string): Promise<SubmissionTimeline | null>;
}
