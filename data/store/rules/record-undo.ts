import { type LoanVote, REOPENED_STATUS, type SubmissionKind } from '../../model/submission-status.ts';
import { UNDO_MS } from '../../model/undo.ts';
import { type DueTimeInputs, dueTime } from '../../model/work.ts';
import type { Actor, RecordStore, UndoableDecision } from '../record-port.ts';
import { nextChangedAt } from './changed-at.ts';
import type { EndedMessage } from './decision-messages.ts';
import { type CurrentState, type DecisionRows, toAuditRecord } from './record-decisions.ts';
import type { MergeCells } from './record-merges.ts';

/**
 * The columns that decisions change, besides `changedAt`. `dueAt` and `dueLeft` are restored together. With only one of them
 * restored, a record would neither wait for the applicant nor be due.
 */
export const DECISION_COLUMNS: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['status', 'dueAt', 'dueLeft'],
  'verification-request': ['status', 'dueAt', 'dueLeft', 'refusalReason'],
  'contact-message': ['status', 'dueAt', 'closedAt'],
  'loan-application': ['status', 'dueAt', 'dueLeft', 'decidedAt', 'refusalReason', 'confirmBy'],
};

/** The SQL that restores a column of `DECISION_COLUMNS`. A mailbox that was confirmed after the decision stays confirmed. */
export const restoreColumnSql = (column: string, placeholder: string): string =>
  column === 'confirmBy'
    ? `"confirmBy" = case when "mailboxConfirmedAt" is null then cast(${placeholder} as bigint) end`
    : `"${column}" = ${placeholder}`;

export interface RecordBeforeDecision {
  /** The cells of `DECISION_COLUMNS`. */
  readonly cells: Readonly<Record<string, string | number | null>>;
  /** The sequence numbers of the record's newest rows before the decision. The rows of the decision have higher numbers. */
  readonly lastDecision: number;
  readonly lastEvent: number;
  readonly lastMessage: number;
  readonly votes: readonly {
    readonly id: string;
    readonly adminId: string;
    readonly decision: LoanVote;
    readonly reason: string | null;
    readonly votedAt: number;
  }[];
  readonly whitelisting: {
    readonly walletAddress: string;
    readonly tier: string;
    readonly whitelistedAt: number;
    readonly referenceNumber: string;
  } | null;
  /** The messages about earlier decisions. Present only if this decision ended the earlier decisions. */
  readonly settled?: readonly EndedMessage[];
  /** The kept record's state before the merge; absent unless a merge changed that record. */
  readonly kept?: UndoRow;
}

/** A row of the table `record_undos`: the newest decision on a record, if it can be undone. */
export interface UndoRow {
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  readonly adminId: string;
  readonly decidedAt: number;
  readonly until: number;
  /** The record's `changedAt` after the decision. */
  readonly changedAt: number;
  readonly status: string;
  readonly mailEvent: string | null;
  /** `RecordBeforeDecision` as JSON. */
  readonly before: string;
}

export const undoRow = (
  kind: SubmissionKind,
  referenceNumber: string,
  { at, adminId }: Pick<Actor, 'at' | 'adminId'>,
  { status, changedAt }: { readonly status: string; readonly changedAt: number },
  mailEvent: string | null,
  before: RecordBeforeDecision,
): UndoRow => ({
  referenceNumber,
  kind,
  adminId,
  decidedAt: at,
  until: at + UNDO_MS,
  changedAt,
  status,
  mailEvent,
  before: JSON.stringify(before),
});

/** What undoing a merge restores in the kept record; empty if the merge did not change that record. */
export const keptUndo = (
  kind: SubmissionKind,
  kept: Pick<MergeCells, 'referenceNumber' | 'status' | 'dueAt' | 'changedAt' | 'confirmBy'>,
  actor: Actor,
  before: RecordBeforeDecision,
): Pick<RecordBeforeDecision, 'kept'> =>
  kept.status === before.cells.status &&
  kept.dueAt === before.cells.dueAt &&
  kept.confirmBy === before.cells.confirmBy
    ? {}
    : { kept: undoRow(kind, kept.referenceNumber, actor, kept, null, before) };

export const toUndoableDecision = ({
  referenceNumber,
  kind,
  status,
  changedAt,
  until,
}: UndoRow): UndoableDecision => ({
  referenceNumber,
  kind,
  status,
  changedAt,
  until,
});

/**
 * Why a decision cannot be undone; null if it can. A message after the decision prevents the undo, because the message may have
 * changed the due time.
 * @param changedAt the stored record's `changedAt`
 * @param lastMessageSequence the sequence number of the record's newest message
 */
export function undoRefusal(
  row: UndoRow | null | undefined,
  request: Parameters<RecordStore['undo']>[0],
  { adminId, at }: Actor,
  changedAt: number,
  lastMessageSequence: number,
): 'changed' | 'over' | null {
  if (changedAt !== request.changedAt) return 'changed';
  if (!row || row.changedAt !== request.changedAt || row.adminId !== adminId) return 'over';
  if (at >= row.until) return 'over';
  return lastMessageSequence > (JSON.parse(row.before) as RecordBeforeDecision).lastMessage
    ? 'changed'
    : null;
}

export function undoneRows(row: UndoRow, actor: Actor) {
  const before = JSON.parse(row.before) as RecordBeforeDecision;
  const { referenceNumber, kind, status: from } = row;
  const status = String(before.cells.status);
  return {
    before,
    status,
    changedAt: nextChangedAt(row.changedAt, actor.at),
    audit: toAuditRecord(`${kind}.undone`, actor, { referenceNumber, from, to: status }),
  };
}

/**
 * The cells that reopening clears: those that the decision set, and the time that was left when the record began to wait for the
 * applicant. The deadline for confirming a mailbox is removed too, because the team decided without the confirmation.
 */
export const CLEARED_CELLS: Readonly<Record<ReopenableKind, Readonly<Record<string, null>>>> = {
  'card-application': { dueLeft: null },
  'verification-request': { dueLeft: null, refusalReason: null },
  'loan-application': { dueLeft: null, decidedAt: null, refusalReason: null, confirmBy: null },
};

type ReopenableKind = Exclude<SubmissionKind, 'contact-message'>;

export const mayReopen = (kind: ReopenableKind) => (status: string) =>
  REOPENED_STATUS[kind][status] !== undefined;

/** The rows to store when a decided record is reopened. The due time is recalculated. Only the team sees the reason. */
export function reopenedRows(
  kind: ReopenableKind,
  state: CurrentState<string>,
  { referenceNumber, reason }: Parameters<RecordStore['reopen']>[0],
  actor: Actor,
  inputs: DueTimeInputs,
): DecisionRows<string> & { readonly dueAt: number } {
  const status = REOPENED_STATUS[kind][state.status] ?? state.status;
  return {
    status,
    changedAt: nextChangedAt(state.changedAt, actor.at),
    dueAt: dueTime(kind, inputs, actor.at),
    decisions: [{ decision: 'reopened', reason }],
    events: [{ status, note: null }],
    audit: [toAuditRecord(`${kind}.reopened`, actor, { referenceNumber, from: state.status })],
    mail: null,
  };
}
