import type { AttemptOutcome, DeliveryState } from '../model/delivery-states.ts';

export const DELIVERY_CHANNELS = ['mail', 'telegram', 'push'] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];

/** `applicant`: the person who sent the form, or asked for reminders. `team`: the whole team, or one admin. */
export type DeliveryAudience = 'applicant' | 'team';

/** A delivery that a worker has leased. */
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
   * The same for every attempt, so that a duplicate email is recognized. When an email is sent, the domain in this id is replaced by
   * the portal's.
   */
  readonly messageId: string;
  /** The number of attempts so far. Some attempts do not count (see `StateAfterAttempt`). */
  readonly attemptCount: number;
  /** Grows with every lease. An outcome is refused if its lease has an older fence. */
  readonly fence: number;
  /** Unix ms. */
  readonly createdAt: number;
}

export interface DeliveryAttempt {
  /** When the attempt ended (Unix ms). */
  readonly at: number;
  readonly outcome: AttemptOutcome;
  /** The peer's id for the accepted message. */
  readonly providerId: string | null;
  /** The code of the peer's refusal, or of the network error. */
  readonly code: string | null;
  readonly error: string | null;
  readonly maskedRecipient: string;
  readonly latencyMs: number;
}

/** The delivery's state after an attempt. */
export type StateAfterAttempt =
  | { readonly state: 'sent' | 'dead' }
  | {
      readonly state: 'waiting';
      /** Unix ms. */
      readonly nextAttemptAt: number;
      /** False if the attempt says nothing about the message, for example because the channel is down. */
      readonly counts: boolean;
    };

/** A line of the delivery log. */
export interface LoggedAttempt extends DeliveryAttempt {
  readonly id: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
}

/** How many unsent deliveries a channel has in a state. */
export interface DeliveryDepth {
  readonly channel: DeliveryChannel;
  readonly state: Exclude<DeliveryState, 'sent' | 'settled'>;
  readonly deliveries: number;
}

/** A delivery without attempts left. Contains no personal data. */
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
 * How many emails that confirm a form may be sent since a given time. Such an email goes to an address that anyone could have
 * typed. Times are Unix ms.
 */
export interface ConfirmationLimits {
  readonly since: number;
  /** The limit for each mail domain. */
  readonly perDomain: number;
  /** The limit for all domains together. */
  readonly total: number;
  /** When an email over a limit is due again. */
  readonly postponedUntil: number;
}

/** The outbox. Other stores queue a delivery in the transaction of the event that the delivery reports. */
export interface DeliveryStore {
  /** Leases up to `limit` due deliveries of a channel, longest overdue first. Times are Unix ms. */
  claimDue(claim: {
    readonly channel: DeliveryChannel;
    readonly now: number;
    readonly leasedUntil: number;
    readonly limit: number;
    readonly confirmationLimits?: ConfirmationLimits;
  }): Promise<readonly LeasedDelivery[]>;
  /**
   * Leases that ended without an outcome before a given time (Unix ms). A store that several programs share
   * ignores that time and uses its server's clock, also in `leasedUntil`. With its own clock, a starting
   * program could take deliveries that other programs are still sending.
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
  /** Ends a lease without an attempt. The delivery is due at the same time as before. */
  release(delivery: Pick<LeasedDelivery, 'id' | 'fence'>): Promise<void>;
  /** When the next waiting delivery of a channel is due (Unix ms); null when none is waiting. */
  nextDueAt(channel: DeliveryChannel): Promise<number | null>;
  queueDepths(): Promise<readonly DeliveryDepth[]>;
  /** Newest first. */
  listDead(limit: number): Promise<readonly DeadDelivery[]>;
  /** Newest first. */
  attempts(limit: number): Promise<readonly LoggedAttempt[]>;
  deliveriesOf(referenceNumber: string): Promise<readonly DeliveryStatus[]>;
  /** Calls the listener after a transaction that queued a delivery. @returns a function that stops listening */
  onQueued(listener: () => void): () => void;
}
