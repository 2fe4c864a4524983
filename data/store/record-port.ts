import type { ListId, ListPage } from '../model/admin-lists.ts';
import type { ApprovalWarning } from '../model/approval-warnings.ts';
import type { AttemptOutcome, CombinedDeliveryState, DeliveryState } from '../model/delivery-states.ts';
import type {
  ApplicationDecision,
  ApplicationStatus,
  ContactDecision,
  ContactStatus,
  DeliverySubject,
  LoanStatus,
  LoanVote,
  RequestStatus,
  SubmissionKind,
} from '../model/submission-status.ts';
import type { CardTier } from '../model/tiers.ts';
import type { DeliveryAudience, DeliveryChannel, LoggedAttempt } from './delivery-port.ts';
import type { LoanDocumentFacts, Submissions } from './submission-port.ts';

/** The rows of the admin lists. A field that shares its name with an API field has the same value. */
export interface ListedRows {
  readonly applications: ListedRecord<Submissions['card-application']>;
  readonly contacts: ListedRecord<Submissions['contact-message']>;
  readonly 'verification-requests': ListedRecord<Submissions['verification-request']>;
  readonly 'loan-applications': ListedRecord<Submissions['loan-application']>;
  readonly 'delivery-logs': ListedAttempt;
}

/** Who a record is assigned to, and by when the team has to act on it (Unix ms). */
export interface RecordAssignment {
  readonly assigneeId: string | null;
  readonly assignee: string | null;
  /** Null unless the record is waiting for the team. */
  readonly dueAt: number | null;
  /** Whether the record is waiting for the applicant's answer. */
  readonly isWaiting: boolean;
}

export type ListedRecord<Row> = Row &
  RecordAssignment & {
    /** Whether every email about the new submission was sent. */
    readonly emailSent: boolean;
    /** Whether the notice about the new submission was sent to the team's chat. */
    readonly telegramSent: boolean;
    readonly emailState: CombinedDeliveryState;
    readonly telegramState: CombinedDeliveryState;
    /** Whether any email to the applicant has failed permanently (its delivery is `dead`). */
    readonly mailBounced: boolean;
  };

/** Times are Unix milliseconds. */
export interface ListedAttempt extends Omit<LoggedAttempt, 'at' | 'maskedRecipient' | 'providerId' | 'code'> {
  readonly sequence: number;
  readonly kind: DeliverySubject;
  /**
   * The applicant's name, or their email address if the form does not ask for a name. For a delivery that is not about a record,
   * the delivery's `referenceNumber`.
   */
  readonly applicantName: string;
  /** Masked. */
  readonly recipient: string;
  readonly attemptedAt: number;
  readonly deliveryState: DeliveryState;
  /** Whether this is the newest attempt of its delivery. */
  readonly isNewest: boolean;
}

export interface WorkFilter {
  /** Only the records that are assigned to this admin; null: only unassigned records. */
  readonly assigneeId?: string | null | undefined;
  /** Only records that are waiting for the team and are due before this time (Unix ms). `Infinity` includes all of them. */
  readonly dueBefore?: number | undefined;
}

export interface WorkItem extends Omit<RecordAssignment, 'dueAt' | 'isWaiting'> {
  readonly kind: SubmissionKind;
  readonly referenceNumber: string;
  /** The applicant's name, or their email address if the form does not ask for a name. */
  readonly name: string;
  readonly subject: string | null;
  readonly status: string;
  readonly dueAt: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

export interface ListQuery extends WorkFilter {
  /** At least 1. */
  readonly limit: number;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  /** The `next` value from the previous page, with the same sort and order; null for the first page. */
  readonly after: string | null;
  /** Only rows with a time (Unix ms) at or after `from` and earlier than `before`; null: no limit. */
  readonly from: number | null;
  readonly before: number | null;
  /** The value of each filter, by the filter's name in the list's definition. An absent filter has no effect. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** Words that must all occur in a record; null for all records. */
  readonly search: string | null;
  /** If set, the rows are not counted and the total is 0. Used to read a whole list page by page. */
  readonly skipsTotal?: true;
}

export interface StoredPage<Row> extends ListPage {
  readonly rows: readonly Row[];
}

export interface RecordCounts {
  readonly applications: Readonly<Record<ApplicationStatus, number>>;
  readonly contacts: Readonly<Record<ContactStatus, number>>;
  readonly requests: Readonly<Record<RequestStatus, number>>;
  readonly loans: Readonly<Record<LoanStatus, number>>;
  readonly recentApplications: number;
  readonly recentContacts: number;
  readonly sentDeliveries: number;
  readonly deadDeliveries: number;
  /** Including deliveries that are being sent. */
  readonly waitingDeliveries: number;
}

export interface ChannelBacklog {
  readonly channel: DeliveryChannel;
  readonly overdue: number;
  /**
   * The number of deliveries to the team that recently failed permanently. Deliveries to applicants are not counted, because the
   * applicant's mailbox may be the cause.
   */
  readonly recentlyDead: number;
}

/** Times are Unix milliseconds. */
export interface RecordHistory {
  readonly timeline: readonly {
    readonly at: number;
    readonly status: string;
    readonly note: string | null;
  }[];
  readonly decisions: readonly Decision[];
  /** The notes on this record and on the records merged into it, oldest first. */
  readonly notes: readonly RecordNote[];
  readonly mergedInto: string | null;
  /** Earliest merge first. */
  readonly merged: readonly { readonly referenceNumber: string; readonly at: number; readonly by: string }[];
  /** The email addresses that the team replaced with a corrected one, oldest first. */
  readonly earlierAddresses: readonly { readonly email: string; readonly at: number; readonly by: string }[];
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
  /** The admin's username, or the admin's id if there is no such account. */
  readonly by: string;
  readonly decision: string;
  readonly reason: string | null;
}

export interface RecordNote {
  readonly id: string;
  /** The record that the note was written on: this one, or one that is merged into this one. */
  readonly referenceNumber: string;
  readonly at: number;
  readonly adminId: string;
  /** The author's username, or the author's id if there is no such account. */
  readonly by: string;
  /** Empty after the author has removed the note. */
  readonly text: string;
  /** When the author last changed the text; null if it was never changed. */
  readonly changedAt: number | null;
  readonly removedAt: number | null;
  /** The active admins whom the note mentions, in the order in which it mentions them. */
  readonly mentions: readonly {
    readonly adminId: string;
    readonly username: string;
    readonly readAt: number | null;
  }[];
  /** The earlier texts, each with the time when it was written, oldest first. */
  readonly versions: readonly { readonly at: number; readonly text: string }[];
}

/**
 * `changed`: the note's text has changed since its author saw it. `not-mentionable`: a mentioned admin is not active, or the text
 * does not contain the admin's username.
 */
export type NoteOutcome = 'done' | 'unknown' | 'not-yours' | 'changed' | 'not-mentionable';

export interface Mention {
  readonly noteId: string;
  /** The record that the note was written on or, if that record is merged, the one that it is merged into. */
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  readonly by: string;
  readonly text: string;
  readonly at: number;
  readonly readAt: number | null;
}

export interface CurrentVote extends Decision {
  readonly adminId: string;
  /** The username of the owner who added the admin; null if the admin was added on the setup page or by a command. */
  readonly addedBy: string | null;
  readonly decision: LoanVote;
}

export type FullRecord = RecordHistory &
  (
    | { readonly kind: 'card-application'; readonly record: ListedRows['applications'] }
    | { readonly kind: 'contact-message'; readonly record: ListedRows['contacts'] }
    | {
        readonly kind: 'verification-request';
        readonly record: ListedRows['verification-requests'];
        /**
         * The tier that the record's wallet is whitelisted for, and the reference number of the request that was approved; null
         * if the wallet is not whitelisted.
         */
        readonly whitelisting: { readonly tier: string; readonly referenceNumber: string } | null;
      }
    | {
        readonly kind: 'loan-application';
        readonly record: ListedRows['loan-applications'];
        /** The documents of this application and of the applications merged into it. */
        readonly documents: readonly (LoanDocumentFacts & { readonly referenceNumber: string })[];
        readonly votes: readonly CurrentVote[];
      }
  );

export interface Actor {
  readonly adminId: string;
  /** The admin's IP address, for the audit trail. */
  readonly address: string;
  /** Unix ms. */
  readonly at: number;
}

/** A record as the acting admin saw it. */
export interface SeenRecord {
  readonly referenceNumber: string;
  /** The record's `changedAt` when the admin saw it (Unix ms). If the record has changed since, the action is refused. */
  readonly changedAt: number;
}

export interface ApprovalOverride {
  readonly warnings: readonly ApprovalWarning[];
  readonly reason: string;
}

/**
 * Why a decision was refused. Nothing was stored. `unknown`: there is no such record. `changed`: the record has changed since the
 * admin saw it. `closed`: the record's status does not allow the decision. `last` is the newest decision on the record, or null.
 */
export type DecisionRefusal<Status extends string> =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'changed' | 'closed'; readonly status: Status; readonly last: Decision | null };

type DecisionOutcome<Status extends string> =
  | { readonly kind: 'decided'; readonly status: Status; readonly changedAt: number }
  | DecisionRefusal<Status>;

export type VoteOutcome =
  | {
      readonly kind: 'waiting' | 'decided' | 'contradicted';
      readonly status: LoanStatus;
      readonly changedAt: number;
    }
  | DecisionRefusal<LoanStatus>;

export interface UndoableDecision {
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  /** The record's status and `changedAt` after the decision. */
  readonly status: string;
  readonly changedAt: number;
  /** The decision can be undone until this time (Unix ms). */
  readonly until: number;
}

/**
 * `changed`: the record has changed since the decision. `over`: it is too late to undo the decision, or the admin made none that
 * can be undone. `sent`: a message about the decision was sent, or a card was ordered because of it.
 */
type UndoOutcome =
  | { readonly kind: 'undone'; readonly status: string; readonly changedAt: number }
  | { readonly kind: 'unknown' | 'changed' | 'over' | 'sent' };

/**
 * The outcome of a merge. If nothing was merged, `kind` is the reason, and `referenceNumber` identifies the record that prevents
 * the merge.
 */
export type MergeOutcome =
  | {
      readonly kind: 'merged';
      /** The kept record's `changedAt` after the merge. */
      readonly changedAt: number;
      readonly merged: readonly SeenRecord[];
    }
  | {
      /**
       * `merged-before`: the record is already merged into another record. `has-merged`: other records are merged into it.
       * `closed`: the record has been decided. `other-person`: the record and the kept record have neither a mailbox nor a proven
       * wallet in common. `other-wallet`: the record names a wallet that the kept record does not name.
       */
      readonly kind:
        | 'unknown'
        | 'changed'
        | 'merged-before'
        | 'has-merged'
        | 'closed'
        | 'other-person'
        | 'other-wallet';
      readonly referenceNumber: string;
    };

type SplitOutcome =
  | { readonly kind: 'split'; readonly status: string; readonly changedAt: number }
  | { readonly kind: 'unknown' | 'changed' | 'not-merged' };

/**
 * `changed`: the record no longer has the assignee that the admin saw. `no-reviewer`: the new assignee is not active, or is not
 * allowed to decide.
 */
export type AssignOutcome =
  | { readonly kind: 'assigned' }
  | { readonly kind: 'unknown' | 'no-reviewer' }
  | { readonly kind: 'changed'; readonly assignee: string | null };

/** `not-waiting`: the record is not waiting for the applicant, has been decided, or is a contact message. */
type EndWaitingOutcome =
  | { readonly kind: 'ended'; readonly dueAt: number | null }
  | { readonly kind: 'unknown' | 'not-waiting' };

export interface RecordStore {
  /** @throws {RangeError} when the list has no such sort or filter. */
  list<Id extends ListId>(list: Id, query: ListQuery): Promise<StoredPage<ListedRows[Id]>>;
  /** @param recentSince the start of the period (Unix ms) for the counts named `recent…` */
  counts(recentSince: number): Promise<RecordCounts>;
  /**
   * The backlog of each channel. `overdue` counts the deliveries that were due before `dueBefore`. `recentlyDead` counts the
   * deliveries to the team that failed permanently since `deadSince`. Both times are Unix ms.
   */
  backlogs(moments: {
    readonly dueBefore: number;
    readonly deadSince: number;
  }): Promise<readonly ChannelBacklog[]>;
  record(referenceNumber: string): Promise<FullRecord | null>;
  /**
   * Changes the status of a card application, in one transaction with its timeline event and its audit record. An approval
   * or a refusal also queues an email to the applicant.
   */
  decideApplication(
    decision: SeenRecord & {
      readonly decision: ApplicationDecision;
      /** The applicant sees the reason. */
      readonly reason: string | null;
      readonly despite?: ApprovalOverride | null;
    },
    actor: Actor,
  ): Promise<DecisionOutcome<ApplicationStatus>>;
  /**
   * Like `decideApplication`, but for a verification request. `approved` whitelists the wallet for a tier, and `withdrawn` ends
   * the whitelisting. A withdrawal is refused as `closed` if another request whitelisted the wallet, or if the whitelisting was
   * erased. Each decision queues an email.
   */
  decideRequest(
    decision: SeenRecord &
      (
        | {
            readonly decision: 'approved';
            readonly tier: CardTier;
            readonly reason: string | null;
            readonly despite?: ApprovalOverride | null;
          }
        | { readonly decision: 'refused' | 'withdrawn'; readonly reason: string }
      ),
    actor: Actor,
  ): Promise<DecisionOutcome<RequestStatus> & { readonly walletAddress?: string }>;
  /**
   * Casts an admin's vote on a loan application, replacing any earlier vote by the same admin. Two matching votes decide the
   * application. A vote that contradicts another one removes all votes.
   */
  vote(
    ballot: SeenRecord & {
      readonly vote: LoanVote;
      readonly reason: string | null;
      readonly despite?: ApprovalOverride | null;
    },
    actor: Actor,
  ): Promise<VoteOutcome>;
  /**
   * Like `decideApplication`, but for a contact message: there is no timeline event and no email. Reopening a closed message
   * requires a reason.
   */
  decideContact(
    decision: SeenRecord & { readonly status: ContactDecision; readonly reason: string | null },
    actor: Actor,
  ): Promise<DecisionOutcome<ContactStatus> | { readonly kind: 'reason-needed' }>;
  /**
   * Reopens a decided record, and deletes the votes if it is a loan application. A withdrawn whitelisting stays withdrawn. The
   * applicant sees the new status, but gets no email.
   */
  reopen(
    seen: SeenRecord & {
      readonly kind: Exclude<SubmissionKind, 'contact-message'>;
      /** Only the team sees the reason. */
      readonly reason: string;
    },
    actor: Actor,
  ): Promise<DecisionOutcome<string>>;
  /** The decisions that an admin can still undo at the time `at` (Unix ms), newest first. */
  undoableDecisions(adminId: string, at: number): Promise<readonly UndoableDecision[]>;
  /**
   * Undoes an admin's own decision and removes the messages and webhook events that it queued, in one transaction with a new
   * audit record. The withdrawal of a whitelisting cannot be undone, because it takes effect immediately.
   * @param seen `changedAt` is the value that the record has after the decision
   */
  undo(seen: SeenRecord, actor: Actor): Promise<UndoOutcome>;
  /**
   * Merges open records of the same kind and person into one of them, and adds an audit record for each merged record. Either all
   * of them are merged or none. If the kept record is waiting for the team, it gets the earliest due time of all the records. A
   * kept contact message is reopened if a merged message is open.
   */
  merge(
    merge: { readonly kept: SeenRecord; readonly merged: readonly SeenRecord[] },
    actor: Actor,
  ): Promise<MergeOutcome>;
  /**
   * Splits a merged record off again, and restores the status that it had before the merge. The admin who merged the record can
   * use `undo` instead.
   */
  split(
    seen: SeenRecord & {
      /** Only the team sees the reason. */
      readonly reason: string;
    },
    actor: Actor,
  ): Promise<SplitOutcome>;
  /**
   * Assigns a record to an admin or to nobody.
   * @param assignment `from` is the id of the assignee that the acting admin saw
   */
  assign(
    assignment: {
      readonly referenceNumber: string;
      readonly assigneeId: string | null;
      readonly from: string | null;
    },
    actor: Actor,
  ): Promise<AssignOutcome>;
  /**
   * Stops waiting for an applicant's answer. The team then has as much time as was left when the waiting began. For a
   * contact message, use `decideContact`.
   */
  endWaiting(referenceNumber: string, actor: Actor): Promise<EndWaitingOutcome>;
  /** A page of the records that are waiting for the team, earliest due time first. */
  workQueue(
    filter: WorkFilter,
    page: Pick<ListQuery, 'limit' | 'after'>,
  ): Promise<Pick<StoredPage<WorkItem>, 'rows' | 'next'>>;
  /** How many records of each kind are waiting for the team. Each kind is counted up to `MAX_COUNTED`. */
  workCounts(filter: WorkFilter): Promise<Readonly<Record<SubmissionKind, number>>>;
  /**
   * Adds a note. Each admin whom the note mentions, except its author, gets an email if the admin's account has an address.
   * @param note `mentions` contains the ids of active admins; the text must contain their usernames
   */
  addNote(
    note: {
      readonly referenceNumber: string;
      readonly text: string;
      readonly mentions?: readonly string[] | undefined;
    },
    actor: Actor,
  ): Promise<RecordNote | Extract<NoteOutcome, 'unknown' | 'not-mentionable'>>;
  /**
   * Changes the text of an admin's own note, or removes the note. The earlier text is kept as a version. Mentions that are not in
   * `change.mentions` are withdrawn, and unsent emails about them are deleted. Only admins who were not mentioned before get an
   * email.
   * @param change `seen` is the text that the admin saw; if `text` is null, the note is removed
   */
  changeNote(
    change: {
      readonly noteId: string;
      readonly seen: string;
      readonly text: string | null;
      readonly mentions?: readonly string[] | undefined;
    },
    actor: Actor,
  ): Promise<NoteOutcome>;
  /** The mentions of an admin in other admins' notes, unread first, then newest first. */
  mentions(adminId: string, limit: number): Promise<readonly Mention[]>;
  countUnreadMentions(adminId: string): Promise<number>;
  /** Marks the mentions of an admin on a record, and on the records merged into it, as read. @returns how many were unread */
  markMentionsRead(adminId: string, referenceNumber: string, at: number): Promise<number>;
  /** The admin who wrote a mention, and the record on which it is shown; null if the mention was withdrawn. */
  mention(id: string): Promise<Pick<Mention, 'by' | 'referenceNumber'> | null>;
  /** Requeues a dead delivery, which then has the full number of attempts again. */
  retryDelivery(deliveryId: string, actor: Actor): Promise<'retried' | 'unknown' | 'not-dead'>;
}
