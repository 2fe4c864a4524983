import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
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
import type { Database } from './database.ts';
import type { Undo } from './record-undo.ts';
import { prepareContactStatusChange } from './record-work.ts';
import { SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

function prepareStatements({ statement }: Database) {
  const ofKind = (kind: SubmissionKind) => {
    const { name } = SUBMISSION_TABLES[kind];
    const columns = mergeColumns(kind).map((column) => `"${column}"`);
    return {
      // Locked in a fixed order, so that two merges of the same records do not deadlock.
      cells: statement<MergeCells>(`
        select ${columns.join(', ')} from $.${name} where "referenceNumber" = any($1)
        order by "referenceNumber" for update`),
      setStatus: statement(`
        with changed as (update $.${name} set status = $2, "changedAt" = $3 where "referenceNumber" = $1)
        insert into $.count_changes (kind, status, rows) values ('${kind}', $4, -1), ('${kind}', $2, 1)`),
      setDue: statement(`update $.${name} set "dueAt" = $2, "changedAt" = $3 where "referenceNumber" = $1`),
    };
  };
  return {
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    of: mapKinds(SUBMISSION_KINDS, ofKind),
    selectWithMerges: statement<{ mergedInto: string }>(
      'select distinct "mergedInto" from $.record_merges where "mergedInto" = any($1)',
    ),
    add: statement(`
      insert into $.record_merges ("referenceNumber", "mergedInto", "adminId", at, status)
      values ($1, $2, $3, $4, $5)`),
    row: statement<MergeRow>(`
      select "referenceNumber", "mergedInto", "adminId", at, status
      from $.record_merges where "referenceNumber" = $1`),
    remove: statement('delete from $.record_merges where "referenceNumber" = $1'),
    forgetUndo: statement('delete from $.record_undos where "referenceNumber" = $1'),
    setMailbox: statement(`
      update $.loan_applications set "mailboxConfirmedAt" = $2, "confirmBy" = $3 where "referenceNumber" = $1`),
    addDecision: statement(`
      insert into $.record_decisions ("referenceNumber", at, "adminId", decision, reason) values ($1, $2, $3, $4, $5)`),
  };
}

export function openMerges(
  db: Database,
  undo: Pick<Undo, 'readRecordBefore' | 'remember'>,
): Pick<RecordStore, 'merge' | 'split'> {
  const statements = prepareStatements(db);
  const changeContactStatus = prepareContactStatusChange(db);

  return {
    merge: (request, actor) =>
      db.transaction([], async (on) => {
        const { referenceNumber } = request.kept;
        const kind = (await on.get(statements.kindOf, referenceNumber))?.kind;
        if (kind === undefined) return { kind: 'unknown', referenceNumber };
        const kindStatements = statements.of[kind];
        const references = [request.kept, ...request.merged].map((one) => one.referenceNumber);
        const cellRows = await on.all(kindStatements.cells, references);
        const cellsByReference = new Map(cellRows.map((cells) => [cells.referenceNumber, cells]));
        const recordsWithMerges = (await on.all(statements.selectWithMerges, references)).map(
          ({ mergedInto }) => mergedInto,
        );
        const refusal = mergeRefusal(
          kind,
          request,
          (reference) => cellsByReference.get(reference),
          (reference) => recordsWithMerges.includes(reference),
        );
        if (refusal) return refusal;
        const cells = request.merged.flatMap((one) => cellsByReference.get(one.referenceNumber) ?? []);
        const keptBefore = await undo.readRecordBefore(on, kind, referenceNumber);
        if (kind === 'contact-message' && cells.some(({ status }) => status === 'open'))
          await changeContactStatus(on, { referenceNumber, status: 'open', actor });
        const keptCells = await on.get(kindStatements.cells, [referenceNumber]);
        if (!keptCells) throw new Error('The kept record cannot be read.');
        const changedAt = nextChangedAt(keptCells.changedAt, actor.at);
        const dueAt = mergedDueAt(keptCells, cells);
        await on.run(kindStatements.setDue, referenceNumber, dueAt, changedAt);
        const keptAfter = { ...keptCells, dueAt, changedAt };
        if (kind === 'loan-application') {
          const { confirmedAt, confirmBy } = mergedMailbox(keptCells, cells);
          await on.run(statements.setMailbox, referenceNumber, confirmedAt, confirmBy);
          keptAfter.confirmBy = confirmBy;
        }
        const undoOfKept = keptUndo(kind, keptAfter, actor, keptBefore);
        const merged = [];
        for (const one of cells) {
          const { row, status, changedAt, audit } = mergedRows(kind, one, referenceNumber, actor);
          const before = await undo.readRecordBefore(on, kind, one.referenceNumber);
          await on.run(kindStatements.setStatus, one.referenceNumber, status, changedAt, one.status);
          await on.run(statements.add, row.referenceNumber, row.mergedInto, row.adminId, row.at, row.status);
          await on.run(statements.addDecision, one.referenceNumber, actor.at, actor.adminId, 'merged', null);
          await undo.remember(on, kind, one.referenceNumber, actor, { status, changedAt }, null, {
            ...before,
            ...undoOfKept,
          });
          on.record(audit);
          merged.push({ referenceNumber: one.referenceNumber, changedAt });
        }
        return { kind: 'merged', changedAt, merged };
      }),

    split: (request, actor) =>
      db.transaction([], async (on) => {
        const { referenceNumber } = request;
        const kind = (await on.get(statements.kindOf, referenceNumber))?.kind;
        const cells = kind && (await on.get(statements.of[kind].cells, [referenceNumber]));
        if (!kind || !cells) return { kind: 'unknown' };
        if (cells.changedAt !== request.changedAt) return { kind: 'changed' };
        const row = await on.get(statements.row, referenceNumber);
        if (!row) return { kind: 'not-merged' };
        const { status, changedAt, audit } = splitRows(kind, cells.changedAt, row, actor);
        await on.run(statements.of[kind].setStatus, referenceNumber, status, changedAt, cells.status);
        const keptCells =
          kind === 'loan-application' && (await on.get(statements.of[kind].cells, [row.mergedInto]));
        if (keptCells) {
          const { confirmedAt, confirmBy } = splitMailbox(cells, keptCells, actor.at);
          await on.run(statements.setMailbox, referenceNumber, confirmedAt, confirmBy);
        }
        await on.run(statements.remove, referenceNumber);
        await on.run(statements.forgetUndo, referenceNumber);
        await on.run(
          statements.addDecision,
          referenceNumber,
          actor.at,
          actor.adminId,
          'split',
          request.reason,
        );
        on.record(audit);
        return { kind: 'split', status, changedAt };
      }),
  };
}
