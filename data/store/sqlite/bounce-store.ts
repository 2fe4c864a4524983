import type Database from 'better-sqlite3';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type {
  BounceOutcome,
  BounceStore,
  CorrectionOutcome,
  RecordWithDeadDeliveries,
} from '../bounce-port.ts';
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
import { SUBMISSION_EVENT_NAMES } from '../submission-port.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { GroupCommit } from './group-commit.ts';
import { statementCache } from './list-statements.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

interface BounceOptions {
  readonly audit: AuditStatements;
  readonly onQueued: () => void;
  readonly group: GroupCommit;
}

type CallParameters<Call extends keyof BounceStore> = Parameters<BounceStore[Call]>;

const APPLICANT_MAIL = "channel = 'mail' and audience = 'applicant'";
const RECEIPT_EVENTS = SUBMISSION_KINDS.map((kind) => `'${SUBMISSION_EVENT_NAMES[kind]}'`).join(', ');
const SET_QUEUED =
  "state = 'waiting', attemptCount = 0, nextAttemptAt = ?, leasedUntil = null, finishedAt = null, fence = fence + 1";

/** Queues deliveries again. Its parameter is the time of the next attempt (Unix ms). */
export const REQUEUE = `update deliveries set recipient = ${requeuedRecipientSql(
  Object.values(SUBMISSION_TABLES).map(({ name }) => name),
)}, ${SET_QUEUED}`;

/** The SQL condition for the dead deliveries of one record, or of all records if the parameter is null. Skips erased records. */
const FAILED_DELIVERIES = `state = 'dead'
  and referenceNumber in (select r.referenceNumber from reference_numbers r where r.mailbox is not null)
  and referenceNumber = coalesce(?, referenceNumber)`;

export function openBounces(
  client: Database.Database,
  { audit, onQueued, group }: BounceOptions,
): BounceStore {
  const statements = statementCache(client);
  /** @returns undefined if the record is erased or unknown */
  const recordOf = (kind: SubmissionKind | undefined, referenceNumber: string) =>
    kind &&
    (statements(`select * from ${SUBMISSION_TABLES[kind].name} where referenceNumber = ?`).get(
      referenceNumber,
    ) as AddressedRecord | undefined);
  const isBounced = (referenceNumber: string): boolean =>
    statements(`select 1 from deliveries d where d.referenceNumber = ? and ${IS_BOUNCED}`).get(
      referenceNumber,
    ) !== undefined;

  function recordBounce(...[mail, recipient, attempt]: CallParameters<'recordBounce'>): BounceOutcome {
    const selectDelivery = `select id, state, recipient, attemptCount, ${isOutdatedSql('')} as isOutdated from deliveries where`;
    const storedMail = (
      'receiptOf' in mail
        ? statements(
            `${selectDelivery} referenceNumber = ? and event in (${RECEIPT_EVENTS}) and ${APPLICANT_MAIL}`,
          ).get(mail.receiptOf)
        : statements(`${selectDelivery} id = ? and ${APPLICANT_MAIL}`).get(mail.deliveryId)
    ) as StoredMail | undefined;
    const refusal = bounceRefusal(storedMail, recipient);
    if (refusal !== null || !storedMail) return refusal ?? 'unknown';
    // The higher fence makes the store refuse an outcome from a worker that still has a lease.
    statements(
      'update deliveries set state = ?, leasedUntil = null, finishedAt = ?, fence = fence + 1 where id = ?',
    ).run(storedMail.isOutdated ? 'settled' : 'dead', attempt.at, storedMail.id);
    statements(
      "insert into delivery_attempts (id, deliveryId, at, outcome, code, error, maskedRecipient, latencyMs) values (?, ?, ?, 'dead', ?, ?, ?, 0)",
    ).run(rowId(attempt.at), storedMail.id, attempt.at, attempt.code, attempt.error, attempt.maskedRecipient);
    return 'bounced';
  }

  function correctAddress(...[correction, actor]: CallParameters<'correctAddress'>): CorrectionOutcome {
    const { referenceNumber, email } = correction;
    const { adminId, at } = actor;
    const kind = kindOf(statements, referenceNumber);
    const storedRecord = recordOf(kind, referenceNumber);
    if (!kind || !storedRecord) return { kind: 'unknown' };
    if (storedRecord.email === email) return { kind: 'unchanged' };
    if (!isBounced(referenceNumber)) return { kind: 'not-bounced' };
    const { mailbox, changedAt, confirmBy, resentEvent } = correctionChanges(
      kind,
      storedRecord,
      correction,
      actor,
    );
    statements(
      'insert into address_corrections (referenceNumber, at, adminId, email) values (?, ?, ?, ?)',
    ).run(referenceNumber, at, adminId, storedRecord.email);
    statements(
      `update ${SUBMISSION_TABLES[kind].name} set email = ?, changedAt = ? where referenceNumber = ?`,
    ).run(email, changedAt, referenceNumber);
    statements('update reference_numbers set mailbox = ? where referenceNumber = ?').run(
      mailbox,
      referenceNumber,
    );
    const { changes } = statements(
      `update deliveries set recipient = ?, ${SET_QUEUED} where referenceNumber = ? and ${APPLICANT_MAIL}
       and (state in ('waiting', 'leased', 'dead') or event = ?)`,
    ).run(email, at, referenceNumber, resentEvent);
    if (kind === 'loan-application') {
      statements(
        'update loan_applications set mailboxConfirmedAt = null, confirmBy = ?, confirmationDigest = ? where referenceNumber = ?',
      ).run(confirmBy, correction.confirmation?.digest ?? null, referenceNumber);
    }
    audit.append(correctionAuditRecord(referenceNumber, changes, actor));
    onQueued();
    return { kind: 'corrected', deliveries: changes, confirmBy };
  }

  function settle(...[{ referenceNumber, by }, actor]: CallParameters<'settle'>) {
    if (!recordOf(kindOf(statements, referenceNumber), referenceNumber)) return 'unknown';
    const { changes } = statements(
      `update deliveries as d set state = 'settled' where d.referenceNumber = ? and ${IS_BOUNCED}`,
    ).run(referenceNumber);
    if (changes === 0) return 'not-bounced';
    const { adminId, at } = actor;
    statements(
      'insert into record_notes (id, referenceNumber, adminId, text, createdAt) values (?, ?, ?, ?, ?)',
    ).run(rowId(at), referenceNumber, adminId, SETTLED_NOTES[by], at);
    audit.append(settlementAuditRecord(referenceNumber, by, actor));
    return 'settled';
  }

  const failedRecords = (referenceNumber: string | null): readonly RecordWithDeadDeliveries[] =>
    statements(
      `select referenceNumber, count(*) as deliveries from deliveries where ${FAILED_DELIVERIES} group by 1 order by 1`,
    ).all(referenceNumber) as RecordWithDeadDeliveries[];

  function retryFailed(
    ...[referenceNumber, actor]: CallParameters<'retryFailed'>
  ): readonly RecordWithDeadDeliveries[] {
    const retriedRecords = failedRecords(referenceNumber);
    if (retriedRecords.length === 0) return [];
    statements(`${REQUEUE} where ${FAILED_DELIVERIES}`).run(actor.at, referenceNumber);
    for (const record of retriedRecords) audit.append(retryAuditRecord(record, actor));
    onQueued();
    return retriedRecords;
  }

  return {
    recordBounce: (...bounce) => group.run(() => recordBounce(...bounce)),
    correctAddress: (...correction) => group.run(() => correctAddress(...correction)),
    settle: (...settled) => group.run(() => settle(...settled)),
    findFailed: (referenceNumber) => runInStore(client, APP_FILE, () => failedRecords(referenceNumber)),
    retryFailed: (...retried) => group.run(() => retryFailed(...retried)),
  };
}
