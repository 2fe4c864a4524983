import type { changeRecords } from '../../../data/contract/admin-bulk.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import type { BulkOutcome } from '../../../data/model/bulk.ts';
import { CONTACT_DECISIONS, type SubmissionKind } from '../../../data/model/submission-status.ts';
import type { CardTier } from '../../../data/model/tiers.ts';
import {
  APPLICATION_ACTIONS,
  CONTACT_ACTIONS,
  LOAN_ACTIONS,
  REQUEST_ACTIONS,
  type RecordAction,
} from './decisions.ts';

type Body = BodyOf<typeof changeRecords>;
type WithoutRecords<Each> = Each extends unknown ? Omit<Each, 'records' | 'isPreview'> : never;
type BulkChange = WithoutRecords<Body>;

export interface EnteredValues {
  readonly assignTo: string | null;
  readonly tier: CardTier | null;
  readonly reason: string;
}

export interface BulkAction extends Pick<RecordAction, 'label' | 'effect'> {
  readonly id: string;
  /** The kind of record that the action changes; null for all kinds. */
  readonly kind: SubmissionKind | null;
  readonly needs?: RecordAction['needs'] | 'assignee';
  readonly changeOf: (enteredValues: EnteredValues) => BulkChange;
}

const ASSIGN: BulkAction = {
  id: 'assign',
  kind: null,
  label: 'Assign',
  needs: 'assignee',
  effect: 'Each record shows its assignee.',
  changeOf: ({ assignTo }) => ({ action: 'assign', assignTo }),
};

const actionsOfKind = (
  kind: SubmissionKind,
  actions: readonly RecordAction[],
  changeOf: (id: RecordAction['id'], enteredValues: EnteredValues) => BulkChange,
): readonly BulkAction[] =>
  actions.map(({ id, label, needs, effect }) => ({
    ...{ id: `${kind} ${id}`, kind, label, effect },
    ...(needs === undefined ? {} : { needs }),
    changeOf: (enteredValues) => changeOf(id, enteredValues),
  }));

const ACTIONS: readonly BulkAction[] = [
  ASSIGN,
  ...actionsOfKind('card-application', Object.values(APPLICATION_ACTIONS), (id, { reason }) => ({
    action: 'decide-applications',
    decision: id as 'approved',
    reason,
  })),
  ...actionsOfKind(
    'verification-request',
    [REQUEST_ACTIONS.approved, REQUEST_ACTIONS.refused],
    (id, { tier, reason }) => ({ action: 'decide-requests', decision: id as 'approved', tier, reason }),
  ),
  ...actionsOfKind('loan-application', LOAN_ACTIONS, (id, { reason }) => ({
    action: 'vote-on-loans',
    vote: id === 'approved' ? 'approve' : 'refuse',
    reason,
  })),
  ...actionsOfKind(
    'contact-message',
    CONTACT_DECISIONS.toReversed().map((status) => ({
      ...CONTACT_ACTIONS[status],
      ...(status === 'open' ? { needs: 'team-reason' as const } : {}),
    })),
    (id, { reason }) => ({ action: 'move-contacts', status: id as 'closed', reason }),
  ),
];

export const bulkActionsOn = (kinds: ReadonlySet<SubmissionKind>): readonly BulkAction[] =>
  ACTIONS.filter(({ kind }) => kind === null || kinds.has(kind));

/** Why a record is left out of a bulk change; null if the record is included. */
export const LEFT_OUT_REASONS: Readonly<Record<BulkOutcome, string | null>> = {
  ready: null,
  done: null,
  unchanged: 'There is nothing to change.',
  changed: 'It changed in the meantime.',
  unknown: 'It was deleted.',
  'other-kind': 'The action is not for this kind of record.',
  closed: 'Its status does not allow this.',
  warned: 'Decide on it separately: there are warnings.',
  voted: 'You already voted on it.',
  contradicts: 'Another admin voted the opposite way. Decide on it separately.',
  'reason-needed': 'Enter the reason.',
  failed: 'An error occurred. Try again.',
};
