import type Database from 'better-sqlite3';
import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { RecordStore, WorkFilter, WorkItem } from '../record-port.ts';
import { conditionValues, waitingConditions, whereClause } from '../rules/list-conditions.ts';
import { MAX_COUNTED, toPage } from '../rules/record-lists.ts';
import {
  assignmentRecord,
  type ContactRows,
  type ContactState,
  type ContactStatusChange,
  contactRefusal,
  contactRows,
  type DueCells,
  dueCellsAfterWaiting,
  parseWorkCursor,
  waitingEndedRecord,
  workCursor,
} from '../rules/record-work.ts';
import type { AuditStatements } from './audit-trail.ts';
import { readCount, type Statements } from './list-statements.ts';
import { addDecision, decisionsOf } from './record-details.ts';
import type { Undo } from './record-undo.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

type WorkCalls = Pick<RecordStore, 'assign' | 'decideContact' | 'endWaiting' | 'workQueue' | 'workCounts'>;
type Sync<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...values: infer Values) => Promise<infer Result>
    ? (...values: Values) => Result
    : never;
};

/**
 * The SQL columns for a record's name and subject, by kind. Verification requests have no name, and only contact messages have a
 * subject.
 */
const NAME_COLUMNS: Readonly<Record<SubmissionKind, string>> = {
  'card-application': 'a.name, null as subject',
  'verification-request': 'a.email as name, null as subject',
  'contact-message': 'a.name, a.subject',
  'loan-application': 'a.name, null as subject',
};

/** The index that sorts the records by due time. */
const indexOf = (table: string, { assigneeId }: WorkFilter): string =>
  `${table}_by_${assigneeId === undefined ? 'dueRank' : 'assignee'}`;

export function prepareUnassigning(client: Database.Database): (adminId: string) => void {
  const unassignStatements = Object.values(SUBMISSION_TABLES).map(({ name }) =>
    client.prepare<[string]>(`update ${name} set assigneeId = null where assigneeId = ?`),
  );
  return (adminId) => {
    for (const statement of unassignStatements) statement.run(adminId);
  };
}

function prepareContacts(statements: Statements, audit: AuditStatements) {
  const stateOf = (referenceNumber: string) =>
    statements(
      'select status, changedAt, dueAt, category from contact_messages where referenceNumber = ?',
    ).get(referenceNumber) as ContactState | undefined;

  function store({ referenceNumber, actor }: ContactStatusChange, rows: ContactRows): void {
    const { status, changedAt, closedAt, dueAt, decision } = rows;
    statements(
      'update contact_messages set status = ?, changedAt = ?, closedAt = ?, dueAt = ? where referenceNumber = ?',
    ).run(status, changedAt, closedAt, dueAt, referenceNumber);
    const { at, adminId } = actor;
    if (adminId !== null) addDecision(statements, referenceNumber, { at, adminId }, decision);
    audit.append(rows.audit);
  }
  return { stateOf, store };
}

/** Prepares a function that changes the status of a contact message, unless the message already has the new status. */
export function prepareContactStatusChange(
  statements: Statements,
  audit: AuditStatements,
): (change: ContactStatusChange) => void {
  const { stateOf, store } = prepareContacts(statements, audit);
  return (change) => {
    const state = stateOf(change.referenceNumber);
    if (state && state.status !== change.status) store(change, contactRows(state, change));
  };
}

/** Call each function that changes a record in a transaction, so that the second of two concurrent changes sees the first. */
export function prepareWork(
  statements: Statements,
  audit: AuditStatements,
  undo: Pick<Undo, 'readRecordBefore' | 'remember'>,
): Sync<WorkCalls> {
  const contacts = prepareContacts(statements, audit);

  const mayDecide = (adminId: string): boolean =>
    statements("select 1 from admins where id = ? and disabledAt is null and role <> 'viewer'").get(
      adminId,
    ) !== undefined;

  return {
    decideContact: (decision, actor) => {
      const { referenceNumber, status, reason } = decision;
      const state = contacts.stateOf(referenceNumber);
      if (!state) return { kind: 'unknown' };
      const kind = contactRefusal(state, decision);
      if (kind === 'reason-needed') return { kind };
      if (kind !== null) {
        const last = decisionsOf(statements, referenceNumber).at(-1) ?? null;
        return { kind, status: state.status, last };
      }
      const change = { referenceNumber, status, actor };
      const rows = contactRows(state, change, reason);
      const before = undo.readRecordBefore('contact-message', referenceNumber);
      contacts.store(change, rows);
      undo.remember('contact-message', referenceNumber, actor, rows, null, before);
      return { kind: 'decided', status, changedAt: rows.changedAt };
    },

    assign: ({ referenceNumber, assigneeId, from }, actor) => {
      const kind = kindOf(statements, referenceNumber);
      if (kind === undefined) return { kind: 'unknown' };
      const table = SUBMISSION_TABLES[kind].name;
      const current = statements(
        `select a.assigneeId, (select m.username from admins m where m.id = a.assigneeId) as assignee
         from ${table} a where a.referenceNumber = ?`,
      ).get(referenceNumber) as Pick<WorkItem, 'assigneeId' | 'assignee'> | undefined;
      // The reference number of an erased record is kept, but not its row.
      if (!current) return { kind: 'unknown' };
      if (current.assigneeId !== from) return { kind: 'changed', assignee: current.assignee };
      if (assigneeId === from) return { kind: 'assigned' };
      if (assigneeId !== null && !mayDecide(assigneeId)) return { kind: 'no-reviewer' };
      statements(`update ${table} set assigneeId = ? where referenceNumber = ?`).run(
        assigneeId,
        referenceNumber,
      );
      audit.append(assignmentRecord(referenceNumber, { from, to: assigneeId }, actor));
      return { kind: 'assigned' };
    },

    endWaiting: (referenceNumber, actor) => {
      const kind = kindOf(statements, referenceNumber);
      if (kind === undefined) return { kind: 'unknown' };
      if (kind === 'contact-message') return { kind: 'not-waiting' };
      const { name } = SUBMISSION_TABLES[kind];
      const cells = statements(
        `select status, createdAt, dueAt, dueLeft from ${name} where referenceNumber = ?`,
      ).get(referenceNumber) as DueCells | undefined;
      if (!cells) return { kind: 'unknown' };
      const due = dueCellsAfterWaiting(cells, actor.at);
      if (due === null) return { kind: 'not-waiting' };
      statements(`update ${name} set dueAt = ?, dueLeft = ? where referenceNumber = ?`).run(
        ...[due.dueAt, due.dueLeft, referenceNumber],
      );
      audit.append(waitingEndedRecord(referenceNumber, actor));
      return { kind: 'ended', dueAt: due.dueAt };
    },

    workQueue: (filter, page) => {
      const conditions = [...waitingConditions(filter)];
      if (page.after !== null)
        conditions.push([
          '(a.dueRank, a.createdAt, a.referenceNumber) > (?, ?, ?)',
          ...parseWorkCursor(page.after),
        ]);
      const parts = SUBMISSION_KINDS.map((kind) => {
        const table = SUBMISSION_TABLES[kind].name;
        return `select * from (
          select '${kind}' as kind, a.referenceNumber, ${NAME_COLUMNS[kind]}, a.status, a.assigneeId,
            (select m.username from admins m where m.id = a.assigneeId) as assignee, a.dueRank as dueAt, a.createdAt, a.changedAt
          from ${table} a indexed by ${indexOf(table, filter)} ${whereClause(conditions)}
          order by a.dueRank, a.createdAt, a.referenceNumber limit 0 + ?)`;
      });
      const sql = `${parts.join(' union all ')} order by dueAt, createdAt, referenceNumber limit 0 + ?`;
      const values = SUBMISSION_KINDS.flatMap(() => [...conditionValues(conditions), page.limit + 1]);
      const read = statements(sql).all(...values, page.limit + 1) as WorkItem[];
      return toPage(read, page, workCursor);
    },

    workCounts: (filter) => {
      const conditions = waitingConditions(filter);
      return mapKinds(SUBMISSION_KINDS, (kind) => {
        const table = SUBMISSION_TABLES[kind].name;
        const source = `${table} a indexed by ${indexOf(table, filter)}`;
        const sql = `select count(*) from (select 1 from ${source} ${whereClause(conditions)} limit ${MAX_COUNTED})`;
        return readCount(statements, sql, conditionValues(conditions));
      });
    },
  };
}
