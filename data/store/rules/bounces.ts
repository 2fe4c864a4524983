import type { SettledBy } from '../../model/bounces.ts';
import type { DeliveryState } from '../../model/delivery-states.ts';
import { mailboxOf } from '../../model/mail-address.ts';
import { MERGED_STATUS, type SubmissionKind } from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { AddressCorrection, BounceOutcome, RecordWithDeadDeliveries } from '../bounce-port.ts';
import type { Actor } from '../record-port.ts';
import { SUBMISSION_EVENT_NAMES } from '../submission-port.ts';
import { nextChangedAt } from './changed-at.ts';
import { toAuditRecord } from './record-decisions.ts';

/** SQL condition: the delivery `d` is an email that did not reach the applicant. */
export const IS_BOUNCED = "d.state = 'dead' and d.channel = 'mail' and d.audience = 'applicant'";

/**
 * SQL for the recipient of a requeued delivery. An email to an applicant goes to the current address in the record, which may
 * have been corrected.
 * @param recordTables the names of the tables that contain records
 */
export const requeuedRecipientSql = (recordTables: readonly string[], delivery = 'deliveries'): string => {
  const emails = recordTables.map(
    (table) => `select s.email from ${table} s where s."referenceNumber" = ${delivery}."referenceNumber"`,
  );
  return `case when channel = 'mail' and audience = 'applicant'
    then coalesce((${emails.join(' union all ')}), recipient) else recipient end`;
};

export interface StoredMail {
  readonly id: string;
  readonly state: DeliveryState;
  readonly recipient: string | null;
  readonly attemptCount: number;
  /** Whether the email is about a decision that is no longer valid. */
  readonly isOutdated: boolean | number;
}

export function bounceRefusal(
  mail: StoredMail | null | undefined,
  recipient: string,
): Exclude<BounceOutcome, 'bounced'> | null {
  if (!mail) return 'unknown';
  const { state, attemptCount } = mail;
  if (state === 'dead' || state === 'settled') return 'known';
  // Nothing has been sent since the email was requeued, so the bounce is about an earlier attempt.
  if (state === 'waiting' && attemptCount === 0) return 'unknown';
  return mail.recipient !== null && mailboxOf(mail.recipient) === mailboxOf(recipient)
    ? null
    : 'other-recipient';
}

export interface AddressedRecord {
  readonly email: string;
  readonly status: string;
  readonly changedAt: number;
}

/** What a correction changes in the record, apart from the address itself. */
export function correctionChanges(
  kind: SubmissionKind,
  { status, changedAt }: AddressedRecord,
  { email, confirmation }: AddressCorrection,
  { at }: Actor,
) {
  const isLoan = kind === 'loan-application';
  const isUndecidedLoan = isLoan && (status === 'received' || status === 'in-review');
  // A merged application can be split off again. Its mailbox must then be confirmed.
  const needsConfirmation = isUndecidedLoan || (isLoan && status === MERGED_STATUS);
  return {
    mailbox: mailboxOf(email),
    changedAt: nextChangedAt(changedAt, at),
    confirmBy: (needsConfirmation && confirmation?.confirmBy) || null,
    /**
     * The event of the email with the link for confirming the mailbox. That email is always sent again, to the corrected address.
     * Null if the mailbox need not be confirmed now.
     */
    resentEvent: isUndecidedLoan ? SUBMISSION_EVENT_NAMES[kind] : null,
  };
}

/** The audit record of a correction. It does not contain the address, because the audit trail keeps its records permanently. */
export const correctionAuditRecord = (
  referenceNumber: string,
  deliveries: number,
  actor: Actor,
): AuditRecord => toAuditRecord('record.address-corrected', actor, { referenceNumber, deliveries });

export const settlementAuditRecord = (referenceNumber: string, by: SettledBy, actor: Actor): AuditRecord =>
  toAuditRecord('record.bounce-settled', actor, { referenceNumber, by });

export const retryAuditRecord = (
  { referenceNumber, deliveries }: RecordWithDeadDeliveries,
  actor: Actor,
): AuditRecord => toAuditRecord('deliveries.retried', actor, { referenceNumber, deliveries });

export const SETTLED_NOTES: Readonly<Record<SettledBy, string>> = {
  phone: 'The email was not delivered. The team informed the applicant by phone.',
  telegram: 'The email was not delivered. The team informed the applicant on Telegram.',
  other: 'The email was not delivered. The team informed the applicant in another way.',
};
