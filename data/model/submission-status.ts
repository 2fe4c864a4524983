/** Where a card application stands, in the order of its life. */
export const APPLICATION_STATUSES = ['received', 'in-review', 'approved', 'refused', 'card-issued'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** Where a request for manual verification stands. */
export const REQUEST_STATUSES = ['received', 'approved', 'refused'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** The shapes that a card application is sent in: two of the first call, one of the second. */
export const APPLICATION_SHAPES = ['overlay', 'test-page', 'v2'] as const;
export type ApplicationShape = (typeof APPLICATION_SHAPES)[number];

/** Where an application for the loan note stands. */
export const LOAN_STATUSES = ['received', 'in-review', 'approved', 'refused'] as const;
export type LoanStatus = (typeof LOAN_STATUSES)[number];

export const LOAN_DOCUMENT_KINDS = ['passport-copy', 'utility-bill'] as const;
export type LoanDocumentKind = (typeof LOAN_DOCUMENT_KINDS)[number];

/** What a message to support can be about. */
export const CONTACT_CATEGORIES = ['virtual-card', 'staking', 'technical', 'account', 'general'] as const;
export type ContactCategory = (typeof CONTACT_CATEGORIES)[number];

/** What a reference number can stand for. */
export const SUBMISSION_KINDS = [
  'card-application',
  'verification-request',
  'contact-message',
  'loan-application',
] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];

/** Those that go through stages their senders can follow. A message to support is answered, and has none. */
export const FOLLOWED_KINDS = [
  'card-application',
  'verification-request',
  'loan-application',
] as const satisfies readonly SubmissionKind[];
export type FollowedKind = (typeof FOLLOWED_KINDS)[number];
