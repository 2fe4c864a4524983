import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { BounceStore, CorrectionOutcome, RecordWithDeadDeliveries } from '../bounce-port.ts';
import { rowId } from '../row-id.ts';
import {
  type AddressedRecord,
  bounceRefusal,
  correctionAuditRecord,
  correctionChanges,
  IS_BOUNCED,
  requeuedRecipientSql,
  retryAuditRecord,
  SETTLED_NOTES,
  type StoredMail,
  settlementAuditRecord,
} from '../rules/bounces.ts';
import { isOutdatedSql } from '../rules/decision-messages.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { SUBMISSION_EVENT_NAMES } from '../submission-port.ts';
import type { Database } from './database.ts';
import type { SearchWords } from './record-search.ts';
import { columnList, SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

const APPLICANT_MAIL = `channel = 'mail' and audience = 'applicant'`;
const RECEIPT_EVENTS = SUBMISSION_KINDS.map((kind) => `'${SUBMISSION_EVENT_NAMES[kind]}'`).join(', ');

/**
 * SQL that queues deliveries again and corrects the counts of sent and dead deliveries.
 * @param condition the SQL condition for the deliveries
 * @param at the SQL placeholder for the time at which they are due
 * @param set an additional assignment, followed by a comma; may be empty
 */
const requeueSql = (
  condition: string,
  at: string,
  set: string,
  select = 'count(*)::bigint as deliveries',
) => `
  with old as (select id, state from $.deliveries where ${condition} for update),
  queued as (
    update $.deliveries d set ${set} state = 'waiting', "attemptCount" = 0, "nextAttemptAt" = ${at},
      "leasedUntil" = null, "finishedAt" = null, fence = fence + 1
    from old where d.id = old.id returning old.state, d."referenceNumber"
  ),
  counted as (
    insert into $.count_changes (kind, status, rows)
    select 'delivery', state, -count(*) from queued where state in ('sent', 'dead') group by state
  )
  select ${select} from queued`;

export const requeuedRecipient = (delivery?: string): string =>
  requeuedRecipientSql(
    Object.values(SUBMISSION_TABLES).map(({ name }) => `$.${name}`),
    delivery,
  );

const RECORD_COUNT_COLUMNS = '"referenceNumber", count(*)::bigint as deliveries';
/** The condition for the dead deliveries about a record, or about all records if `$1` is null. Erased records are left out. */
const DEAD_DELIVERIES = `state = 'dead' and "referenceNumber" = coalesce($1::text, "referenceNumber") and "referenceNumber" in
  (select r."referenceNumber" from $.reference_numbers r where r.mailbox is not null)`;
/** The collation "C" sorts reference numbers as SQLite does. */
const GROUPED_BY_RECORD = 'group by "referenceNumber" order by "referenceNumber" collate "C"';

function prepareStatements({ statement }: Database) {
  const selectDelivery = `
    select id, state, recipient, "attemptCount", ${isOutdatedSql('$.')} as "isOutdated" from $.deliveries where`;
  const ofKind = (kind: SubmissionKind) => {
    const table = SUBMISSION_TABLES[kind];
    return {
      record: statement<RawRow & AddressedRecord>(
        `select ${columnList(table)} from $.${table.name} where "referenceNumber" = $1 for update`,
      ),
      setAddress: statement(`
        update $.${table.name} set email = $2, "changedAt" = $3 where "referenceNumber" = $1`),
    };
  };
  return {
    perKind: mapKinds(SUBMISSION_KINDS, ofKind),
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    isBounced: statement(
      `select from $.deliveries d where d."referenceNumber" = $1 and ${IS_BOUNCED} for update`,
    ),
    receipt: statement<StoredMail>(
      `${selectDelivery} "referenceNumber" = $1 and event in (${RECEIPT_EVENTS}) and ${APPLICANT_MAIL} for update`,
    ),
    mail: statement<StoredMail>(`${selectDelivery} id = $1 and ${APPLICANT_MAIL} for update`),
    // The higher fence makes the store reject an outcome from a worker that leased the delivery earlier.
    bounce: statement(`
      with changed as (
        update $.deliveries set state = $4, "leasedUntil" = null, "finishedAt" = $2, fence = fence + 1 where id = $1
      )
      insert into $.count_changes (kind, status, rows)
      select 'delivery', 'dead', 1 where $4 = 'dead' union all select 'delivery', 'sent', -1 where $3 = 'sent'`),
    addAttempt: statement(`
      with added as (
        insert into $.delivery_attempts (id, "deliveryId", at, outcome, code, error, "maskedRecipient", "latencyMs")
        values ($1, $2, $3, 'dead', $4, $5, $6, 0)
      )
      insert into $.count_changes (kind, status, rows) values ('delivery-attempt', 'failure', 1)`),
    addCorrection: statement(`
      insert into $.address_corrections ("referenceNumber", at, "adminId", email) values ($1, $2, $3, $4)`),
    setMailbox: statement('update $.reference_numbers set mailbox = $2 where "referenceNumber" = $1'),
    redirect: statement<{ deliveries: number }>(
      requeueSql(
        `"referenceNumber" = $1 and ${APPLICANT_MAIL} and (state in ('waiting', 'leased', 'dead') or event = $4)`,
        '$3',
        'recipient = $2,',
      ),
    ),
    requireConfirmation: statement(`
      update $.loan_applications set "mailboxConfirmedAt" = null, "confirmBy" = $2,
        "confirmationDigest" = $3
      where "referenceNumber" = $1`),
    settle: statement<{ deliveries: number }>(`
      with settled as (
        update $.deliveries d set state = 'settled' where d."referenceNumber" = $1 and ${IS_BOUNCED} returning 1
      ),
      counted as (
        insert into $.count_changes (kind, status, rows)
        select 'delivery', 'dead', -count(*) from settled having count(*) > 0
      )
      select count(*)::bigint as deliveries from settled`),
    addNote: statement(`
      insert into $.record_notes (id, "referenceNumber", "adminId", text, "createdAt") values ($1, $2, $3, $4, $5)`),
    findFailed: statement<RecordWithDeadDeliveries>(
      `select ${RECORD_COUNT_COLUMNS} from $.deliveries where ${DEAD_DELIVERIES} ${GROUPED_BY_RECORD}`,
    ),
    retryFailed: statement<RecordWithDeadDeliveries>(
      `${requeueSql(DEAD_DELIVERIES, '$2', `recipient = ${requeuedRecipient('d')},`, RECORD_COUNT_COLUMNS)} ${GROUPED_BY_RECORD}`,
    ),
  };
}

export function openBounces(
  db: Database,
  searchWords: SearchWords,
  { announce }: Pick<QueueSignal, 'announce'>,
): BounceStore {
  const statements = prepareStatements(db);
  return {
    recordBounce: (mail, recipient, { at, code, error, maskedRecipient }) =>
      db.transaction([], async (transaction) => {
        const storedMail =
          'receiptOf' in mail
            ? await transaction.get(statements.receipt, mail.receiptOf)
            : await transaction.get(statements.mail, mail.deliveryId);
        const refusal = bounceRefusal(storedMail, recipient);
        if (refusal !== null || !storedMail) return refusal ?? 'unknown';
        const state = storedMail.isOutdated ? 'settled' : 'dead';
        await transaction.run(statements.bounce, storedMail.id, at, storedMail.state, state);
        await transaction.run(
          statements.addAttempt,
          rowId(at),
          storedMail.id,
          at,
          code,
          error,
          maskedRecipient,
        );
        return 'bounced';
      }),

    async correctAddress(correction, actor) {
      const { referenceNumber, email } = correction;
      const outcome = await db.transaction([], async (transaction): Promise<CorrectionOutcome> => {
        const kind = (await transaction.get(statements.kindOf, referenceNumber))?.kind;
        const storedRecord =
          kind && (await transaction.get(statements.perKind[kind].record, referenceNumber));
        if (!kind || !storedRecord) return { kind: 'unknown' };
        if (storedRecord.email === email) return { kind: 'unchanged' };
        if (!(await transaction.get(statements.isBounced, referenceNumber))) return { kind: 'not-bounced' };
        const { adminId, at } = actor;
        const { mailbox, changedAt, confirmBy, resentEvent } = correctionChanges(
          kind,
          storedRecord,
          correction,
          actor,
        );
        await transaction.run(statements.addCorrection, referenceNumber, at, adminId, storedRecord.email);
        await transaction.run(statements.perKind[kind].setAddress, referenceNumber, email, changedAt);
        await searchWords.update(transaction, kind, referenceNumber);
        await transaction.run(statements.setMailbox, referenceNumber, mailbox);
        const countRow = await transaction.get(statements.redirect, referenceNumber, email, at, resentEvent);
        const deliveries = countRow?.deliveries ?? 0;
        if (kind === 'loan-application') {
          await transaction.run(
            statements.requireConfirmation,
            referenceNumber,
            confirmBy,
            correction.confirmation?.digest ?? null,
          );
        }
        transaction.record(correctionAuditRecord(referenceNumber, deliveries, actor));
        return { kind: 'corrected', deliveries, confirmBy };
      });
      if (outcome.kind === 'corrected') announce();
      return outcome;
    },

    settle: ({ referenceNumber, by }, actor) =>
      db.transaction([], async (transaction) => {
        const kind = (await transaction.get(statements.kindOf, referenceNumber))?.kind;
        if (!kind || !(await transaction.get(statements.perKind[kind].record, referenceNumber)))
          return 'unknown';
        const countRow = await transaction.get(statements.settle, referenceNumber);
        if (!countRow || countRow.deliveries === 0) return 'not-bounced';
        const { adminId, at } = actor;
        await transaction.run(statements.addNote, rowId(at), referenceNumber, adminId, SETTLED_NOTES[by], at);
        transaction.record(settlementAuditRecord(referenceNumber, by, actor));
        return 'settled';
      }),

    findFailed: (referenceNumber) => db.all(statements.findFailed, referenceNumber),

    async retryFailed(referenceNumber, actor) {
      const retriedRecords = await db.transaction([], async (transaction) => {
        const requeuedRecords = await transaction.all(statements.retryFailed, referenceNumber, actor.at);
        for (const record of requeuedRecords) transaction.record(retryAuditRecord(record, actor));
        return requeuedRecords;
      });
      if (retriedRecords.length > 0) announce();
      return retriedRecords;
    },
  };
}
