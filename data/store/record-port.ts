import type { LoanVote } from '../model/record-review.ts';
import type {
  ApplicationStatus,
  ContactCategory,
  LoanStatus,
  RequestStatus,
  SubmissionKind,
} from '../model/submission-status.ts';
import type { CardTier } from '../model/tiers.ts';
import type { CardApplication, VerificationRequest } from './application-port.ts';
import type { ContactMessage } from './contact-port.ts';
import type { AttemptOutcome, DeliveryAudience, DeliveryChannel, DeliveryState } from './delivery-port.ts';

/** The lists that the team works with, by what is in them. */
export type ListedRows = {
  readonly applications: Listed<CardApplication>;
  readonly contacts: Listed<ContactMessage>;
  readonly requests: Listed<VerificationRequest>;
  readonly loans: Listed<LoanRecord>;
  readonly attempts: ListedAttempt;
};
export type ListName = keyof ListedRows;

/** A record with how the mails and the notice of its receipt went. */
export type Listed<Record> = Record & {
  /** Whether every mail that tells of its receipt was sent. */
  readonly isMailSent: boolean;
  /** Whether the notice of its receipt was sent to the team's chat. */
  readonly isNoticeSent: boolean;
};

/** An application for the loan note, without its documents. Times are Unix milliseconds. */
export interface LoanRecord {
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
  readonly decidedAt: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** One try of a delivery, with whom it is about. */
export interface ListedAttempt {
  /** The order in which tries were logged. */
  readonly sequence: number;
  readonly id: string;
  readonly deliveryId: string;
  readonly kind: SubmissionKind;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
  /** The mail address where the form asks for no name. */
  readonly applicantName: string;
  readonly maskedRecipient: string;
  readonly outcome: AttemptOutcome;
  readonly error: string | null;
  readonly at: number;
  readonly latencyMs: number;
  readonly deliveryState: DeliveryState;
  /** Whether it is the newest try of its delivery. */
  readonly isNewest: boolean;
}

/** What a list can be narrowed to; what is absent narrows nothing. */
export interface ListFilters {
  readonly status?: ApplicationStatus | RequestStatus | LoanStatus | undefined;
  readonly tier?: CardTier | 'None' | undefined;
  readonly category?: ContactCategory | undefined;
  readonly channel?: DeliveryChannel | undefined;
  readonly result?: 'success' | 'failure' | undefined;
  /** Only the newest try of each delivery that was given up. */
  readonly isDead?: true | undefined;
}

/** A page of a list that is asked for. */
export interface ListQuery {
  /** At least 1. */
  readonly limit: number;
  /** One of the list's sorts, as the contract names them. */
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  /** The `next` of the page before, of the same sort and order; null for the first page. */
  readonly after: string | null;
  /** Unix ms: from the first of the moments, up to but without the second. */
  readonly from: number | null;
  readonly before: number | null;
  readonly filters: ListFilters;
  /** Words that must all be in the record; null for all records. */
  readonly search: string | null;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  /** False where there are more than `total`. */
  readonly isTotalExact: boolean;
  readonly next: string | null;
}

/** How much there is of what, by kind and status. */
export interface RecordCounts {
  readonly applications: Readonly<Record<ApplicationStatus, number>>;
  readonly contacts: number;
  readonly requests: Readonly<Record<RequestStatus, number>>;
  readonly loans: Readonly<Record<LoanStatus, number>>;
  readonly recentApplications: number;
  readonly recentContacts: number;
  readonly sentDeliveries: number;
  readonly deadDeliveries: number;
  /** Those under way among them. */
  readonly waitingDeliveries: number;
}

/** How a channel of delivery goes. */
export interface ChannelBacklog {
  readonly channel: DeliveryChannel;
  /** Deliveries that should have been tried before a moment. */
  readonly overdue: number;
  /** Deliveries that were given up since a moment. */
  readonly recentlyDead: number;
}

/** What the team did and wrote about a record, and how its deliveries went. Times are Unix milliseconds. */
export interface RecordHistory {
  readonly timeline: readonly {
    readonly at: number;
    readonly status: string;
    readonly note: string | null;
  }[];
  readonly decisions: readonly Decision[];
  readonly notes: readonly RecordNote[];
  readonly deliveries: readonly {
    readonly id: string;
    readonly event: string;
    readonly channel: DeliveryChannel;
    readonly audience: DeliveryAudience;
    readonly state: DeliveryState;
    readonly createdAt: number;
    readonly nextAttemptAt: number;
    readonly finishedAt: number | null;
    readonly attempts: readonly {
      readonly at: number;
      readonly outcome: AttemptOutcome;
      readonly error: string | null;
      readonly code: string | null;
      readonly maskedRecipient: string;
    }[];
  }[];
}

export interface Decision {
  readonly at: number;
  /** The admin's username; the id where the account is gone. */
  readonly by: string;
  readonly decision: string;
  readonly reason: string | null;
}

export interface RecordNote {
  readonly id: string;
  readonly at: number;
  /** The admin's username; the id where the account is gone. */
  readonly by: string;
  readonly text: string;
}

export interface StandingVote extends Decision {
  readonly adminId: string;
  readonly decision: LoanVote;
}

export type WholeRecord = RecordHistory &
  (
    | { readonly kind: 'card-application'; readonly record: ListedRows['applications'] }
    | { readonly kind: 'contact-message'; readonly record: ListedRows['contacts'] }
    | {
        readonly kind: 'verification-request';
        readonly record: ListedRows['requests'];
        /** What its wallet is admitted to now; null where it is not whitelisted. */
        readonly whitelistedTier: string | null;
      }
    | {
        readonly kind: 'loan-application';
        readonly record: ListedRows['loans'];
        readonly documents: readonly {
          readonly id: string;
          readonly kind: 'passport-copy' | 'utility-bill';
          readonly fileName: string;
          readonly mediaType: string;
          readonly byteLength: number;
        }[];
        readonly votes: readonly StandingVote[];
      }
  );

/** Who acts, from where and when. */
export interface Acting {
  readonly adminId: string;
  /** The network address, for the audit trail. */
  readonly address: string;
  /** Unix ms. */
  readonly at: number;
}

/** What a decision is about: the record as the deciding admin saw it. */
export interface DecidedRecord {
  readonly referenceNumber: string;
  /** When it last changed, as the admin saw it, Unix ms. */
  readonly changedAt: number;
}

/**
 * `unknown`: there is no such record. `changed`: it is not as the admin saw it, by the decision named where there is one.
 * `closed`: it cannot go there from where it stands. Nothing is written in these cases.
 */
export type Undecided<Status extends string> =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'changed' | 'closed'; readonly status: Status; readonly last: Decision | null };

export type DecisionOutcome<Status extends string> =
  | { readonly kind: 'decided'; readonly status: Status; readonly changedAt: number }
  | Undecided<Status>;

export type VoteOutcome =
  | {
      readonly kind: 'waiting' | 'decided' | 'contradicted';
      readonly status: LoanStatus;
      readonly changedAt: number;
    }
  | Undecided<LoanStatus>;

/** What the team sees of all that people sent, and what it decides about it. */
export interface RecordStore {
  /** @throws {RangeError} where the list has no such sort. */
  list<Name extends ListName>(name: Name, query: ListQuery): Promise<ListPage<ListedRows[Name]>>;
  /**
   * All rows of a list up to a moment (Unix ms), oldest first, from after a place on.
   * @returns the rows and the place after them; null where there are no more
   */
  exportPage<Name extends ListName>(
    name: Name,
    page: { readonly after: string | null; readonly until: number; readonly limit: number },
  ): Promise<{ readonly rows: readonly ListedRows[Name][]; readonly next: string | null }>;
  /** @param recentSince Unix ms */
  counts(recentSince: number): Promise<RecordCounts>;
  /** By channel. @param moments Unix ms: due before the first, given up since the second */
  backlogs(moments: {
    readonly dueBefore: number;
    readonly deadSince: number;
  }): Promise<readonly ChannelBacklog[]>;
  record(referenceNumber: string): Promise<WholeRecord | null>;
  /**
   * Moves an application on, in one transaction with its event, its audit record, and where it is approved or refused
   * the letter to the applicant.
   */
  decideApplication(
    decided: DecidedRecord & {
      readonly decision: Exclude<ApplicationStatus, 'received'>;
      /** Told to the applicant. */
      readonly reason: string | null;
    },
    by: Acting,
  ): Promise<DecisionOutcome<ApplicationStatus>>;
  /** The same of a request for manual verification; approving it whitelists its wallet for a tier. */
  decideRequest(
    decided: DecidedRecord &
      (
        | { readonly decision: 'approved'; readonly tier: CardTier; readonly reason: string | null }
        | { readonly decision: 'refused'; readonly reason: string }
      ),
    by: Acting,
  ): Promise<DecisionOutcome<RequestStatus> & { readonly walletAddress?: string }>;
  /**
   * Takes an admin's vote. Two admins who say the same decide; one who says the opposite of a standing vote takes all
   * votes away. An admin who votes again changes their own vote.
   */
  vote(
    voted: DecidedRecord & { readonly vote: LoanVote; readonly reason: string | null },
    by: Acting,
  ): Promise<VoteOutcome>;
  /** Null where there is no such record. */
  addNote(
    note: { readonly referenceNumber: string; readonly text: string },
    by: Acting,
  ): Promise<RecordNote | null>;
  /** Queues a delivery again that was given up, as if it had never been tried. */
  retryDelivery(deliveryId: string, by: Acting): Promise<'retried' | 'unknown' | 'not-dead'>;
}
