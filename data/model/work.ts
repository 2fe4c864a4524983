import { isShortRequest } from './forms/verification-forms.ts';
import { LOAN_TERMS } from './loan-terms.ts';
import { SERVICE_TIMES } from './portal-terms.ts';
import type { SubmissionKind } from './submission-status.ts';

/** `me` is the admin who reads the list. */
export const ASSIGNEE_FILTER_VALUES = ['me', 'nobody'] as const;
export const ASSIGNEE_FILTER_DESCRIPTION =
  'me: records assigned to the calling admin. nobody: records without an assignee. Or the id of an admin.';
/** `open`: records that wait for the team. `overdue`: open records that are past their due time. */
export const DUE_FILTER_VALUES = ['open', 'overdue'] as const;

/** The fields of a submission that decide how soon the team promises to act. */
export interface DueTimeInputs {
  readonly category?: string | null;
  readonly claimedAmount?: string | null;
}

/** The team promises to act on a submission within this many hours. If a range is promised, its upper end counts. */
export function promisedHours(kind: SubmissionKind, fields: DueTimeInputs): number {
  switch (kind) {
    case 'card-application':
      return SERVICE_TIMES.applicationReviewHours;
    case 'verification-request':
      return isShortRequest(fields) ? SERVICE_TIMES.shortReviewHours : SERVICE_TIMES.fullReviewHours[1];
    case 'contact-message':
      return fields.category === 'technical' ? SERVICE_TIMES.priorityHours : SERVICE_TIMES.emailHours;
    case 'loan-application':
      return LOAN_TERMS.confirmationHours;
  }
}

/** When (Unix ms) the team must have acted on a submission that has been waiting since `since` (Unix ms). */
export const dueTime = (kind: SubmissionKind, fields: DueTimeInputs, since: number): number =>
  since + promisedHours(kind, fields) * 3_600_000;
