import {
  isLoanOpen,
  NEXT_APPLICATION_STATUSES,
  NEXT_REQUEST_STATUSES,
} from '../../../data/model/record-review.ts';
import type { DeskRecord } from './desk-calls.ts';

/** What an admin can do with a record from where it stands. */
export interface RecordAction {
  readonly id: 'in-review' | 'approved' | 'refused' | 'card-issued';
  /** The key that begins it. */
  readonly key: 'a' | 'i' | 'r' | 'v';
  readonly label: string;
  /** What has to be given beside it. */
  readonly needs: 'tier' | 'reason' | null;
  /** What follows, for who is about to confirm it. */
  readonly follows: string;
}

const APPLICATION_ACTIONS: Readonly<Record<RecordAction['id'], RecordAction>> = {
  'in-review': {
    id: 'in-review',
    key: 'v',
    label: 'Take into review',
    needs: null,
    follows: 'The applicant sees that somebody is looking at it.',
  },
  approved: {
    id: 'approved',
    key: 'a',
    label: 'Approve',
    needs: null,
    follows: 'The applicant is told by email.',
  },
  refused: {
    id: 'refused',
    key: 'r',
    label: 'Refuse',
    needs: 'reason',
    follows: 'The applicant is told by email, with the reason.',
  },
  'card-issued': {
    id: 'card-issued',
    key: 'i',
    label: 'Card issued',
    needs: null,
    follows: 'The applicant sees that the card is made.',
  },
};

const REQUEST_ACTIONS = {
  approved: {
    id: 'approved',
    key: 'a',
    label: 'Approve',
    needs: 'tier',
    follows: 'The wallet is whitelisted for the tier, and the sender is told by email.',
  },
  refused: { ...APPLICATION_ACTIONS.refused, follows: 'The sender is told by email, with the reason.' },
} as const satisfies Partial<Record<RecordAction['id'], RecordAction>>;

const LOAN_ACTIONS: readonly RecordAction[] = [
  {
    id: 'approved',
    key: 'a',
    label: 'Vote to approve',
    needs: null,
    follows: 'It is approved once a second admin says the same.',
  },
  {
    id: 'refused',
    key: 'r',
    label: 'Vote to refuse',
    needs: 'reason',
    follows: 'It is refused once a second admin says the same; the applicant is told the reason.',
  },
];

/** The actions on a record, in their order; none once it came to its end, or one has voted already. */
export function actionsOn(about: DeskRecord): readonly RecordAction[] {
  switch (about.kind) {
    case 'card-application':
      return NEXT_APPLICATION_STATUSES[about.record.status].map((next) => APPLICATION_ACTIONS[next]);
    case 'verification-request':
      return NEXT_REQUEST_STATUSES[about.record.status].map((next) => REQUEST_ACTIONS[next]);
    case 'loan-application':
      return isLoanOpen(about.record.status) && !about.record.votes.some(({ isYours }) => isYours)
        ? LOAN_ACTIONS
        : [];
    case 'contact-message':
      return [];
  }
}
