import type { SettledBy } from '../model/bounces.ts';
import type { DeliveryAttempt } from './delivery-port.ts';
import type { Actor } from './record-port.ts';

/*
 * An email to an applicant counts as bounced while its delivery is `dead`: it was returned, or every attempt to send it
 * failed.
 */

/** The email to an applicant that a Message-ID identifies: the confirmation of a submission, or the email of a delivery. */
export type SentMail = { readonly receiptOf: string } | { readonly deliveryId: string };

/**
 * `bounced`: the delivery is now `dead`, or `settled` if its message is about a decision that is no longer valid. `unknown`:
 * the portal has no such email to an applicant, or it queued the email again and has not sent it since. `other-recipient`:
 * the delivery now goes to another mailbox, for example because the applicant's address was corrected. `known`: the delivery
 * is already `dead` or `settled`.
 */
export type BounceOutcome = 'bounced' | 'unknown' | 'other-recipient' | 'known';

export interface AddressCorrection {
  readonly referenceNumber: string;
  readonly email: string;
  /** How the new mailbox of a loan application is confirmed; null for other records. */
  readonly confirmation: {
    /** SHA-256 of the token, in hex. */
    readonly digest: string;
    /** Unix ms. */
    readonly confirmBy: number;
  } | null;
}

/** `not-bounced`: no email to the applicant has bounced. `unchanged`: the record already has this address. */
export type CorrectionOutcome =
  | {
      readonly kind: 'corrected';
      /** How many emails were queued. */
      readonly deliveries: number;
      /** The deadline (Unix ms) for confirming the new mailbox, after which the documents are deleted; null if there is none. */
      readonly confirmBy: number | null;
    }
  | { readonly kind: 'unknown' | 'not-bounced' | 'unchanged' };

export interface RecordWithDeadDeliveries {
  readonly referenceNumber: string;
  readonly deliveries: number;
}

export interface BounceStore {
  /** Marks an email as returned by a server that accepted it, or may have accepted it. */
  recordBounce(
    mail: SentMail,
    recipient: string,
    attempt: Pick<DeliveryAttempt, 'at' | 'code' | 'error' | 'maskedRecipient'>,
  ): Promise<BounceOutcome>;
  /**
   * Corrects the applicant's email address in a record, if an email to the applicant bounced. Each email that is bounced, waiting
   * or being sent is queued again, for the new address. For an undecided or merged loan application, the applicant has to confirm
   * the new mailbox. If the application is undecided, the email with the link is queued again even if it was sent before.
   */
  correctAddress(correction: AddressCorrection, actor: Actor): Promise<CorrectionOutcome>;
  /** Settles the bounced emails of a record after the team informed the applicant in another way, and adds a note. */
  settle(
    settlement: { readonly referenceNumber: string; readonly by: SettledBy },
    actor: Actor,
  ): Promise<'settled' | 'unknown' | 'not-bounced'>;
  /** The dead deliveries that `retryFailed` would queue, counted by record. */
  findFailed(referenceNumber: string | null): Promise<readonly RecordWithDeadDeliveries[]>;
  /**
   * Requeues the dead deliveries of one record or of all records, with the full number of attempts. Adds an audit record for
   * each record.
   * @returns the queued deliveries, counted by record
   */
  retryFailed(referenceNumber: string | null, actor: Actor): Promise<readonly RecordWithDeadDeliveries[]>;
}
