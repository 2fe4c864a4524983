import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
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
import type { Database, Transaction } from './database.ts';
import { SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

// A notice may be sent to the chat of a merged record. The notice's event then ends with that record's reference number.
const IS_DECISION_MAIL = `"referenceNumber" = $1 and (event = $2 or event like $2 || ':BD-%')`;
const IS_DECISION_WEBHOOK = `"referenceNumber" = $1 and "createdAt" = $2 and event like '%.decided' and status = $3`;
const IS_UNSENT = `state = 'waiting' and "attemptCount" = 0`;

function prepareStatements({ statement }: Database) {
  const ofKind = (kind: SubmissionKind) => {
    const { name } = SUBMISSION_TABLES[kind];
    const columns = DECISION_COLUMNS[kind];
    return {
      cells: statement<RecordBeforeDecision['cells']>(
        `select ${columns.map((column) => `"${column}"`).join(', ')} from $.${name} where "referenceNumber" = $1`,
      ),
      current: statement<{ changedAt: number }>(
        `select "changedAt" from $.${name} where "referenceNumber" = $1 for update`,
      ),
      restore: statement(`
        with changed as (
          update $.${name} set "changedAt" = $3, ${columns.map((column, index) => restoreColumnSql(column, `$${index + 4}`)).join(', ')}
          where "referenceNumber" = $1
        )
        insert into $.count_changes (kind, status, rows) values ('${kind}', $2, -1), ('${kind}', $4, 1)`),
    };
  };
  return {
    // Messages that are being sent are locked too, so that an attempt is recorded either before or after the decision.
    settleDecisionMessages: statement<EndedMessage>(`
      with ended as (
        select id, state from $.deliveries
        where "referenceNumber" = $1 and state <> 'settled' and ${IS_DECISION_MESSAGE} for update
      ),
      settled as (
        update $.deliveries d set state = 'settled' from ended
        where d.id = ended.id and ended.state in ('waiting', 'dead')
      ),
      counted as (
        insert into $.count_changes (kind, status, rows)
        select 'delivery', 'dead', -count(*) from ended where state = 'dead' having count(*) > 0
      )
      select id, state from ended`),
    restoreMail: statement(`
      with restored as (
        update $.deliveries set state = $2 where id = $1 and state = 'settled' and recipient is not null returning state
      )
      insert into $.count_changes (kind, status, rows)
      select 'delivery', 'dead', 1 from restored where state = 'dead'`),
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    of: mapKinds(SUBMISSION_KINDS, ofKind),
    newestSequences: statement<Pick<RecordBeforeDecision, 'lastDecision' | 'lastEvent' | 'lastMessage'>>(`
      select coalesce((select max(sequence) from $.record_decisions where "referenceNumber" = $1), 0) as "lastDecision",
        coalesce((select max(sequence) from $.submission_events where "referenceNumber" = $1), 0) as "lastEvent",
        coalesce((select max(sequence) from $.record_messages where "referenceNumber" = $1), 0) as "lastMessage"`),
    votes: statement<RecordBeforeDecision['votes'][number]>(
      'select id, "adminId", decision, reason, "votedAt" from $.loan_votes where "referenceNumber" = $1',
    ),
    whitelisting: statement<NonNullable<RecordBeforeDecision['whitelisting']>>(
      'select "walletAddress", tier, "whitelistedAt", "referenceNumber" from $.whitelisted_wallets where "walletAddress" = $1',
    ),
    forget: statement('delete from $.record_undos where until < $1 or "referenceNumber" = $2'),
    remember: statement(`
      insert into $.record_undos
        ("referenceNumber", kind, "adminId", "decidedAt", until, "changedAt", status, "mailEvent", before)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`),
    countNotices: statement<{ count: number }>(`
      select count(*) as count from $.deliveries
      where "referenceNumber" = $1 and (event = $2 or event like $2 || ':%')`),
    undoableDecisions: statement<UndoRow>(`
      select * from (
        select u."referenceNumber", u.kind, u."adminId", u."decidedAt", u.until, u."changedAt", u.status, u."mailEvent", u.before
        from $.record_undos u where u.until > $1 and u."adminId" = $2
      ) u where ${SUBMISSION_KINDS.map(
        (kind) =>
          `exists (select from $.${SUBMISSION_TABLES[kind].name} a where a."referenceNumber" = u."referenceNumber" and a."changedAt" = u."changedAt")`,
      ).join(' or ')}
      order by u."decidedAt" desc, u."changedAt" desc`),
    undoOf: statement<UndoRow>(`
      select "referenceNumber", kind, "adminId", "decidedAt", until, "changedAt", status, "mailEvent", before
      from $.record_undos where "referenceNumber" = $1`),
    // Locked, so that no worker leases these messages in the meantime.
    mails: statement<{ isUnsent: boolean }>(
      `select ${IS_UNSENT} as "isUnsent" from $.deliveries where ${IS_DECISION_MAIL} for update`,
    ),
    webhooks: statement<{ isUnsent: boolean }>(
      `select ${IS_UNSENT} as "isUnsent" from $.webhook_deliveries where ${IS_DECISION_WEBHOOK} for update`,
    ),
    cards: statement(`
      select from $.cards where "createdAt" >= $2
        and "walletAddress" = (select "walletAddress" from $.verification_requests where "referenceNumber" = $1)`),
    deleteMails: statement(`delete from $.deliveries where ${IS_DECISION_MAIL}`),
    deleteWebhooks: statement(`delete from $.webhook_deliveries where ${IS_DECISION_WEBHOOK}`),
    deleteDecisions: statement(
      'delete from $.record_decisions where "referenceNumber" = $1 and sequence > $2',
    ),
    deleteEvents: statement('delete from $.submission_events where "referenceNumber" = $1 and sequence > $2'),
    deleteVotes: statement('delete from $.loan_votes where "referenceNumber" = $1'),
    addVote: statement(`
      insert into $.loan_votes ("referenceNumber", id, "adminId", decision, reason, "votedAt")
      values ($1, $2, $3, $4, $5, $6)`),
    stillMerged: statement('select from $.record_merges where "mergedInto" = $1 and at = $2'),
    deleteMerge: statement('delete from $.record_merges where "referenceNumber" = $1'),
    endWhitelisting: statement('delete from $.whitelisted_wallets where "referenceNumber" = $1'),
    whitelist: statement(`
      insert into $.whitelisted_wallets ("walletAddress", tier, "whitelistedAt", "referenceNumber")
      values ($1, $2, $3, $4)`),
  };
}

export function prepareUndo(db: Database) {
  const statements = prepareStatements(db);

  /**
   * Restores the kept record of a merge. Does nothing if the record changed or got a message since the merge, or if other
   * records of the merge are still merged.
   */
  async function restoreKept(on: Transaction, kept: UndoRow, actor: Actor): Promise<void> {
    const { referenceNumber, kind } = kept;
    const current = await on.get(statements.of[kind].current, referenceNumber);
    const newest = await on.get(statements.newestSequences, referenceNumber);
    if (!current || !newest) return;
    if (undoRefusal(kept, kept, actor, current.changedAt, newest.lastMessage) !== null) return;
    if (await on.get(statements.stillMerged, referenceNumber, kept.decidedAt)) return;
    const { before, status, changedAt, audit } = undoneRows(kept, actor);
    const cells = DECISION_COLUMNS[kind].map((name) => before.cells[name] ?? null);
    await on.run(statements.of[kind].restore, referenceNumber, kept.status, changedAt, ...cells);
    await on.run(statements.deleteDecisions, referenceNumber, before.lastDecision);
    if (status !== kept.status) on.record(audit);
  }

  return {
    async readRecordBefore(
      on: Transaction,
      kind: SubmissionKind,
      referenceNumber: string,
      walletAddress?: string,
    ): Promise<RecordBeforeDecision> {
      const newest = await on.get(statements.newestSequences, referenceNumber);
      return {
        cells: (await on.get(statements.of[kind].cells, referenceNumber)) ?? {},
        lastDecision: newest?.lastDecision ?? 0,
        lastEvent: newest?.lastEvent ?? 0,
        lastMessage: newest?.lastMessage ?? 0,
        votes: kind === 'loan-application' ? await on.all(statements.votes, referenceNumber) : [],
        whitelisting:
          walletAddress === undefined ? null : await on.get(statements.whitelisting, walletAddress),
      };
    },

    /**
     * Settles the waiting and the dead messages about a record's decisions, so that they are no longer sent.
     * @returns every message about the decisions that was not `settled` before, with its earlier state
     */
    settleDecisionMessages: (on: Transaction, referenceNumber: string) =>
      on.all(statements.settleDecisionMessages, referenceNumber),

    /** Stores a decision, so that the admin who made it can undo it. */
    async remember(on: Transaction, ...decision: Parameters<typeof undoRow>): Promise<void> {
      const row = undoRow(...decision);
      await on.run(statements.forget, row.decidedAt, row.referenceNumber);
      const { referenceNumber, kind, adminId, decidedAt, until } = row;
      const { changedAt, status, mailEvent, before } = row;
      const values = [referenceNumber, kind, adminId, decidedAt, until, changedAt, status, mailEvent, before];
      await on.run(statements.remember, ...values);
    },

    /** Returns the delivery, with a number added to its event name if an earlier delivery about the record has that name. */
    async withUniqueEvent(on: Transaction, delivery: QueuedDelivery): Promise<QueuedDelivery> {
      const { referenceNumber, event } = delivery;
      const earlier = await on.get(statements.countNotices, referenceNumber, event);
      return { ...delivery, event: numberedEvent(event, earlier?.count ?? 0) };
    },

    undoableDecisions: async (adminId: string, at: number) =>
      (await db.all(statements.undoableDecisions, at, adminId)).map(toUndoableDecision),

    undo: (...[seen, actor]: Parameters<RecordStore['undo']>): ReturnType<RecordStore['undo']> =>
      db.transaction([], async (on) => {
        const { referenceNumber } = seen;
        const kind = (await on.get(statements.kindOf, referenceNumber))?.kind;
        if (kind === undefined) return { kind: 'unknown' };
        const current = await on.get(statements.of[kind].current, referenceNumber);
        if (current === null) return { kind: 'unknown' };
        const row = await on.get(statements.undoOf, referenceNumber);
        const { lastMessage = 0 } = (await on.get(statements.newestSequences, referenceNumber)) ?? {};
        const refusal = undoRefusal(row, seen, actor, current.changedAt, lastMessage);
        if (row === null || refusal !== null) return { kind: refusal ?? 'over' };
        const { decidedAt, mailEvent, status: statusAfterDecision } = row;
        const queuedDeliveries = [
          ...(await on.all(statements.mails, referenceNumber, mailEvent)),
          ...(await on.all(statements.webhooks, referenceNumber, decidedAt, statusAfterDecision)),
        ];
        const hasCard = (await on.get(statements.cards, referenceNumber, decidedAt)) !== null;
        if (hasCard || queuedDeliveries.some(({ isUnsent }) => !isUnsent)) return { kind: 'sent' };
        await on.run(statements.deleteMails, referenceNumber, mailEvent);
        await on.run(statements.deleteWebhooks, referenceNumber, decidedAt, statusAfterDecision);
        const { before, status, changedAt, audit } = undoneRows(row, actor);
        const cells = DECISION_COLUMNS[kind].map((name) => before.cells[name] ?? null);
        await on.run(statements.of[kind].restore, referenceNumber, statusAfterDecision, changedAt, ...cells);
        await on.run(statements.deleteDecisions, referenceNumber, before.lastDecision);
        await on.run(statements.deleteEvents, referenceNumber, before.lastEvent);
        if (kind === 'loan-application') await on.run(statements.deleteVotes, referenceNumber);
        for (const { id, adminId, decision, reason, votedAt } of before.votes) {
          await on.run(statements.addVote, referenceNumber, id, adminId, decision, reason, votedAt);
        }
        const removedWhitelisting =
          statusAfterDecision === 'approved' &&
          (await on.run(statements.endWhitelisting, referenceNumber)) > 0;
        // If nothing was removed, another request has whitelisted the wallet since this decision.
        if (removedWhitelisting && before.whitelisting !== null) {
          const {
            walletAddress,
            tier,
            whitelistedAt,
            referenceNumber: requestReference,
          } = before.whitelisting;
          await on.run(statements.whitelist, walletAddress, tier, whitelistedAt, requestReference);
        }
        for (const { id, state } of before.settled ?? [])
          await on.run(statements.restoreMail, id, STATE_AFTER_UNDO[state]);
        await on.run(statements.deleteMerge, referenceNumber);
        if (before.kept) await restoreKept(on, before.kept, actor);
        await on.run(statements.forget, 0, referenceNumber);
        on.record(audit);
        return { kind: 'undone', status, changedAt };
      }),
  };
}
export type Undo = ReturnType<typeof prepareUndo>;
