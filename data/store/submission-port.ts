import type { CARD_APPLICATION_FIELDS } from '../model/forms/card-forms.ts';
import type { CONTACT_FORM } from '../model/forms/contact-form.ts';
import type { NewFields, StoredFields } from '../model/forms/field.ts';
import type { LOAN_FORM } from '../model/forms/loan-form.ts';
import type { VERIFICATION_REQUEST_FIELDS } from '../model/forms/verification-forms.ts';
import type {
  ApplicationFormVariant,
  ApplicationStatus,
  ContactStatus,
  LoanDocumentKind,
  LoanStatus,
  MERGED_STATUS,
  RequestStatus,
  SubmissionKind,
  TrackableKind,
} from '../model/submission-status.ts';

/* A stored submission has the fields of its form, and fields that the portal adds. Times are Unix milliseconds. */

/** The event name of the notifications about a new submission, by kind of submission. */
export const SUBMISSION_EVENT_NAMES = {
  'card-application': 'card-application.received',
  'verification-request': 'verification-request.received',
  'contact-message': 'contact-message.received',
  'loan-application': 'loan-application.received',
} as const satisfies Record<SubmissionKind, string>;

interface Submission {
  readonly id: string;
  readonly createdAt: number;
}

interface WithReferenceNumber {
  readonly referenceNumber: string;
}

interface WithStatus<Status> extends WithReferenceNumber {
  readonly status: Status;
  readonly changedAt: number;
}

interface AddedApplicationFields extends Submission {
  readonly shape: ApplicationFormVariant;
  /** The staked BD and the tier as sent by the applicant's page. Not used for decisions. */
  readonly statedAmount: string | null;
  readonly statedTier: string | null;
  /** What the portal read when the form arrived; null if the read failed. */
  readonly checked: {
    /** BD staked, in base units. */
    readonly amount: bigint;
    readonly tier: string;
    readonly at: number;
  } | null;
  /** Whether the applicant had proved ownership of the wallet when the form arrived. */
  readonly isOwnershipProven: boolean;
}

interface AddedRequestFields extends Submission {
  /** What the portal detected when the form arrived; null if the detection failed. */
  readonly checkedDetection: string | null;
  /** When the request was made, according to the applicant's clock. */
  readonly requestedAt: number;
  readonly isOwnershipProven: boolean;
}

type LoanFields<Fields> = Omit<Fields, 'investmentAmount'> & {
  /** Whole US dollars. */
  readonly investmentAmount: number;
};

interface LoanConfirmation {
  /** SHA-256, in hex, of the token that confirms the mailbox; null if there is none. */
  readonly confirmationDigest: string | null;
  /** The deadline for confirming the mailbox, after which the documents are deleted; null if there is no deadline. */
  readonly confirmBy: number | null;
}

interface LoanDecision extends WithStatus<LoanStatus> {
  readonly refusalReason: string | null;
  /** When the application was approved or refused. The documents are deleted some time later. */
  readonly decidedAt: number | null;
}

export interface NewSubmissions {
  'card-application': NewFields<typeof CARD_APPLICATION_FIELDS> & AddedApplicationFields;
  'verification-request': NewFields<typeof VERIFICATION_REQUEST_FIELDS> & AddedRequestFields;
  'contact-message': NewFields<typeof CONTACT_FORM.fields> & Submission;
  'loan-application': LoanFields<NewFields<typeof LOAN_FORM.fields>> & Submission & LoanConfirmation;
}

export interface Submissions {
  'card-application': StoredFields<typeof CARD_APPLICATION_FIELDS> &
    AddedApplicationFields &
    WithStatus<ApplicationStatus>;
  'verification-request': StoredFields<typeof VERIFICATION_REQUEST_FIELDS> &
    AddedRequestFields &
    WithStatus<RequestStatus> & { readonly refusalReason: string | null };
  'contact-message': StoredFields<typeof CONTACT_FORM.fields> &
    Submission &
    WithStatus<ContactStatus> & {
      /** When the team closed the message; null unless it is closed. The message is deleted some time later. */
      readonly closedAt: number | null;
    };
  'loan-application': LoanFields<StoredFields<typeof LOAN_FORM.fields>> &
    Submission &
    LoanDecision &
    LoanConfirmation & { readonly mailboxConfirmedAt: number | null };
}

export type CardApplication = Submissions['card-application'];
export type VerificationRequest = Submissions['verification-request'];
export type ContactMessage = Submissions['contact-message'];
export type LoanApplication = Submissions['loan-application'];

/** The facts about a document that can be read without decrypting it. */
export interface LoanDocumentFacts {
  readonly id: string;
  readonly kind: LoanDocumentKind;
  /** The original file name, with unsafe characters removed. */
  readonly fileName: string;
  /** Determined from the content. */
  readonly mediaType: string;
  /** Bytes before encryption. */
  readonly byteLength: number;
}

/** An encrypted document. The store does not have the key. */
export interface LoanDocument extends LoanDocumentFacts {
  /** SHA-256 of the document before encryption, in hex. */
  readonly contentHash: string;
  /** The master key that wraps the data key. */
  readonly masterKeyId: string;
  readonly wrappedKey: Buffer;
  readonly content: Buffer;
}

/**
 * A limit on the bytes of documents that may be stored until a given time: from one network, from one email address, or in the
 * whole portal.
 */
export interface DocumentQuota {
  readonly scope: 'network' | 'email address' | 'portal';
  /** A keyed digest of `endsAt`, the scope, and the network or mailbox. The store does not contain the network itself. */
  readonly subject: string;
  readonly limit: number;
  /** Stored bytes count toward the quota until this time (Unix ms). */
  readonly endsAt: number;
}

export interface ExceededQuota {
  readonly kind: 'over-quota';
  readonly scope: DocumentQuota['scope'];
  readonly endsAt: number;
}

export interface SubmissionOptions {
  /** Draws a reference number. It is called again if the number is taken. */
  readonly drawReference: () => string;
  /** The response without the reference number. A retry with the same idempotency key gets the same response. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** Two SHA-256 hashes in hex: of the call's path with the idempotency key, and of the parsed body; null without a key. */
  readonly idempotency: { readonly keyHash: string; readonly bodyHash: string } | null;
  /** Answers that were stored before this time (Unix ms) are deleted. */
  readonly forgetAnswersBefore: number;
  /**
   * The maximum number of confirmation emails to a mailbox since a given time, for each kind of form. All addresses of the
   * mailbox count together.
   */
  readonly confirmations: { readonly limit: number; readonly since: number };
  /** The maximum number of submissions of this kind from a mailbox since `confirmations.since`; absent for no limit. */
  readonly maxSubmissions?: number;
  readonly quotas?: readonly DocumentQuota[];
}

/**
 * `repeated`: the idempotency key was used before with the same body, so the earlier answer is returned. `key-reused`: the
 * key was used with a different body. `over-quota`: the documents would exceed a quota. `too-many`: the mailbox has
 * reached the limit for submissions. In all these cases, nothing is stored.
 */
export type SubmissionOutcome =
  | { readonly kind: 'accepted' | 'repeated'; readonly answer: Readonly<Record<string, unknown>> }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'too-many' }
  | ExceededQuota;

/**
 * `again`: the mailbox was confirmed before. `expired`: it is too late, and the documents are deleted or will be. `unknown`: no
 * application has this token, or the application was erased.
 */
export type MailboxConfirmation =
  | { readonly kind: 'confirmed' | 'again'; readonly referenceNumber: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

/** The status and history of a submission, as the applicant may see them. */
export interface SubmissionTimeline {
  readonly referenceNumber: string;
  readonly kind: TrackableKind;
  /** The record that this one was merged into, or null. If it is set, `events` are the events of that record. */
  readonly mergedInto: string | null;
  /** Oldest first; the last one is the current status. */
  readonly events: readonly { readonly at: number; readonly status: string; readonly note: string | null }[];
}

/** What the owner of a wallet may see of a submission that names the wallet. Contains no name, email address or note. */
export interface WalletSubmission {
  readonly referenceNumber: string;
  /** Loan applications do not name a wallet. */
  readonly kind: Exclude<SubmissionKind, 'loan-application'>;
  /** Contact messages are always shown as `received`. */
  readonly status: Exclude<ApplicationStatus | RequestStatus, typeof MERGED_STATUS>;
  /** When the submission got this status. */
  readonly changedAt: number;
  readonly createdAt: number;
}

export interface SubmissionStore {
  /**
   * Stores a submission in one transaction with its reference number, first event, audit record, deliveries, documents and
   * the answer for its idempotency key.
   * @throws {Error} if no unused reference number is found after several attempts. In that case nothing is stored.
   */
  submit<Kind extends SubmissionKind>(
    kind: Kind,
    submission: NewSubmissions[Kind],
    options: SubmissionOptions,
    documents?: readonly LoanDocument[],
  ): Promise<SubmissionOutcome>;
  /**
   * Returns the first quota that documents of this size would exceed, or null. A retry of an accepted submission exceeds none.
   * @param keyHash SHA-256 of the call's path and the idempotency key; null without a key
   */
  exceededQuota(
    quotas: readonly DocumentQuota[],
    bytes: number,
    keyHash: string | null,
  ): Promise<ExceededQuota | null>;
  /**
   * Confirms the mailbox of a loan application, so that its documents are kept, in one transaction with an audit record.
   * @param digest SHA-256 of the token, in hex
   * @param at Unix ms
   */
  confirmMailbox(digest: string, at: number): Promise<MailboxConfirmation>;
  find<Kind extends SubmissionKind>(kind: Kind, referenceNumber: string): Promise<Submissions[Kind] | null>;
  /**
   * The timeline of a submission. Null if the submission does not exist, has another email address (case-insensitive), or is
   * a contact message.
   */
  timelineOf(referenceNumber: string, email: string): Promise<SubmissionTimeline | null>;
  /** The latest submissions that name a wallet and are not merged into another record, newest first. */
  ofWallet(walletAddress: string, limit: number): Promise<readonly WalletSubmission[]>;
  readDocument(id: string): Promise<(LoanDocument & { readonly referenceNumber: string }) | null>;
  countByMasterKey(): Promise<readonly { readonly masterKeyId: string; readonly documents: number }[]>;
}
