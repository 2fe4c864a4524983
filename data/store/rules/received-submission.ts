import { mailboxOf } from '../../model/mail-address.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { LeasedDelivery } from '../delivery-port.ts';
import { rowId } from '../row-id.ts';
import {
  type DocumentQuota,
  type ExceededQuota,
  type LoanDocument,
  type NewSubmissions,
  SUBMISSION_EVENT_NAMES,
} from '../submission-port.ts';

/**
 * After this many draws, all reference numbers for the day are assumed to be taken. Even if half of them are, all draws fail only
 * once in 10^30 submissions.
 */
export const MAX_DRAWS = 100;

export const allTakenError = () =>
  new Error(`${MAX_DRAWS} reference numbers were drawn, and all of them were already taken.`);

/** The details of a submission that the audit trail records. They contain no personal data. */
const AUDITED_DETAILS: {
  readonly [Kind in SubmissionKind]: (
    submission: NewSubmissions[Kind],
    documents: readonly LoanDocument[],
  ) => AuditRecord['details'];
} = {
  'card-application': ({ shape, isOwnershipProven, checked }) => ({
    shape,
    isOwnershipProven,
    checkedTier: checked?.tier ?? null,
  }),
  'verification-request': ({ isOwnershipProven }) => ({ isOwnershipProven }),
  'contact-message': ({ category }) => ({ category: category ?? null }),
  'loan-application': ({ investmentAmount }, documents) => ({
    investmentAmount,
    documents: documents.length,
  }),
};

export function receivedAuditRecord<Kind extends SubmissionKind>(
  kind: Kind,
  submission: NewSubmissions[Kind],
  referenceNumber: string,
  documents: readonly LoanDocument[],
): AuditRecord {
  const { createdAt: at } = submission;
  const details = { ...AUDITED_DETAILS[kind](submission, documents), referenceNumber };
  return { id: rowId(at), at, actor: 'visitor', action: SUBMISSION_EVENT_NAMES[kind], details };
}

export type QueuedDelivery = Pick<
  LeasedDelivery,
  'event' | 'referenceNumber' | 'channel' | 'audience' | 'recipient'
> & {
  /** Milliseconds until the delivery is due; absent if it is due immediately. */
  readonly delayMs?: number;
};

/** The messages about a received submission: to the team, and to the applicant unless `confirmationRecipient` is null. */
export function receivedDeliveries(
  kind: SubmissionKind,
  referenceNumber: string,
  confirmationRecipient: string | null,
): readonly QueuedDelivery[] {
  const delivery = { event: SUBMISSION_EVENT_NAMES[kind], referenceNumber };
  const toTeam = { audience: 'team', recipient: null } as const;
  return [
    ...(confirmationRecipient === null
      ? []
      : [{ ...delivery, channel: 'mail', audience: 'applicant', recipient: confirmationRecipient } as const]),
    { ...delivery, channel: 'mail', ...toTeam },
    { ...delivery, channel: 'telegram', ...toTeam },
  ];
}

/** The row to store for a delivery. The Message-ID is created here, so that it is the same for every attempt. */
export function queuedRow({ delayMs = 0, ...delivery }: QueuedDelivery, at: number) {
  const id = rowId(at);
  return { ...delivery, id, messageId: `${id}@blackduck-portal`, createdAt: at, nextAttemptAt: at + delayMs };
}

type DeliveryPurpose = Pick<LeasedDelivery, 'event' | 'audience'>;

/** The event of the email with the link that confirms the address and starts the reminders. */
export const REMINDER_CONFIRMATION_EVENT = 'stake-reminder.confirm';

/**
 * Whether a delivery confirms that a form was received, or asks the recipient to confirm an address. Such an email goes to an
 * address that anyone could have typed.
 */
export const isConfirmation = ({ event, audience }: DeliveryPurpose): boolean =>
  audience === 'applicant' &&
  (event === REMINDER_CONFIRMATION_EVENT ||
    SUBMISSION_KINDS.some((kind) => SUBMISSION_EVENT_NAMES[kind] === event));

export const domainOf = (recipient: string | null): string => mailboxOf(recipient ?? '').replace(/^.*@/, '');

/**
 * The first quota that additional bytes would exceed; null if they exceed none.
 * @param usedBytes returns the bytes that already count toward a quota
 */
export function exceededQuota(
  quotas: readonly DocumentQuota[],
  bytes: number,
  usedBytes: (subject: string) => number,
): ExceededQuota | null {
  const exceeded = quotas.find(({ subject, limit }) => usedBytes(subject) + bytes > limit);
  return exceeded ? { kind: 'over-quota', scope: exceeded.scope, endsAt: exceeded.endsAt } : null;
}
