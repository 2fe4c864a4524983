/** Where a card application stands, in the order of its life. */
export const APPLICATION_STATUSES = ['received', 'in-review', 'approved', 'refused', 'card-issued'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** Where a request for manual verification stands. */
export const REQUEST_STATUSES = ['received', 'approved', 'refused'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** The shapes that a card application is sent in: two of the first call, one of the second. */
export const APPLICATION_SHAPES = ['overlay', 'test-page', 'v2'] as const;
export type ApplicationShape = (typeof APPLICATION_SHAPES)[number];

/** What a reference number can stand for whose timeline its sender may see. */
export const SUBMISSION_KINDS = ['card-application', 'verification-request'] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];
