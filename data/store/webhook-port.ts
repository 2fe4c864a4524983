import type { SendingState } from '../model/delivery-states.ts';
import type { SentEventType, WebhookEventType, WebhookState } from '../model/webhooks.ts';
import type { AuditRecord } from './audit-port.ts';
import type { DeliveryAttempt, LeasedDelivery, StateAfterAttempt } from './delivery-port.ts';

/*
 * The team's webhooks. The other stores queue an event, in the transaction that adds its audit record, for each endpoint that
 * subscribes to the event. Times are Unix milliseconds. A method that takes an audit record adds it in the transaction that
 * makes the change, and only if something changed.
 */

export interface NewWebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly types: readonly WebhookEventType[];
  /** The signing secret, encrypted. */
  readonly secret: Uint8Array;
  readonly createdAt: number;
}

export interface WebhookEndpoint extends NewWebhookEndpoint {
  readonly state: WebhookState;
  /** The previous secret, encrypted; null if there was none. */
  readonly oldSecret: Uint8Array | null;
  /** Events are also signed with the old secret until this time; null if there is none. */
  readonly oldSecretUntil: number | null;
  /** When the team last reactivated the endpoint; null if it never did. */
  readonly activeSince: number | null;
  /**
   * When the current series of failures began; null if there is none. A success ends the series. Pausing or reactivating
   * the endpoint also ends it.
   */
  readonly failingSince: number | null;
}

/** An event for one endpoint. Contains no personal data. */
export interface WebhookMessage {
  readonly id: string;
  readonly endpointId: string;
  /** The same for every endpoint that gets the event, and for every attempt. */
  readonly eventId: string;
  readonly event: SentEventType;
  /** The record's reference number, or the card's id. */
  readonly referenceNumber: string;
  /** The record's status after the event. */
  readonly status: string;
  readonly createdAt: number;
}

export interface LeasedWebhook extends WebhookMessage, Pick<LeasedDelivery, 'attemptCount' | 'fence'> {
  /**
   * The start of the period during which the event is retried: the time of the event or, if later, the time when the
   * endpoint was last reactivated.
   */
  readonly retriedSince: number;
}

export interface WebhookDelivery extends WebhookMessage {
  readonly state: SendingState;
  readonly attemptCount: number;
  readonly nextAttemptAt: number;
  readonly lastAttemptAt: number | null;
  /** The HTTP status of the last response, or the code of the network error; null before the first attempt. */
  readonly code: string | null;
  /** The beginning of the response if the endpoint refused the event, or our text for a network error; otherwise null. */
  readonly response: string | null;
  readonly latencyMs: number | null;
}

export type WebhookAttempt = Pick<
  DeliveryAttempt,
  'at' | 'outcome' | 'providerId' | 'code' | 'error' | 'latencyMs'
>;

type Lease = Pick<LeasedWebhook, 'id' | 'fence'>;

export interface WebhookStore {
  /** Oldest first. */
  endpoints(): Promise<readonly WebhookEndpoint[]>;
  add(endpoint: NewWebhookEndpoint, limit: number, audit: AuditRecord): Promise<'added' | 'too-many'>;
  /** Sets the events that an endpoint gets. @returns false when there is no such endpoint */
  setTypes(id: string, types: readonly WebhookEventType[], audit: AuditRecord): Promise<boolean>;
  /**
   * Pauses an endpoint, or reactivates it. While it is paused, its queued events wait, and new ones are not queued.
   * @returns false when there is no such endpoint
   */
  setState(id: string, state: 'active' | 'paused', audit: AuditRecord): Promise<boolean>;
  /**
   * Replaces the signing secret.
   * @param oldSecretUntil events are also signed with the replaced secret until this time
   * @returns false when there is no such endpoint
   */
  rollSecret(id: string, secret: Uint8Array, oldSecretUntil: number, audit: AuditRecord): Promise<boolean>;
  /** Removes an endpoint and its deliveries. @returns false when there is no such endpoint */
  remove(id: string, audit: AuditRecord): Promise<boolean>;
  /** Queues an event for one active endpoint. @returns false when there is no such endpoint, or it is not active */
  sendTest(id: string, audit: AuditRecord): Promise<boolean>;
  /** Newest first. */
  deliveries(endpointId: string, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Makes a delivery due now. @returns false when there is no such delivery, it is being sent, or its endpoint is not active */
  retry(deliveryId: string, audit: AuditRecord): Promise<boolean>;

  /** Leases due events of an active endpoint, longest overdue first. */
  claimDue(claim: {
    readonly endpointId: string;
    readonly now: number;
    readonly leasedUntil: number;
    readonly limit: number;
  }): Promise<readonly LeasedWebhook[]>;
  nextDueAt(endpointId: string): Promise<number | null>;
  /** Like `DeliveryStore.expiredLeases`. */
  expiredLeases(moment: number): Promise<readonly (LeasedWebhook & { readonly leasedUntil: number })[]>;
  release(delivery: Lease): Promise<void>;
  /**
   * Stores an attempt. If the receiver answered 410, or if every attempt has failed for days, also disables the endpoint and
   * adds an audit record.
   * @returns `stale`, without writing anything, when the lease has ended
   */
  recordAttempt(
    delivery: Lease,
    attempt: WebhookAttempt,
    after: StateAfterAttempt,
  ): Promise<'recorded' | 'disabled' | 'stale'>;
  /** The number of unsent events for active endpoints, by state. */
  depths(): Promise<
    readonly { readonly state: Exclude<SendingState, 'sent'>; readonly deliveries: number }[]
  >;
}
