import type { SettledBy } from '../model/bounces.ts';
import type { DeliveryAttempt } from './delivery-port.ts';
import type { Actor } from './record-port.ts';

/* An email to an applicant counts as bounced while its delivery is dead: no server will accept it. */

/** The email to an applicant that a Message-ID identifies: the confirmation of a submission, or the email of a delivery. */
export type SentMail = { readonly receiptOf: string } | { readonly deliveryId: string };

/**
 * `unknown`: the portal has sent no such email to an applicant. `other-recipient`: the email went to another mailbox, for
 * example before the applicant's address was corrected. `known`: the delivery has already ended without success.
 */
export type BounceOutcome = 'bounced' | 'unknown' | 'other-recipient' | 'known';

export interface AddressCorrection {
  readonly referenceNumber: string;
  readonly email: string;
  /** The confirmation of a loan application's new mailbox; null for other records. */
  readonly confirmation: {
    /** SHA-256 of the token, in hex. */
    readonly digest: string;
    /** Unix ms. */
    readonly confirmBy: number;
  } | null;
}

/**
 * `not-bounced`: every email to the applicant was sent, is waiting or is settled. `unchanged`: the record
 * already has this address.
 */
export type CorrectionOutcome =
  | {
      readonly kind: 'corrected';
      /** How many emails were queued to the new address. */
      readonly deliveries: number;
      /** When the documents are deleted unless the new mailbox is confirmed (Unix ms); null if there is no such deadline. */
      readonly confirmBy: number | null;
    }
  | { readonly kind: 'unknown' | 'not-bounced' | 'unchanged' };

/** A record, and the number of its dead deliveries. */
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
   * Replaces the applicant's email address in a record with a bounced email, and queues the unsent emails for the new address. The
   * new mailbox of an undecided loan application has to be confirmed again.
   */
  correctAddress(correction: AddressCorrection, actor: Actor): Promise<CorrectionOutcome>;
  /** Closes the bounces of a record, because the team informed the applicant in another way, and adds a note. */
  settle(
    settlement: { readonly referenceNumber: string; readonly by: SettledBy },
    actor: Actor,
  ): Promise<'settled' | 'unknown' | 'not-bounced'>;
  /** What `retryFailed` would queue, grouped by reference number. */
  findFailed(referenceNumber: string | null): Promise<readonly RecordWithDeadDeliveries[]>;
  /**
   * Requeues the dead deliveries of one record or of all records, with the full number of attempts. Adds an audit record for each
   * record.
   * @returns what was queued, grouped by reference number
   */
  retryFailed(referenceNumber: string | null, actor: Actor): Promise<readonly RecordWithDeadDeliveries[]>;
}
