import type { SubmissionKind } from '../../model/submission-status.ts';
import type { Actor, RecordStore } from '../record-port.ts';
import { numberedEvent } from '../rules/card-changes.ts';
import { type EndedMessage, IS_DECISION_MESSAGE, STATE_AFTER_UNDO } from '../rules/decision-messages.ts';
import type { QueuedDelivery } from '../rules/received-submission.ts';
import {
  DECISION_COLUMNS,
  type RecordBeforeDecision,
  restoreColumnSql,
  toUndoableDecision,
  type UndoRow,
  undoneRows,
  undoRefusal,
  undoRow,
} from '../rules/record-undo.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { Statements, Value } from './list-statements.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

/**
 * SQL conditions for the messages about a decision, for its webhook events, and for deliveries that have not been attempted
 * yet. The event name of a notice to a merged record's chat ends with that record's reference number.
 */
const IS_DECISION_MAIL =
  "referenceNumber = :referenceNumber and (event = :mailEvent or event like :mailEvent || ':BD-%')";
const IS_DECISION_WEBHOOK =
  "referenceNumber = :referenceNumber and createdAt = :decidedAt and event like '%.decided' and status = :status";
const IS_UNSENT = "state = 'waiting' and attemptCount = 0";

/** Call each function in the transaction of the decision or the undo. */
export function prepareUndo(statements: Statements, audit: AuditStatements, onQueued: () => void) {
  const all = <Row>(sql: string, ...values: readonly Value[]) => statements(sql).all(...values) as Row[];
  const run = (sql: string, ...values: readonly Value[]) => statements(sql).run(...values);
  const newestSequence = (table: string, referenceNumber: string) =>
    Number(
      statements(`select max(sequence) from ${table} where referenceNumber = ?`)
        .pluck()
        .get(referenceNumber) ?? 0,
    );

  return {
    readRecordBefore(
      kind: SubmissionKind,
      referenceNumber: string,
      walletAddress?: string,
    ): RecordBeforeDecision {
      const { name } = SUBMISSION_TABLES[kind];
      const columns = DECISION_COLUMNS[kind].join(', ');
      const [cells = {}] = all<RecordBeforeDecision['cells']>(
        `select ${columns} from ${name} where referenceNumber = ?`,
        referenceNumber,
      );
      const [whitelisting = null] = all<NonNullable<RecordBeforeDecision['whitelisting']>>(
        'select * from whitelisted_wallets where walletAddress = ?',
        walletAddress ?? null,
      );
      return {
        cells,
        lastDecision: newestSequence('record_decisions', referenceNumber),
        lastEvent: newestSequence('submission_events', referenceNumber),
        lastMessage: newestSequence('record_messages', referenceNumber),
        votes: all(
          'select id, adminId, decision, reason, votedAt from loan_votes where referenceNumber = ?',
          referenceNumber,
        ),
        whitelisting,
      };
    },

    /**
     * Settles the waiting and the dead messages about a record's decisions, so that they are no longer sent.
     * @returns the messages that were not settled yet, including sent ones, with their previous states
     */
    settleDecisionMessages(referenceNumber: string): readonly EndedMessage[] {
      const isOpen = `referenceNumber = ? and state <> 'settled' and ${IS_DECISION_MESSAGE}`;
      const ended = all<EndedMessage>(`select id, state from deliveries where ${isOpen}`, referenceNumber);
      run(
        `update deliveries set state = 'settled' where ${isOpen} and state in ('waiting', 'dead')`,
        referenceNumber,
      );
      return ended;
    },

    /** Stores a decision, so that the admin who made it can undo it. */
    remember(...decision: Parameters<typeof undoRow>): void {
      const row = undoRow(...decision);
      run(
        'delete from record_undos where until < ? or referenceNumber = ?',
        row.decidedAt,
        row.referenceNumber,
      );
      run(
        'insert into record_undos (referenceNumber, kind, adminId, decidedAt, until, changedAt, status, mailEvent, before) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        ...[row.referenceNumber, row.kind, row.adminId, row.decidedAt, row.until, row.changedAt],
        ...[row.status, row.mailEvent, row.before],
      );
    },

    /** Returns the delivery, with a number added to its event name if an earlier delivery of the record has the same name. */
    withUniqueEvent(delivery: QueuedDelivery): QueuedDelivery {
      const { referenceNumber, event } = delivery;
      const earlier = statements(
        "select count(*) from deliveries where referenceNumber = ? and (event = ? or event like ? || ':%')",
      ).pluck();
      return {
        ...delivery,
        event: numberedEvent(event, Number(earlier.get(referenceNumber, event, event))),
      };
    },

    undoableDecisions: (adminId: string, at: number) =>
      all<UndoRow>(
        'select * from record_undos where until > ? and adminId = ? order by decidedAt desc, changedAt desc',
        ...[at, adminId],
      )
        .filter(({ kind, referenceNumber, changedAt }) => changedAtOf(kind, referenceNumber) === changedAt)
        .map(toUndoableDecision),

    undo(...[seen, actor]: Parameters<RecordStore['undo']>): Awaited<ReturnType<RecordStore['undo']>> {
      const { referenceNumber } = seen;
      const kind = kindOf(statements, referenceNumber);
      const currentChangedAt = kind && changedAtOf(kind, referenceNumber);
      if (kind === undefined || currentChangedAt === undefined) return { kind: 'unknown' };
      const [row] = all<UndoRow>('select * from record_undos where referenceNumber = ?', referenceNumber);
      const refusal = undoRefusal(
        row,
        seen,
        actor,
        currentChangedAt,
        newestSequence('record_messages', referenceNumber),
      );
      if (row === undefined || refusal !== null) return { kind: refusal ?? 'over' };
      const { before, status, changedAt, audit: auditRecord } = undoneRows(row, actor);
      const countSent = statements(
        `select (select count(*) from deliveries where ${IS_DECISION_MAIL} and not (${IS_UNSENT}))
          + (select count(*) from webhook_deliveries where ${IS_DECISION_WEBHOOK} and not (${IS_UNSENT}))
          + (select count(*) from cards where createdAt >= :decidedAt and walletAddress =
              (select walletAddress from verification_requests where referenceNumber = :referenceNumber))`,
      ).pluck();
      if (countSent.get(row as never) !== 0) return { kind: 'sent' };
      statements(`delete from deliveries where ${IS_DECISION_MAIL}`).run(row as never);
      statements(`delete from webhook_deliveries where ${IS_DECISION_WEBHOOK}`).run(row as never);
      restoreCells(kind, referenceNumber, changedAt, before);
      run(
        'delete from submission_events where referenceNumber = ? and sequence > ?',
        ...[referenceNumber, before.lastEvent],
      );
      run('delete from loan_votes where referenceNumber = ?', referenceNumber);
      for (const { id, adminId, decision, reason, votedAt } of before.votes) {
        run(
          'insert into loan_votes (id, referenceNumber, adminId, decision, reason, votedAt) values (?, ?, ?, ?, ?, ?)',
          ...[id, referenceNumber, adminId, decision, reason, votedAt],
        );
      }
      const removedWhitelisting =
        row.status === 'approved' &&
        run('delete from whitelisted_wallets where referenceNumber = ?', referenceNumber).changes > 0;
      // If nothing was removed, another request has whitelisted the wallet since this decision.
      if (removedWhitelisting && before.whitelisting !== null) {
        const { walletAddress, tier, whitelistedAt, referenceNumber: requestReference } = before.whitelisting;
        run(
          'insert into whitelisted_wallets (walletAddress, tier, whitelistedAt, referenceNumber) values (?, ?, ?, ?)',
          ...[walletAddress, tier, whitelistedAt, requestReference],
        );
      }
      for (const { id, state } of before.settled ?? []) {
        run(
          "update deliveries set state = ? where id = ? and state = 'settled' and recipient is not null",
          ...[STATE_AFTER_UNDO[state], id],
        );
      }
      if (before.settled) onQueued();
      run('delete from record_merges where referenceNumber = ?', referenceNumber);
      if (before.kept) restoreKept(before.kept, actor);
      run('delete from record_undos where referenceNumber = ?', referenceNumber);
      audit.append(auditRecord);
      return { kind: 'undone', status, changedAt };
    },
  };

  function restoreCells(
    kind: SubmissionKind,
    referenceNumber: string,
    changedAt: number,
    { cells, lastDecision }: RecordBeforeDecision,
  ): void {
    const columns = DECISION_COLUMNS[kind];
    run(
      `update ${SUBMISSION_TABLES[kind].name} set changedAt = ?, ${columns.map((name) => restoreColumnSql(name, '?')).join(', ')} where referenceNumber = ?`,
      ...[changedAt, ...columns.map((name) => cells[name] ?? null), referenceNumber],
    );
    run(
      'delete from record_decisions where referenceNumber = ? and sequence > ?',
      ...[referenceNumber, lastDecision],
    );
  }

  /**
   * Restores the kept record of a merge. Does nothing if the record has changed or received a message since the merge, or if
   * other records of the merge are still merged.
   */
  function restoreKept(kept: UndoRow, actor: Actor): void {
    const { referenceNumber, kind } = kept;
    const currentChangedAt = changedAtOf(kind, referenceNumber);
    const lastMessage = newestSequence('record_messages', referenceNumber);
    if (currentChangedAt === undefined) return;
    if (undoRefusal(kept, kept, actor, currentChangedAt, lastMessage) !== null) return;
    const stillMerged = statements('select 1 from record_merges where mergedInto = ? and at = ?');
    if (stillMerged.get(referenceNumber, kept.decidedAt) !== undefined) return;
    const { before, status, changedAt, audit: auditRecord } = undoneRows(kept, actor);
    restoreCells(kind, referenceNumber, changedAt, before);
    if (status !== kept.status) audit.append(auditRecord);
  }

  function changedAtOf(kind: SubmissionKind, referenceNumber: string): number | undefined {
    const sql = `select changedAt from ${SUBMISSION_TABLES[kind].name} where referenceNumber = ?`;
    return statements(sql).pluck().get(referenceNumber) as number | undefined;
  }
}
export type Undo = ReturnType<typeof prepareUndo>;
