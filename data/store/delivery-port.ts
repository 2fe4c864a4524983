export const DELIVERY_CHANNELS = ['mail', 'telegram'] as const;
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number];

/** `applicant` is the person who sent the form, `team` whoever the configuration names. */
export type DeliveryAudience = 'applicant' | 'team';

/** A delivery that a worker holds, until the lease ends. */
export interface LeasedDelivery {
  readonly id: string;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
  readonly recipient: string | null;
  /** The same for each try, so that a mail that arrives twice is known as one. */
  readonly messageId: string;
  /** Tries so far that counted. */
  readonly attemptCount: number;
  /** Grows with each lease: an outcome names the lease that it is of. */
  readonly fence: number;
  /** Unix ms. */
  readonly createdAt: number;
}

/** `unknown`: the peer may or may not have taken it. */
export const ATTEMPT_OUTCOMES = ['sent', 'retry', 'dead', 'unknown'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One try, as it is logged. */
export interface DeliveryAttempt {
  /** When it ended, Unix ms. */
  readonly at: number;
  readonly outcome: AttemptOutcome;
  /** The peer's own id of what it took. */
  readonly providerId: string | null;
  /** The peer's code for what it refused, or the network's. */
  readonly code: string | null;
  readonly error: string | null;
  readonly maskedRecipient: string;
  readonly latencyMs: number;
}

/** What becomes of the delivery after a try. */
export type AfterAttempt =
  | { readonly state: 'sent' | 'dead' }
  | {
      readonly state: 'waiting';
      /** Unix ms. */
      readonly nextAttemptAt: number;
      /** False where the try says nothing of the message, such as a channel that is not there. */
      readonly counts: boolean;
    };

/** One line of the delivery log. */
export interface LoggedAttempt extends DeliveryAttempt {
  readonly id: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  readonly audience: DeliveryAudience;
}

export type DeliveryState = 'waiting' | 'leased' | 'sent' | 'dead';

/** How many deliveries of a channel did not get where they should, by what is the matter. */
export interface DeliveryDepth {
  readonly channel: DeliveryChannel;
  readonly state: Exclude<DeliveryState, 'sent'>;
  readonly deliveries: number;
}

/** Where a delivery stands. */
export interface DeliveryStatus extends LeasedDelivery {
  readonly state: DeliveryState;
  readonly nextAttemptAt: number;
  readonly finishedAt: number | null;
}

/**
 * What is to be told to whom, and how that went. A delivery is queued in the transaction of what it tells of, so the
 * other ports do that.
 */
export interface DeliveryStore {
  /** Leases up to `limit` deliveries of a channel that are due, those due longest first. */
  claimDue(claim: {
    readonly channel: DeliveryChannel;
    /** Unix ms. */
    readonly now: number;
    /** Unix ms. */
    readonly leasedUntil: number;
    readonly limit: number;
  }): Promise<readonly LeasedDelivery[]>;
  /** Leases that end up to a moment (Unix ms): whoever held them did not say how it went. */
  leasesEndedBy(moment: number): Promise<readonly (LeasedDelivery & { readonly leasedUntil: number })[]>;
  /**
   * Adds a try to the log and moves its delivery on, in one transaction.
   * @returns `stale`, with nothing written, where the delivery is no longer held by this lease.
   */
  recordAttempt(
    delivery: Pick<LeasedDelivery, 'id' | 'fence'>,
    attempt: DeliveryAttempt,
    after: AfterAttempt,
  ): Promise<'recorded' | 'stale'>;
  /** Gives a lease back untried; it is due as it was. */
  release(delivery: Pick<LeasedDelivery, 'id' | 'fence'>): Promise<void>;
  /** When the next waiting delivery of a channel is due, Unix ms; null where none waits. */
  nextDueAt(channel: DeliveryChannel): Promise<number | null>;
  depths(): Promise<readonly DeliveryDepth[]>;
  /** Newest first. */
  attempts(limit: number): Promise<readonly LoggedAttempt[]>;
  deliveriesOf(referenceNumber: string): Promise<readonly DeliveryStatus[]>;
  /** Calls back once the transaction that queued something is over. @returns ends that. */
  onQueued(listener: () => void): () => void;
}
