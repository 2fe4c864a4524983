import type { decideApplication, decideRequest } from '../../../data/contract/admin-decisions.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { type ApprovalWarning, cardWarnings, loanWarnings } from '../../../data/model/approval-warnings.ts';
import { durationWithUnit } from '../../../data/model/facts/amount-text.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import {
  APPLICATION_STATUSES,
  CONTACT_DECISIONS,
  type ContactDecision,
  isLoanOpen,
  type LoanVote,
  NEXT_APPLICATION_STATUSES,
  NEXT_CONTACT_STATUSES,
  NEXT_REQUEST_STATUSES,
  REOPENED_STATUS,
} from '../../../data/model/submission-status.ts';
import { CARD_TIERS, type CardTier } from '../../../data/model/tiers.ts';
import { type StoredRecord, useChange } from '../admin/admin-calls.ts';
import { labelOf } from './status-labels.tsx';
import { $batchReferences } from './undo-all.ts';

export interface RecordAction {
  readonly id:
    | 'in-review'
    | 'approved'
    | 'refused'
    | 'card-issued'
    | 'withdrawn'
    | 'reopened'
    | ContactDecision;
  readonly key: 'a' | 'c' | 'i' | 'o' | 'r' | 'v' | 'w';
  readonly label: string;
  /** The input that the action requires; absent if it requires none. Only the team sees a `team-reason`. */
  readonly needs?: 'tier' | 'reason' | 'team-reason';
  /** The consequences of the decision, shown before the admin confirms it. */
  readonly effect: string;
}

export const APPLICATION_ACTIONS: Readonly<
  Record<Exclude<RecordAction['id'], 'withdrawn' | 'reopened' | ContactDecision>, RecordAction>
> = {
  'in-review': {
    id: 'in-review',
    key: 'v',
    label: 'Start review',
    effect: 'The applicant will see that the application is in review.',
  },
  approved: { id: 'approved', key: 'a', label: 'Approve', effect: 'The applicant is notified by email.' },
  refused: {
    id: 'refused',
    key: 'r',
    label: 'Refuse',
    needs: 'reason',
    effect: 'The applicant is notified by email, with the reason.',
  },
  'card-issued': {
    id: 'card-issued',
    key: 'i',
    label: 'Card issued',
    effect: 'The applicant will see that the card is ready.',
  },
};

export const REQUEST_ACTIONS = {
  approved: {
    ...APPLICATION_ACTIONS.approved,
    needs: 'tier',
    effect: 'The wallet will be whitelisted for this tier, and the applicant will be notified by email.',
  },
  refused: APPLICATION_ACTIONS.refused,
  withdrawn: {
    id: 'withdrawn',
    key: 'w',
    label: 'Withdraw whitelisting',
    needs: 'reason',
    effect:
      'The applicant is notified by email, with the reason. A card without a sufficient stake is frozen at once.',
  },
} as const satisfies Partial<Record<RecordAction['id'], RecordAction>>;

export const LOAN_ACTIONS: readonly RecordAction[] = [
  {
    ...APPLICATION_ACTIONS.approved,
    label: 'Vote to approve',
    effect: 'The application is approved once a second admin votes to approve.',
  },
  {
    ...APPLICATION_ACTIONS.refused,
    label: 'Vote to refuse',
    effect:
      'Once a second admin votes to refuse, the application is refused and the applicant gets the reason.',
  },
];

export const CONTACT_ACTIONS: Readonly<Record<ContactDecision, RecordAction>> = {
  answered: {
    id: 'answered',
    key: 'a',
    label: 'Mark as answered',
    effect: 'Use this if you answered outside the portal. No email is sent.',
  },
  waiting: {
    id: 'waiting',
    key: 'w',
    label: 'Wait for the person',
    effect: 'The message is not due while you wait. No email is sent.',
  },
  closed: {
    id: 'closed',
    key: 'c',
    label: 'Close message',
    effect: `Closed messages are deleted within ${durationWithUnit(PORTAL_LIMITS.messageRetentionDays, 'day')}. No email is sent.`,
  },
  open: {
    id: 'open',
    key: 'o',
    label: 'Reopen',
    effect: 'The message waits for the team again. The response time restarts.',
  },
};

const REOPEN: RecordAction = {
  id: 'reopened',
  key: 'o',
  label: 'Reopen',
  needs: 'team-reason',
  effect: 'The applicant sees that the record is open again. No email is sent. The response time restarts.',
};

/** The possible actions on a record, in display order. Empty if the admin has voted and another admin has to vote next. */
export function actionsOn(storedRecord: StoredRecord): readonly RecordAction[] {
  const { kind, record } = storedRecord;
  const isDecided = kind !== 'contact-message' && REOPENED_STATUS[kind][record.status] !== undefined;
  return isDecided ? [...nextActionsOn(storedRecord), REOPEN] : nextActionsOn(storedRecord);
}

function nextActionsOn(storedRecord: StoredRecord): readonly RecordAction[] {
  switch (storedRecord.kind) {
    case 'card-application':
      return NEXT_APPLICATION_STATUSES[storedRecord.record.status].map((next) => APPLICATION_ACTIONS[next]);
    case 'verification-request':
      // If an approved request no longer whitelists its wallet, there is nothing to withdraw.
      return NEXT_REQUEST_STATUSES[storedRecord.record.status]
        .filter(
          (next) =>
            next !== 'withdrawn' || storedRecord.record.whitelistedThrough === storedRecord.referenceNumber,
        )
        .map((next) => REQUEST_ACTIONS[next]);
    case 'loan-application':
      return isLoanOpen(storedRecord.record.status) &&
        !storedRecord.record.votes.some(({ isYours }) => isYours)
        ? LOAN_ACTIONS
        : [];
    case 'contact-message': {
      const { status } = storedRecord.record;
      const reopenAction = {
        ...CONTACT_ACTIONS.open,
        ...(status === 'closed' && { needs: 'team-reason' as const }),
      };
      return NEXT_CONTACT_STATUSES[status].map((next) =>
        next === 'open' ? reopenAction : CONTACT_ACTIONS[next],
      );
    }
  }
}

export const neededVotesText = (vote: LoanVote): string =>
  vote === 'approve' ? 'One more approval is needed.' : 'One more refusal is needed.';

export interface DecisionOutcome {
  readonly kind: 'done' | 'conflict' | 'failed';
  readonly message: string;
}

/** Only approvals show warnings. */
export const isApproval = ({ id }: RecordAction): boolean => id === 'approved' || id === 'card-issued';

/** @param tier the chosen tier of a verification request */
export function warningsOf(
  storedRecord: StoredRecord,
  tier: CardTier | null = null,
): readonly ApprovalWarning[] {
  switch (storedRecord.kind) {
    case 'card-application': {
      const { walletNow, isOwnershipProven, tier: appliedTier } = storedRecord.record;
      return cardWarnings(
        walletNow,
        isOwnershipProven,
        CARD_TIERS.find((one) => one === appliedTier) ?? null,
      );
    }
    case 'verification-request':
      return cardWarnings(storedRecord.record.walletNow, storedRecord.record.isOwnershipProven, tier);
    case 'loan-application': {
      const { riskSuitability, mailboxConfirmedAt } = storedRecord.record;
      return loanWarnings({ riskSuitability, isMailboxConfirmed: mailboxConfirmedAt !== null });
    }
    case 'contact-message':
      return [];
  }
}

export interface Decision {
  readonly action: RecordAction;
  readonly tier: CardTier | null;
  /** Empty if the action needs no reason. */
  readonly reason: string;
  /** The warnings that the admin overrides, and the reason; null if there are none. */
  readonly despite: { readonly warnings: ApprovalWarning[]; readonly reason: string } | null;
}

const CONTRADICTED =
  'Another admin voted the opposite way. Both votes were cleared, and both of you can vote again.';

function requestDecision(
  recordVersion: { readonly referenceNumber: string; readonly changedAt: string },
  { action, tier, reason, despite }: Decision,
): BodyOf<typeof decideRequest> {
  if (action.id === 'refused' || action.id === 'withdrawn')
    return { ...recordVersion, decision: action.id, reason };
  if (tier === null) throw new Error('Approving a request requires a tier.');
  return { ...recordVersion, decision: 'approved', tier, despite };
}

function contactStatusOf({ id }: RecordAction): ContactDecision {
  const status = CONTACT_DECISIONS.find((one) => one === id);
  if (status === undefined) throw new Error(`${id} is not a state of a message.`);
  return status;
}

function applicationStatusOf({ id }: RecordAction): BodyOf<typeof decideApplication>['decision'] {
  const status = APPLICATION_STATUSES.find((one) => one === id);
  if (status === undefined || status === 'received' || status === 'merged')
    throw new Error(`${id} is not a decision on an application.`);
  return status;
}

/** `decide` resolves to null while another decision is being sent. */
export function useDecision(storedRecord: StoredRecord) {
  const { isBusy, send } = useChange();
  const decide = async (decision: Decision): Promise<DecisionOutcome | null> => {
    const { action, reason, despite } = decision;
    // A single decision is undone on its own, not with the previous batch.
    $batchReferences.set([]);
    const { referenceNumber, changedAt } = storedRecord.record;
    const recordVersion = { referenceNumber, changedAt };
    const bodyWithReason = { ...recordVersion, ...(action.needs === 'reason' ? { reason } : {}), despite };
    const doneOutcome = (status: string): DecisionOutcome => ({
      kind: 'done',
      message: `${referenceNumber}: ${labelOf(status)}.`,
    });
    if (action.id === 'reopened') {
      const outcome = await send(PATHS.reopenRecord, { ...recordVersion, reason });
      return outcome?.kind === 'done' ? doneOutcome(outcome.body.status) : outcome;
    }
    if (storedRecord.kind === 'contact-message') {
      const change = {
        ...recordVersion,
        status: contactStatusOf(action),
        ...(action.needs === 'team-reason' && { reason }),
      };
      const outcome = await send(PATHS.moveContact, change);
      return outcome?.kind === 'done' ? doneOutcome(outcome.body.status) : outcome;
    }
    if (storedRecord.kind === 'loan-application') {
      const vote = action.id === 'refused' ? 'refuse' : 'approve';
      const outcome = await send(PATHS.voteOnLoan, { ...bodyWithReason, vote });
      if (outcome?.kind !== 'done') return outcome;
      switch (outcome.body.outcome) {
        case 'decided':
          return doneOutcome(outcome.body.status);
        case 'waiting':
          return { kind: 'done', message: `Your vote was counted. ${neededVotesText(vote)}` };
        case 'contradicted':
          return { kind: 'done', message: CONTRADICTED };
      }
    }
    if (storedRecord.kind === 'verification-request') {
      const outcome = await send(PATHS.decideRequest, requestDecision(recordVersion, decision));
      return outcome?.kind === 'done' ? doneOutcome(outcome.body.status) : outcome;
    }
    const outcome = await send(PATHS.decideApplication, {
      ...bodyWithReason,
      decision: applicationStatusOf(action),
    });
    return outcome?.kind === 'done' ? doneOutcome(outcome.body.status) : outcome;
  };
  return { isBusy, decide };
}
