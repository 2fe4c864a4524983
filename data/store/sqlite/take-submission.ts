import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { mailboxOf } from '../../model/mailbox.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import { SUBMISSION_EVENT_NAMES, type SubmissionOutcome, type SubmissionTerms } from '../application-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import { rowId } from '../row-id.ts';
import type { AuditStatements } from './audit-statements.ts';
import type { QueueDelivery } from './queue-delivery.ts';
import { prepareReferenceNumbers } from './reference-rows.ts';
import { prepareSubmissionStatements } from './submission-statements.ts';

/** What is kept of a submission beside its own row. */
export interface Submitted {
  readonly kind: SubmissionKind;
  readonly email: string;
  readonly at: number;
  /** Without anything personal. */
  readonly audited: AuditRecord['details'];
  readonly addRow: (referenceNumber: string) => void;
}

export type TakeSubmission = (submitted: Submitted, terms: SubmissionTerms) => SubmissionOutcome;

/**
 * Takes a submission of any kind with its reference number, its first event, its audit record, its deliveries and the
 * answer by its key. To be called in a transaction: the key is looked up in it, so of two that race the second one finds
 * the first one's answer.
 */
export function prepareTakingSubmissions(
  db: BetterSQLite3Database,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
): TakeSubmission {
  const rows = prepareSubmissionStatements(db);
  const takeReference = prepareReferenceNumbers(db);
  return ({ kind, email, at, audited, addRow }, terms) => {
    const { idempotency, perRecipient } = terms;
    rows.forgetAnswers.run({ before: terms.forgetAnswersBefore });
    const known = idempotency && rows.answerOf.get({ keyHash: idempotency.keyHash });
    if (known) {
      return known.bodyHash === idempotency.bodyHash
        ? { kind: 'repeated', answer: known.answer }
        : { kind: 'key-reused' };
    }
    const mailbox = mailboxOf(email);
    const sent = rows.sentSince.get({ mailbox, since: perRecipient.since })?.rows ?? 0;
    if (sent >= perRecipient.atMost) return { kind: 'too-many' };
    const referenceNumber = takeReference({ kind, at, mailbox }, terms.drawReference);
    addRow(referenceNumber);
    rows.addEvent.run({ referenceNumber, at });
    const event = SUBMISSION_EVENT_NAMES[kind];
    audit.append({
      id: rowId(at),
      at,
      actor: 'visitor',
      action: event,
      details: { ...audited, referenceNumber },
      address: null,
    });
    const told = { event, referenceNumber };
    queueDelivery({ ...told, channel: 'mail', audience: 'applicant', recipient: email }, at);
    queueDelivery({ ...told, channel: 'mail', audience: 'team', recipient: null }, at);
    queueDelivery({ ...told, channel: 'telegram', audience: 'team', recipient: null }, at);
    const answer = { ...terms.answer, referenceNumber };
    if (idempotency) rows.keepAnswer.run({ ...idempotency, answer, at });
    return { kind: 'accepted', answer };
  };
}
