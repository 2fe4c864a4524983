import {
  mapKinds,
  SUBMISSION_KINDS,
  type SubmissionKind,
  TRACKABLE_KINDS,
  type TrackableKind,
} from '../../model/submission-status.ts';
import type { RecordStore, WorkItem } from '../record-port.ts';
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
import type { Database, Transaction } from './database.ts';
import { readRows } from './list-statements.ts';
import type { Details } from './record-details.ts';
import type { Undo } from './record-undo.ts';
import { SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

type WorkCalls = Pick<RecordStore, 'assign' | 'decideContact' | 'endWaiting' | 'workQueue' | 'workCounts'>;

/**
 * For each kind, the columns for the name and the subject. Verification requests have no name, so their email address is used.
 * Only contact messages have a subject.
 */
const NAME_COLUMNS: Readonly<Record<SubmissionKind, string>> = {
  'card-application': 'a.name, null::text as subject',
  'verification-request': 'a.email as name, null::text as subject',
  'contact-message': 'a.name, a.subject',
  'loan-application': 'a.name, null::text as subject',
};

const ASSIGNEE_NAME = '(select m.username from $.admins m where m.id = a."assigneeId") as assignee';

export const UNASSIGN_RECORDS: readonly string[] = Object.values(SUBMISSION_TABLES).map(
  ({ name }) => `update $.${name} set "assigneeId" = null where "assigneeId" = $1`,
);

function prepareStatements({ statement }: Database) {
  const ofKind = (kind: SubmissionKind) => {
    const { name } = SUBMISSION_TABLES[kind];
    return {
      assignee: statement<Pick<WorkItem, 'assigneeId' | 'assignee'>>(
        `select a."assigneeId", ${ASSIGNEE_NAME} from $.${name} a where a."referenceNumber" = $1 for update`,
      ),
      assign: statement(`update $.${name} set "assigneeId" = $2 where "referenceNumber" = $1`),
    };
  };
  return {
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    of: mapKinds(SUBMISSION_KINDS, ofKind),
    // Locked, so that the admin is not deactivated in the meantime.
    mayDecide: statement(
      `select from $.admins where id = $1 and "disabledAt" is null and role <> 'viewer' for share`,
    ),
  };
}

export function prepareDueTimes({ statement }: Database) {
  const ofKind = (kind: TrackableKind) => {
    const { name } = SUBMISSION_TABLES[kind];
    return {
      read: statement<DueCells>(
        `select status, "createdAt", "dueAt", "dueLeft" from $.${name} where "referenceNumber" = $1 for update`,
      ),
      write: statement(`update $.${name} set "dueAt" = $2, "dueLeft" = $3 where "referenceNumber" = $1`),
    };
  };
  return mapKinds(TRACKABLE_KINDS, ofKind);
}

function prepareContacts({ statement }: Database) {
  const statements = {
    contact: statement<ContactState>(`
      select status, "changedAt", "dueAt", category from $.contact_messages where "referenceNumber" = $1 for update`),
    setContact: statement(`
      with changed as (
        update $.contact_messages set status = $2, "changedAt" = $3, "closedAt" = $4, "dueAt" = $5
        where "referenceNumber" = $1
      )
      insert into $.count_changes (kind, status, rows) values ('contact-message', $6, -1), ('contact-message', $2, 1)`),
    addDecision: statement(`
      insert into $.record_decisions ("referenceNumber", at, "adminId", decision, reason) values ($1, $2, $3, $4, $5)`),
  };

  async function store(
    transaction: Transaction,
    { referenceNumber, actor }: ContactStatusChange,
    state: ContactState,
    { status, changedAt, closedAt, dueAt, decision, audit }: ContactRows,
  ): Promise<void> {
    await transaction.run(
      statements.setContact,
      referenceNumber,
      status,
      changedAt,
      closedAt,
      dueAt,
      state.status,
    );
    const { adminId, at } = actor;
    if (adminId !== null) {
      await transaction.run(
        statements.addDecision,
        referenceNumber,
        at,
        adminId,
        decision.decision,
        decision.reason,
      );
    }
    transaction.record(audit);
  }

  return {
    stateOf: (transaction: Transaction, referenceNumber: string) =>
      transaction.get(statements.contact, referenceNumber),
    store,
  };
}

/** Returns a function that changes the status of a contact message, unless the message already has the new status. */
export function prepareContactStatusChange(
  db: Database,
): (transaction: Transaction, change: ContactStatusChange) => Promise<void> {
  const { stateOf, store } = prepareContacts(db);
  return async (transaction, change) => {
    const state = await stateOf(transaction, change.referenceNumber);
    if (state && state.status !== change.status) {
      await store(transaction, change, state, contactRows(state, change));
    }
  };
}

export function openWork(
  db: Database,
  { decisionsOf }: Details,
  undo: Pick<Undo, 'readRecordBefore' | 'remember'>,
): WorkCalls {
  const statements = prepareStatements(db);
  const contacts = prepareContacts(db);
  const dueTimeStatements = prepareDueTimes(db);

  return {
    decideContact: (decision, actor) =>
      db.transaction([], async (transaction) => {
        const { referenceNumber, status, reason } = decision;
        const state = await contacts.stateOf(transaction, referenceNumber);
        if (!state) return { kind: 'unknown' };
        const kind = contactRefusal(state, decision);
        if (kind === 'reason-needed') return { kind };
        if (kind !== null) {
          const last = (await decisionsOf(transaction, referenceNumber)).at(-1) ?? null;
          return { kind, status: state.status, last };
        }
        const change = { referenceNumber, status, actor };
        const rows = contactRows(state, change, reason);
        const before = await undo.readRecordBefore(transaction, 'contact-message', referenceNumber);
        await contacts.store(transaction, change, state, rows);
        await undo.remember(transaction, 'contact-message', referenceNumber, actor, rows, null, before);
        return { kind: 'decided', status, changedAt: rows.changedAt };
      }),

    assign: ({ referenceNumber, assigneeId, from }, actor) =>
      db.transaction([], async (transaction) => {
        const kind = (await transaction.get(statements.kindOf, referenceNumber))?.kind;
        if (kind === undefined) return { kind: 'unknown' };
        // The admin is locked before the record, because a deactivation locks them in the same order.
        const isReviewer =
          assigneeId === null || (await transaction.get(statements.mayDecide, assigneeId)) !== null;
        const current = await transaction.get(statements.of[kind].assignee, referenceNumber);
        // The reference number of an erased record is kept, but not its row.
        if (!current) return { kind: 'unknown' };
        if (current.assigneeId !== from) return { kind: 'changed', assignee: current.assignee };
        if (assigneeId === from) return { kind: 'assigned' };
        if (!isReviewer) return { kind: 'no-reviewer' };
        await transaction.run(statements.of[kind].assign, referenceNumber, assigneeId);
        transaction.record(assignmentRecord(referenceNumber, { from, to: assigneeId }, actor));
        return { kind: 'assigned' };
      }),

    endWaiting: (referenceNumber, actor) =>
      db.transaction([], async (transaction) => {
        const kind = (await transaction.get(statements.kindOf, referenceNumber))?.kind;
        if (kind === undefined) return { kind: 'unknown' };
        if (kind === 'contact-message') return { kind: 'not-waiting' };
        const cells = await transaction.get(dueTimeStatements[kind].read, referenceNumber);
        if (!cells) return { kind: 'unknown' };
        const due = dueCellsAfterWaiting(cells, actor.at);
        if (due === null) return { kind: 'not-waiting' };
        await transaction.run(dueTimeStatements[kind].write, referenceNumber, due.dueAt, due.dueLeft);
        transaction.record(waitingEndedRecord(referenceNumber, actor));
        return { kind: 'ended', dueAt: due.dueAt };
      }),

    async workQueue(filter, page) {
      const conditions = [...waitingConditions(filter)];
      if (page.after !== null) {
        const cursor = parseWorkCursor(page.after);
        conditions.push(['(a."dueRank", a."createdAt", a."referenceNumber") > (?, ?, ?)', ...cursor]);
      }
      const parts = SUBMISSION_KINDS.map(
        (kind) => `(
          select '${kind}' as kind, a."referenceNumber", ${NAME_COLUMNS[kind]}, a.status, a."assigneeId", ${ASSIGNEE_NAME},
            a."dueRank" as "dueAt", a."createdAt", a."changedAt"
          from $.${SUBMISSION_TABLES[kind].name} a ${whereClause(conditions)}
          order by a."dueRank", a."createdAt", a."referenceNumber" limit ?)`,
      );
      const sql = `select * from (${parts.join(' union all ')}) listed order by "dueAt", "createdAt", "referenceNumber" limit ?`;
      const values = SUBMISSION_KINDS.flatMap(() => [...conditionValues(conditions), page.limit + 1]);
      return toPage(await readRows<WorkItem>(db, sql, [...values, page.limit + 1]), page, workCursor);
    },

    async workCounts(filter) {
      const conditions = waitingConditions(filter);
      const parts = SUBMISSION_KINDS.map(
        (kind) => `(select count(*) from (
          select from $.${SUBMISSION_TABLES[kind].name} a ${whereClause(conditions)} limit ${MAX_COUNTED}) counted) as "${kind}"`,
      );
      const values = SUBMISSION_KINDS.flatMap(() => conditionValues(conditions));
      const [counts] = await readRows<Record<SubmissionKind, number>>(
        db,
        `select ${parts.join(', ')}`,
        values,
      );
      return mapKinds(SUBMISSION_KINDS, (kind) => counts?.[kind] ?? 0);
    },
  };
}
