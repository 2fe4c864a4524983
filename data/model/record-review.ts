import type { ApplicationStatus, LoanStatus, RequestStatus } from './submission-status.ts';

/** What the team may make of a card application, by where it stands. What is refused or issued stays so. */
export const NEXT_APPLICATION_STATUSES: Readonly<
  Record<ApplicationStatus, readonly Exclude<ApplicationStatus, 'received'>[]>
> = {
  received: ['in-review', 'approved', 'refused'],
  'in-review': ['approved', 'refused'],
  approved: ['card-issued', 'refused'],
  refused: [],
  'card-issued': [],
};

/** The same of a request for manual verification. */
export const NEXT_REQUEST_STATUSES: Readonly<
  Record<RequestStatus, readonly Exclude<RequestStatus, 'received'>[]>
> = { received: ['approved', 'refused'], approved: [], refused: [] };

/** Whether the team may still vote on a loan application. */
export function isLoanOpen(status: LoanStatus): boolean {
  return status === 'received' || status === 'in-review';
}

export const LOAN_VOTES = ['approve', 'refuse'] as const;
export type LoanVote = (typeof LOAN_VOTES)[number];

/** How many admins must say the same of a loan application before it holds. */
export const LOAN_VOTES_NEEDED = 2;

/** Characters at most of what the team writes. */
export const LONGEST_REVIEW_TEXT = { reason: 1_000, note: 4_000, search: 120 } as const;
