import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { mailboxOf } from '../../model/mailbox.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import {
  type ApplicationStore,
  type CardApplication,
  type NewCardApplication,
  type NewVerificationRequest,
  SUBMISSION_EVENT_NAMES,
  type SubmissionOutcome,
  type SubmissionTerms,
} from '../application-port.ts';
import type { AuditRecord } from '../ports.ts';
import type { cardApplications } from './application-schema.ts';
import { prepareApplicationStatements } from './application-statements.ts';
import type { AuditStatements } from './audit-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import type { QueueDelivery } from './queue-delivery.ts';
import { prepareReferenceNumbers } from './reference-rows.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

function applicationOf(row: typeof cardApplications.$inferSelect): CardApplication {
  const { checkedAmount: amount, checkedTier: tier, checkedAt: at, ...application } = row;
  const isChecked = amount !== null && tier !== null && at !== null;
  return { ...application, checked: isChecked ? { amount, tier, at } : null };
}

/** What is kept of a submission beside its own row. */
interface Submitted {
  readonly kind: SubmissionKind;
  readonly email: string;
  readonly at: number;
  /** Without anything personal. */
  readonly audited: AuditRecord['details'];
  readonly addRow: (referenceNumber: string) => void;
}

/** The part of `app.db` that holds applications and requests. */
export function openApplications(
  client: Database.Database,
  db: BetterSQLite3Database,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
  group: GroupCommit,
): ApplicationStore {
  client.function('mailbox_of', { deterministic: true }, (address) => mailboxOf(String(address)));
  const rows = prepareApplicationStatements(db);
  const takeReference = prepareReferenceNumbers(db);

  function hasSentTooMany(email: string, { atMost, since }: SubmissionTerms['perRecipient']): boolean {
    const of = { mailbox: mailboxOf(email), since };
    const sent = (rows.applicationsSince.get(of)?.rows ?? 0) + (rows.requestsSince.get(of)?.rows ?? 0);
    return sent >= atMost;
  }

  /** Called in a transaction. The key is looked up in it, so of two that race the second one finds the first one's answer. */
  const submit = (submitted: Submitted, terms: SubmissionTerms): SubmissionOutcome => {
    const { kind, email, at } = submitted;
    const { idempotency } = terms;
    rows.forgetAnswers.run({ before: terms.forgetAnswersBefore });
    const known = idempotency && rows.answerOf.get({ keyHash: idempotency.keyHash });
    if (known) {
      return known.bodyHash === idempotency.bodyHash
        ? { kind: 'repeated', answer: known.answer }
        : { kind: 'key-reused' };
    }
    if (hasSentTooMany(email, terms.perRecipient)) return { kind: 'too-many' };
    const referenceNumber = takeReference(kind, at, terms.drawReference);
    submitted.addRow(referenceNumber);
    rows.addEvent.run({ referenceNumber, at });
    const event = SUBMISSION_EVENT_NAMES[kind];
    audit.add.run({
      id: randomUUID(),
      at,
      actor: 'visitor',
      action: event,
      details: { ...submitted.audited, referenceNumber },
    });
    const told = { event, referenceNumber };
    queueDelivery({ ...told, channel: 'mail', audience: 'applicant', recipient: email }, at);
    queueDelivery({ ...told, channel: 'mail', audience: 'team', recipient: null }, at);
    queueDelivery({ ...told, channel: 'telegram', audience: 'team', recipient: null }, at);
    const answer = { ...terms.answer, referenceNumber };
    if (idempotency) rows.keepAnswer.run({ ...idempotency, answer, at });
    return { kind: 'accepted', answer };
  };

  const submitApplication = (application: NewCardApplication, terms: SubmissionTerms) => {
    const { checked, isOwnershipProven, shape, email, createdAt: at } = application;
    const addRow = (referenceNumber: string) => {
      rows.addApplication.run({
        ...application,
        referenceNumber,
        checkedAmount: checked?.amount.toString() ?? null,
        checkedTier: checked?.tier ?? null,
        checkedAt: checked?.at ?? null,
      });
    };
    const audited = { shape, isOwnershipProven, checkedTier: checked?.tier ?? null };
    return submit({ kind: 'card-application', email, at, audited, addRow }, terms);
  };

  const submitRequest = (request: NewVerificationRequest, terms: SubmissionTerms) => {
    const { isOwnershipProven, email, createdAt: at } = request;
    const addRow = (referenceNumber: string) => {
      rows.addRequest.run({ ...request, referenceNumber });
    };
    const audited = { isOwnershipProven };
    return submit({ kind: 'verification-request', email, at, audited, addRow }, terms);
  };

  return {
    submitApplication: (application, terms) => group.run(() => submitApplication(application, terms)),
    submitVerificationRequest: (request, terms) => group.run(() => submitRequest(request, terms)),
    applicationByReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => {
        const row = rows.application.get({ referenceNumber });
        return row ? applicationOf(row) : null;
      }),
    requestByReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => rows.request.get({ referenceNumber }) ?? null),
    statusOf: (referenceNumber, email) =>
      inStore(client, APP_FILE, () => {
        const application = rows.application.get({ referenceNumber });
        const found = application ?? rows.request.get({ referenceNumber });
        if (found?.email.toLowerCase() !== email.toLowerCase()) return null;
        return {
          referenceNumber,
          kind: application ? 'card-application' : 'verification-request',
          events: rows.events.all({ referenceNumber }),
        };
      }),
  };
}
