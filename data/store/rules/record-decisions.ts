import {
  type ApplicationStatus,
  LOAN_VOTES_NEEDED,
  type LoanStatus,
  NEXT_APPLICATION_STATUSES,
  NEXT_REQUEST_STATUSES,
  type RequestStatus,
} from '../../model/submission-status.ts';
import { UNDO_MS } from '../../model/undo.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  Actor,
  ApprovalOverride,
  CurrentVote,
  Decision,
  DecisionRefusal,
  RecordStore,
  SeenRecord,
} from '../record-port.ts';
import { rowId } from '../row-id.ts';
import { nextChangedAt } from './changed-at.ts';
import type { QueuedDelivery } from './received-submission.ts';

type DecisionInput<Call extends 'decideApplication' | 'decideRequest' | 'vote'> = Parameters<
  RecordStore[Call]
>[0];

export interface CurrentState<Status extends string> {
  readonly status: Status;
  readonly changedAt: number;
  readonly email: string;
  /** Only for verification requests. */
  readonly walletAddress?: string;
}

export interface DecisionRows<Status extends string> {
  readonly status: Status;
  readonly changedAt: number;
  readonly decisions: readonly Pick<Decision, 'decision' | 'reason'>[];
  /** New entries in the timeline that the applicant sees. */
  readonly events: readonly { readonly status: Status; readonly note: string | null }[];
  readonly audit: readonly AuditRecord[];
  readonly mail: QueuedDelivery | null;
}

export const mayDecideApplication =
  ({ decision }: DecisionInput<'decideApplication'>) =>
  (status: ApplicationStatus): boolean =>
    NEXT_APPLICATION_STATUSES[status].includes(decision);
export const mayDecideRequest =
  ({ decision }: DecisionInput<'decideRequest'>) =>
  (status: RequestStatus): boolean =>
    NEXT_REQUEST_STATUSES[status].includes(decision);

export function decisionRefusal<Status extends string>(
  state: CurrentState<Status>,
  { changedAt }: SeenRecord,
  isPossible: (status: Status) => boolean,
): Exclude<DecisionRefusal<Status>['kind'], 'unknown'> | null {
  if (state.changedAt !== changedAt) return 'changed';
  return isPossible(state.status) ? null : 'closed';
}

export const toAuditRecord = (
  action: string,
  { at, adminId, address }: Actor,
  details: AuditRecord['details'],
) => ({
  id: rowId(at),
  at,
  actor: adminId,
  address,
  action,
  details,
});

const overrideDetails = (despite: ApprovalOverride | null | undefined): AuditRecord['details'] =>
  despite ? { despite: despite.warnings.join(', '), reason: despite.reason } : {};

/** The reason that the team sees for a decision. It includes the reason for overriding warnings. */
const teamReason = (reason: string | null, despite: ApprovalOverride | null | undefined): string | null =>
  [reason, despite?.reason].filter(Boolean).join('\n\n') || null;

const mailTo = (recipient: string, event: string, referenceNumber: string): QueuedDelivery => ({
  event,
  referenceNumber,
  channel: 'mail',
  audience: 'applicant',
  recipient,
  delayMs: UNDO_MS,
});

export function applicationDecision(
  state: CurrentState<ApplicationStatus>,
  { referenceNumber, decision, reason, despite }: DecisionInput<'decideApplication'>,
  actor: Actor,
): DecisionRows<ApplicationStatus> {
  const event = `card-application.${decision}`;
  const isFinal = decision === 'approved' || decision === 'refused';
  return {
    status: decision,
    changedAt: nextChangedAt(state.changedAt, actor.at),
    decisions: [{ decision, reason: teamReason(reason, despite) }],
    events: [{ status: decision, note: reason }],
    audit: [
      toAuditRecord(event, actor, { referenceNumber, from: state.status, ...overrideDetails(despite) }),
    ],
    mail: isFinal ? mailTo(state.email, event, referenceNumber) : null,
  };
}

export function requestDecision(
  state: CurrentState<RequestStatus>,
  change: DecisionInput<'decideRequest'>,
  actor: Actor,
): DecisionRows<RequestStatus> {
  const { referenceNumber, decision, reason } = change;
  const event = `verification-request.${decision}`;
  const { tier, despite } = change.decision === 'approved' ? change : { tier: null, despite: null };
  return {
    status: decision,
    changedAt: nextChangedAt(state.changedAt, actor.at),
    decisions: [{ decision, reason: teamReason(reason, despite) }],
    events: [{ status: decision, note: reason }],
    audit: [toAuditRecord(event, actor, { referenceNumber, tier, ...overrideDetails(despite) })],
    mail: mailTo(state.email, event, referenceNumber),
  };
}

/** The rows that a vote stores besides the vote itself. After a contradiction, all votes are deleted. */
interface VoteRows extends DecisionRows<LoanStatus> {
  readonly kind: 'waiting' | 'decided' | 'contradicted';
}

/** @param votes the valid votes of all admins */
export function loanVote(
  state: CurrentState<LoanStatus>,
  { referenceNumber, vote, reason, despite }: DecisionInput<'vote'>,
  actor: Actor,
  votes: readonly CurrentVote[],
): VoteRows {
  const others = votes.filter(({ adminId }) => adminId !== actor.adminId);
  const ownVote = { decision: vote, reason: teamReason(reason, despite) };
  const details = { referenceNumber, vote, ...overrideDetails(despite) };
  const voteAudit = toAuditRecord('loan-application.voted', actor, details);
  const changedAt = nextChangedAt(state.changedAt, actor.at);
  const statusCells = (status: LoanStatus) => ({
    status,
    changedAt,
    events: status === state.status ? [] : [{ status, note: status === 'refused' ? reason : null }],
  });
  if (others.some(({ decision }) => decision !== vote)) {
    const contradictionAudit = toAuditRecord('loan-application.contradicted', actor, { referenceNumber });
    const decisions = [ownVote, { decision: 'contradicted', reason: null }];
    const audit = [voteAudit, contradictionAudit];
    return { kind: 'contradicted', ...statusCells('in-review'), decisions, audit, mail: null };
  }
  if (others.length + 1 < LOAN_VOTES_NEEDED) {
    return {
      kind: 'waiting',
      ...statusCells('in-review'),
      decisions: [ownVote],
      audit: [voteAudit],
      mail: null,
    };
  }
  const status = vote === 'approve' ? 'approved' : 'refused';
  const event = `loan-application.${status}`;
  return {
    kind: 'decided',
    ...statusCells(status),
    decisions: [ownVote, { decision: status, reason }],
    audit: [voteAudit, toAuditRecord(event, actor, { referenceNumber })],
    mail: mailTo(state.email, event, referenceNumber),
  };
}
