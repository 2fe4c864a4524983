/**
 * The status of a record after the team merged it into another record. Records of any kind can have it. Applicants who prove
 * that the mailbox or wallet is theirs see the status of that other record.
 */
export const MERGED_STATUS = 'merged';

/** The statuses that applicants can see. */
export const shownStatuses = <Status extends string>(statuses: readonly Status[]) =>
  statuses.filter((status): status is Exclude<Status, typeof MERGED_STATUS> => status !== MERGED_STATUS);

export const APPLICATION_STATUSES = [
  'received',
  'in-review',
  'approved',
  'refused',
  'card-issued',
  MERGED_STATUS,
] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];
export type ApplicationDecision = Exclude<ApplicationStatus, 'received' | typeof MERGED_STATUS>;

/** The statuses of a verification request. `withdrawn`: the request was approved, and the team later ended the whitelisting. */
export const REQUEST_STATUSES = ['received', 'approved', 'refused', 'withdrawn', MERGED_STATUS] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/**
 * The states of a contact message. `waiting`: the team asked the person something and waits for a reply. `answered`: the team
 * answered. A message becomes `open` again when the person replies.
 */
export const CONTACT_STATUSES = ['open', 'waiting', 'answered', 'closed', MERGED_STATUS] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];
export const CONTACT_DECISIONS = ['open', 'waiting', 'answered', 'closed'] as const;
export type ContactDecision = (typeof CONTACT_DECISIONS)[number];

/**
 * The form that a card application came from. `overlay` and `test-page` use the call `submitApplication`. `v2`, the form at
 * `/polished-card`, uses `submitApplicationV2`.
 */
export const APPLICATION_FORM_VARIANTS = ['overlay', 'test-page', 'v2'] as const;
export type ApplicationFormVariant = (typeof APPLICATION_FORM_VARIANTS)[number];

/** `documents-deleted`: the mailbox was not confirmed in time. The applicant can apply again. */
export const LOAN_STATUSES = [
  'received',
  'in-review',
  'approved',
  'refused',
  'documents-deleted',
  MERGED_STATUS,
] as const;
export type LoanStatus = (typeof LOAN_STATUSES)[number];

export const LOAN_DOCUMENT_KINDS = ['passport-copy', 'utility-bill'] as const;
export type LoanDocumentKind = (typeof LOAN_DOCUMENT_KINDS)[number];

export const SUBMISSION_KINDS = [
  'card-application',
  'verification-request',
  'contact-message',
  'loan-application',
] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];

/** What a delivery can be about. The delivery's `event` field starts with one of these names and a dot. */
export const DELIVERY_SUBJECTS = [
  ...SUBMISSION_KINDS,
  ...(['alert', 'admin-link', 'weekly-report', 'mention', 'stake-reminder', 'top-up', 'card'] as const),
] as const;
export type DeliverySubject = (typeof DELIVERY_SUBJECTS)[number];

/** The kinds of submissions with a status that applicants can check: all kinds except contact messages. */
export const TRACKABLE_KINDS = [
  'card-application',
  'verification-request',
  'loan-application',
] as const satisfies readonly SubmissionKind[];
export type TrackableKind = (typeof TRACKABLE_KINDS)[number];

export const mapKinds = <Kind extends SubmissionKind, Value>(
  kinds: readonly Kind[],
  toValue: (kind: Kind) => Value,
): Readonly<Record<Kind, Value>> =>
  Object.fromEntries(kinds.map((kind) => [kind, toValue(kind)])) as Record<Kind, Value>;

export const NEXT_APPLICATION_STATUSES: Readonly<Record<ApplicationStatus, readonly ApplicationDecision[]>> =
  {
    received: ['in-review', 'approved', 'refused'],
    'in-review': ['approved', 'refused'],
    approved: ['card-issued', 'refused'],
    refused: [],
    'card-issued': [],
    merged: [],
  };

/** The statuses to which each status can change. A change to `withdrawn` removes the request's wallet from the whitelist. */
export const NEXT_REQUEST_STATUSES: Readonly<
  Record<RequestStatus, readonly Exclude<RequestStatus, 'received' | typeof MERGED_STATUS>[]>
> = { received: ['approved', 'refused'], approved: ['withdrawn'], refused: [], withdrawn: [], merged: [] };

/** The statuses to which each status can change. The change from `closed` to `open` requires a reason. */
export const NEXT_CONTACT_STATUSES: Readonly<Record<ContactStatus, readonly ContactDecision[]>> = {
  open: ['waiting', 'answered', 'closed'],
  waiting: ['open', 'answered', 'closed'],
  answered: ['open', 'waiting', 'closed'],
  closed: ['open'],
  merged: [],
};

/** The status that a reopened record gets, by its previous status. Contact messages use `NEXT_CONTACT_STATUSES` instead. */
export const REOPENED_STATUS: Readonly<
  Record<Exclude<SubmissionKind, 'contact-message'>, Readonly<Record<string, string>>>
> = {
  'card-application': { approved: 'in-review', refused: 'in-review', 'card-issued': 'in-review' },
  'verification-request': { refused: 'received', withdrawn: 'received' },
  'loan-application': { approved: 'in-review', refused: 'in-review' },
};

/**
 * The statuses in which a record can be merged with another one. Decided records cannot be merged: two decisions could
 * contradict each other, and merging an open record into a decided one would decide it without a review.
 */
export const MERGEABLE_STATUSES: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['received', 'in-review'],
  'verification-request': ['received'],
  'contact-message': ['open', 'waiting', 'answered'],
  'loan-application': ['received', 'in-review'],
};

/** Whether the team may vote on a loan application with this status. */
export function isLoanOpen(status: LoanStatus): boolean {
  return status === 'received' || status === 'in-review';
}

export const LOAN_VOTES = ['approve', 'refuse'] as const;
export type LoanVote = (typeof LOAN_VOTES)[number];

/** The number of matching votes that decide a loan application. */
export const LOAN_VOTES_NEEDED = 2;

/** The maximum lengths of texts that the team enters, in characters. `despite`: the reason for an approval despite warnings. */
export const MAX_REVIEW_TEXT_LENGTH = { reason: 1_000, despite: 500, note: 4_000, search: 120 } as const;

/** The team's decisions about a card. To close a card, one admin requests the closure and another confirms it. */
export const CARD_DECISIONS = [
  'frozen',
  'freeze-lifted',
  'closing-requested',
  'closing-withdrawn',
  'closed',
] as const;
export type CardDecision = (typeof CARD_DECISIONS)[number];
