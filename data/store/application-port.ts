import type {
  ApplicationShape,
  ApplicationStatus,
  FollowedKind,
  RequestStatus,
  SubmissionKind,
} from '../model/submission-status.ts';

/** What deliveries tell of. The delivery worker makes the words from the submission itself, by its reference number. */
export const SUBMISSION_EVENT_NAMES = {
  'card-application': 'card-application.received',
  'verification-request': 'verification-request.received',
  'contact-message': 'contact-message.received',
  'loan-application': 'loan-application.received',
} as const satisfies Record<SubmissionKind, string>;

/** A card application as it is kept, whichever shape it came in. Times are Unix milliseconds. */
export interface CardApplication {
  readonly id: string;
  readonly referenceNumber: string;
  readonly shape: ApplicationShape;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  /** Without the @. */
  readonly telegram: string | null;
  readonly alias: string | null;
  readonly notes: string | null;
  /** Null where the sender's page named none, which the first shape allows. */
  readonly walletAddress: string | null;
  /** BD and tier as the applicant's page stated them: nothing is decided by them. */
  readonly statedAmount: string | null;
  readonly statedTier: string | null;
  /** What the portal read itself at that moment; null where it could not. */
  readonly checked: {
    /** BD staked, in base units. */
    readonly amount: bigint;
    readonly tier: string;
    readonly at: number;
  } | null;
  /** Whether the sender had proved that the wallet is theirs. */
  readonly isOwnershipProven: boolean;
  readonly status: ApplicationStatus;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A request for manual verification as it is kept. Times are Unix milliseconds. */
export interface VerificationRequest {
  readonly id: string;
  readonly referenceNumber: string;
  readonly walletAddress: string;
  readonly email: string;
  /** Without the @. */
  readonly telegram: string | null;
  readonly claimedAmount: string;
  readonly reason: string;
  readonly evidence: string | null;
  /** What the applicant's page had detected. */
  readonly statedDetection: string;
  /** What the portal detected itself at that moment; null where it could not. */
  readonly checkedDetection: string | null;
  /** When the applicant's page says that it was asked. */
  readonly requestedAt: number;
  readonly isOwnershipProven: boolean;
  readonly status: RequestStatus;
  readonly refusalReason: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

export type NewCardApplication = Omit<CardApplication, 'referenceNumber' | 'status' | 'changedAt'>;
export type NewVerificationRequest = Omit<
  VerificationRequest,
  'referenceNumber' | 'status' | 'refusalReason' | 'changedAt'
>;

/** How a submission is taken. */
export interface SubmissionTerms {
  /** Draws a reference number; asked again where it is taken. */
  readonly drawReference: () => string;
  /** What is answered beside the reference number, and kept for who asks again by the same key. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** SHA-256, in hex, of the call's path with the key, and of the body as it was read; null without a key. */
  readonly idempotency: { readonly keyHash: string; readonly bodyHash: string } | null;
  /** Answers kept before this moment are forgotten. */
  readonly forgetAnswersBefore: number;
  /** Submissions of all kinds that one mailbox, whatever its address looks like, may have sent since a moment. */
  readonly perRecipient: { readonly atMost: number; readonly since: number };
}

/**
 * `accepted`: it is kept, with all that belongs to it. `repeated`: the key was used for the same body, whose answer this
 * is; nothing was added. `key-reused`: the key was used for another body. `too-many`: the mail address has sent as many
 * as it may. Nothing is kept in the last two cases.
 */
export type SubmissionOutcome =
  | { readonly kind: 'accepted' | 'repeated'; readonly answer: Readonly<Record<string, unknown>> }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'too-many' };

/** What its sender may see of a submission. */
export interface SubmissionTimeline {
  readonly referenceNumber: string;
  readonly kind: FollowedKind;
  /** Oldest first; the last one is where it stands. */
  readonly events: readonly { readonly at: number; readonly status: string; readonly note: string | null }[];
}

/** Card applications and requests for manual verification. */
export interface ApplicationStore {
  /**
   * Keeps an application in one transaction with its reference number, its first event, its audit record, its deliveries
   * (a mail to the applicant; a mail and a Telegram notice to the team) and the answer by its key.
   * @throws {ReferenceNumbersTakenError} where no free number is drawn; nothing is kept then.
   */
  submitApplication(application: NewCardApplication, terms: SubmissionTerms): Promise<SubmissionOutcome>;
  /** The same for a request for manual verification. */
  submitVerificationRequest(
    request: NewVerificationRequest,
    terms: SubmissionTerms,
  ): Promise<SubmissionOutcome>;
  applicationByReference(referenceNumber: string): Promise<CardApplication | null>;
  requestByReference(referenceNumber: string): Promise<VerificationRequest | null>;
  /** The timeline, for who knows the reference number and the mail address it was sent with (in any case); else null. */
  statusOf(referenceNumber: string, email: string): Promise<SubmissionTimeline | null>;
}
