import type { MessageKind } from '../../model/conversation.ts';
import {
  type ContactDecision,
  type ContactStatus,
  NEXT_CONTACT_STATUSES,
} from '../../model/submission-status.ts';
import { dueTime } from '../../model/work.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { Actor, Decision, RecordStore, WorkItem } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import { nextChangedAt } from './changed-at.ts';
import { toAuditRecord } from './record-decisions.ts';
import { mayWait, notDueRank } from './record-lists.ts';

/**
 * A change of a contact message's status: an admin's decision, or the effect of a message, a reply, or a merge.
 */
export interface ContactStatusChange {
  readonly referenceNumber: string;
  readonly status: ContactDecision;
  readonly actor: Pick<Actor, 'at'> & { readonly adminId: string | null; readonly address: string | null };
}

/** The stored data that determines the due time of a record that is not a contact message. */
export interface DueCells {
  readonly status: string;
  readonly createdAt: number;
  readonly dueAt: number | null;
  /**
   * How many milliseconds the team had left when the record began to wait for the applicant. Null if the record is not waiting.
   */
  readonly dueLeft: number | null;
}

/**
 * The due time after a message: a question stops the clock, and an answer restarts it with the time that was left. Null if
 * nothing changes.
 * @param at Unix ms
 */
export function dueCellsAfterMessage(
  kind: MessageKind,
  { status, createdAt, dueAt, dueLeft }: DueCells,
  at: number,
): Pick<DueCells, 'dueAt' | 'dueLeft'> | null {
  if (kind === 'question' && dueLeft === null && mayWait(status)) {
    return { dueAt: notDueRank(createdAt), dueLeft: (dueAt ?? createdAt) - at };
  }
  return kind === 'answer' && dueLeft !== null ? { dueAt: at + dueLeft, dueLeft: null } : null;
}

/** The due time after the team stops waiting for the applicant; null if the record is not waiting. */
export const dueCellsAfterWaiting = (cells: DueCells, at: number) =>
  mayWait(cells.status) ? dueCellsAfterMessage('answer', cells, at) : null;

export const waitingEndedRecord = (referenceNumber: string, actor: Actor): AuditRecord =>
  toAuditRecord('record.waiting-ended', actor, { referenceNumber });

export interface ContactState {
  readonly status: ContactStatus;
  readonly changedAt: number;
  readonly dueAt: number | null;
  readonly category: string | null;
}

export interface ContactRows {
  readonly status: ContactDecision;
  readonly changedAt: number;
  readonly closedAt: number | null;
  readonly dueAt: number | null;
  readonly decision: Pick<Decision, 'decision' | 'reason'>;
  readonly audit: AuditRecord;
}

export function contactRefusal(
  state: ContactState,
  { status, changedAt, reason }: Parameters<RecordStore['decideContact']>[0],
): 'changed' | 'closed' | 'reason-needed' | null {
  if (state.changedAt !== changedAt) return 'changed';
  if (!NEXT_CONTACT_STATUSES[state.status].includes(status)) return 'closed';
  return state.status === 'closed' && !reason ? 'reason-needed' : null;
}

/** The rows to store when a contact message's status changes. If the message is reopened, its due time is recalculated. */
export function contactRows(
  state: ContactState,
  { referenceNumber, status, actor }: ContactStatusChange,
  reason: string | null = null,
): ContactRows {
  const { at, adminId, address } = actor;
  return {
    status,
    changedAt: nextChangedAt(state.changedAt, at),
    closedAt: status === 'closed' ? at : null,
    dueAt: status === 'open' ? dueTime('contact-message', state, at) : state.dueAt,
    decision: { decision: status, reason },
    audit: {
      id: rowId(at),
      at,
      actor: adminId ?? 'visitor',
      address,
      action: `contact-message.${status}`,
      details: { referenceNumber, from: state.status },
    },
  };
}

export const assignmentRecord = (
  referenceNumber: string,
  { from, to }: { readonly from: string | null; readonly to: string | null },
  actor: Actor,
): AuditRecord => toAuditRecord('record.assigned', actor, { referenceNumber, from, to });

export const workCursor = ({ dueAt, createdAt, referenceNumber }: WorkItem): string =>
  `${dueAt}~${createdAt}~${referenceNumber}`;

export function parseWorkCursor(after: string): readonly [number, number, string] {
  const [dueAt, createdAt, referenceNumber = ''] = after.split('~');
  return [Number(dueAt), Number(createdAt), referenceNumber];
}
