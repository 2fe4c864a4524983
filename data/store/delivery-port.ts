import type { AttemptOutcome, DeliveryState } from '../model/delivery-states.ts';

export const DELIVERY_CHANNELS = ['mail', 'telegram', 'push'] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];

/** `applicant`: the person who sent the form, or asked for reminders. `team`: the whole team, or one admin. */
export type DeliveryAudience = 'applicant' | 'team';

export interface LeasedDelivery {
  readonly id: string;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
  /**
   * Null if the recipient is looked up when the message is sent: in the configuration or, for a push message, in its
   * subscription.
   */
  readonly recipient: string | null;
  /**
   * The same for every attempt, so that a duplicate email can be recognized. When an email is sent, the portal's domain
   * replaces the domain in this id.
   */
  readonly messageId: string;
  /** The number of attempts so far. Some attempts do not count (see `StateAfterAttempt`). */
  readonly attemptCount: number;
  /**
   * Increases with every lease, and when the delivery bounces or is cancelled or requeued. The outcome of an attempt with a
   * lower fence is rejected.
   */
  readonly fence: number;
  /** Unix ms. */
  readonly createdAt: number;
}

export interface DeliveryAttempt {
  /** When the attempt ended (Unix ms). */
  readonly at: number;
  readonly outcome: AttemptOutcome;
  /** What the receiving server returned when it accepted the message, such as an id; null if it returned nothing. */
  readonly providerId: string | null;
  /** The code with which the server refused the message, or the code of a network error; null if there is none. */
  readonly code: string | null;
  readonly error: string | null;
  readonly maskedRecipient: string;
  readonly latencyMs: number;
}

export type StateAfterAttempt =
  | { readonly state: 'sent' | 'dead' }
  | {
      readonly state: 'waiting';
      /** Unix ms. */
      readonly nextAttemptAt: number;
      /**
       * False if the attempt failed for a reason that has nothing to do with the message: the channel is down, or the portal
       * stopped while sending.
       */
      readonly counts: boolean;
    };

export interface LoggedAttempt extends DeliveryAttempt {
  readonly id: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
}

export interface DeliveryDepth {
  readonly channel: DeliveryChannel;
  readonly state: Exclude<DeliveryState, 'sent' | 'settled'>;
  readonly deliveries: number;
}

/** Contains no personal data. */
export interface DeadDelivery {
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  /** Unix ms; null when unknown. */
  readonly finishedAt: number | null;
}

interface DeliveryStatus extends LeasedDelivery {
  readonly state: DeliveryState;
  readonly nextAttemptAt: number;
  readonly finishedAt: number | null;
}

/**
 * The limits on emails that confirm a form or an address, which anyone could have entered. An email with an attempt at or
 * after `since` counts once, however many attempts it had. Times are Unix ms.
 */
export interface ConfirmationLimits {
  readonly since: number;
  readonly perDomain: number;
  readonly total: number;
  /** The new due time of an email that exceeds a limit. */
  readonly postponedUntil: number;
}

/** The outbox. Other parts of the store queue a delivery in the same transaction as the event that it reports. */
export interface DeliveryStore {
  /**
   * Leases up to `limit` due deliveries of a channel, longest overdue first. Messages about decisions that are no longer
   * valid get the state `settled` instead. Emails that exceed `confirmationLimits` are postponed. Times are Unix ms.
   */
  claimDue(claim: {
    readonly channel: DeliveryChannel;
    readonly now: number;
    readonly leasedUntil: number;
    readonly limit: number;
    readonly confirmationLimits?: ConfirmationLimits;
  }): Promise<readonly LeasedDelivery[]>;
  /**
   * The leases that have expired without an outcome by `moment` (Unix ms). PostgreSQL ignores `moment` and uses its server's
   * clock, as it does for `leasedUntil`. Otherwise a program with a fast clock could take over deliveries that other
   * programs are still sending.
   */
  expiredLeases(moment: number): Promise<readonly (LeasedDelivery & { readonly leasedUntil: number })[]>;
  /**
   * Logs an attempt and updates its delivery, in one transaction.
   * @returns `stale`, without writing anything, when the lease has ended
   */
  recordAttempt(
    delivery: Pick<LeasedDelivery, 'id' | 'fence'>,
    attempt: DeliveryAttempt,
    after: StateAfterAttempt,
  ): Promise<'recorded' | 'stale'>;
  /** Ends a lease without an attempt. The due time of the delivery does not change. */
  release(delivery: Pick<LeasedDelivery, 'id' | 'fence'>): Promise<void>;
  /** Unix ms; null when no delivery is waiting. */
  nextDueAt(channel: DeliveryChannel): Promise<number | null>;
  queueDepths(): Promise<readonly DeliveryDepth[]>;
  /** Newest first. */
  listDead(limit: number): Promise<readonly DeadDelivery[]>;
  /** Newest first. */
  attempts(limit: number): Promise<readonly LoggedAttempt[]>;
  deliveriesOf(referenceNumber: string): Promise<readonly DeliveryStatus[]>;
  /** Calls the listener after each transaction that queues a delivery. @returns a function that stops listening */
  onQueued(listener: () => void): () => void;
}
