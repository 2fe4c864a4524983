import type { SubmissionKind } from '../../model/submission-status.ts';
import type { RecordStore } from '../record-port.ts';
import { nextChangedAt } from '../rules/changed-at.ts';
import {
  type MergeCells,
  type MergeRow,
  mergeColumns,
  mergedDueAt,
  mergedMailbox,
  mergedRows,
  mergeRefusal,
  splitMailbox,
  splitRows,
} from '../rules/record-merges.ts';
import { keptUndo } from '../rules/record-undo.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { Statements } from './list-statements.ts';
import { addDecision } from './record-details.ts';
import type { Undo } from './record-undo.ts';
import { prepareContactStatusChange } from './record-work.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

type Merge = RecordStore['merge'];
type Split = RecordStore['split'];

/**
 * Prepares the functions that merge and split records. Call each one in a transaction, so that the second of two concurrent
 * calls sees what the first has changed.
 */
export function prepareMerges(
  statements: Statements,
  audit: AuditStatements,
  undo: Pick<Undo, 'readRecordBefore' | 'remember'>,
) {
  const changeContactStatus = prepareContactStatusChange(statements, audit);
  const cellsOf = (kind: SubmissionKind, referenceNumber: string) =>
    statements(
      `select ${mergeColumns(kind).join(', ')} from ${SUBMISSION_TABLES[kind].name} where referenceNumber = ?`,
    ).get(referenceNumber) as MergeCells | undefined;
  const setStatus = (kind: SubmissionKind, referenceNumber: string, status: string, changedAt: number) =>
    statements(
      `update ${SUBMISSION_TABLES[kind].name} set status = ?, changedAt = ? where referenceNumber = ?`,
    ).run(status, changedAt, referenceNumber);
  const setMailbox = (referenceNumber: string, confirmedAt: number | null, confirmBy: number | null) =>
    statements(
      'update loan_applications set mailboxConfirmedAt = ?, confirmBy = ? where referenceNumber = ?',
    ).run(confirmedAt, confirmBy, referenceNumber);

  return {
    merge(request: Parameters<Merge>[0], actor: Parameters<Merge>[1]): Awaited<ReturnType<Merge>> {
      const { referenceNumber } = request.kept;
      const kind = kindOf(statements, referenceNumber);
      if (kind === undefined) return { kind: 'unknown', referenceNumber };
      const cellsByReference = new Map(
        [request.kept, ...request.merged].map((one) => [
          one.referenceNumber,
          cellsOf(kind, one.referenceNumber),
        ]),
      );
      const hasMerged = (reference: string) =>
        statements('select 1 from record_merges where mergedInto = ?').get(reference) !== undefined;
      const refusal = mergeRefusal(kind, request, (reference) => cellsByReference.get(reference), hasMerged);
      if (refusal) return refusal;
      const cells = request.merged.flatMap((one) => cellsByReference.get(one.referenceNumber) ?? []);
      const keptBefore = undo.readRecordBefore(kind, referenceNumber);
      if (kind === 'contact-message' && cells.some(({ status }) => status === 'open'))
        changeContactStatus({ referenceNumber, status: 'open', actor });
      const keptCells = cellsOf(kind, referenceNumber);
      if (!keptCells) throw new Error('The kept record cannot be read.');
      const changedAt = nextChangedAt(keptCells.changedAt, actor.at);
      const dueAt = mergedDueAt(keptCells, cells);
      statements(
        `update ${SUBMISSION_TABLES[kind].name} set dueAt = ?, changedAt = ? where referenceNumber = ?`,
      ).run(dueAt, changedAt, referenceNumber);
      const keptAfter = { ...keptCells, dueAt, changedAt };
      if (kind === 'loan-application') {
        const { confirmedAt, confirmBy } = mergedMailbox(keptCells, cells);
        setMailbox(referenceNumber, confirmedAt, confirmBy);
        keptAfter.confirmBy = confirmBy;
      }
      const undoOfKept = keptUndo(kind, keptAfter, actor, keptBefore);
      const merged = cells.map((one) => {
        const { row, status, changedAt, audit: record } = mergedRows(kind, one, referenceNumber, actor);
        const before = undo.readRecordBefore(kind, one.referenceNumber);
        setStatus(kind, one.referenceNumber, status, changedAt);
        statements(
          'insert into record_merges (referenceNumber, mergedInto, adminId, at, status) values (?, ?, ?, ?, ?)',
        ).run(row.referenceNumber, row.mergedInto, row.adminId, row.at, row.status);
        addDecision(statements, one.referenceNumber, actor, { decision: 'merged', reason: null });
        undo.remember(kind, one.referenceNumber, actor, { status, changedAt }, null, {
          ...before,
          ...undoOfKept,
        });
        audit.append(record);
        return { referenceNumber: one.referenceNumber, changedAt };
      });
      return { kind: 'merged', changedAt, merged };
    },

    split(request: Parameters<Split>[0], actor: Parameters<Split>[1]): Awaited<ReturnType<Split>> {
      const { referenceNumber } = request;
      const kind = kindOf(statements, referenceNumber);
      const cells = kind && cellsOf(kind, referenceNumber);
      if (!kind || !cells) return { kind: 'unknown' };
      if (cells.changedAt !== request.changedAt) return { kind: 'changed' };
      const row = statements('select * from record_merges where referenceNumber = ?').get(referenceNumber) as
        | MergeRow
        | undefined;
      if (!row) return { kind: 'not-merged' };
      const { status, changedAt, audit: record } = splitRows(kind, cells.changedAt, row, actor);
      setStatus(kind, referenceNumber, status, changedAt);
      const keptCells = kind === 'loan-application' && cellsOf(kind, row.mergedInto);
      if (keptCells) {
        const { confirmedAt, confirmBy } = splitMailbox(cells, keptCells, actor.at);
        setMailbox(referenceNumber, confirmedAt, confirmBy);
      }
      statements('delete from record_merges where referenceNumber = ?').run(referenceNumber);
      statements('delete from record_undos where referenceNumber = ?').run(referenceNumber);
      addDecision(statements, referenceNumber, actor, { decision: 'split', reason: request.reason });
      audit.append(record);
      return { kind: 'split', status, changedAt };
    },
  };
}
