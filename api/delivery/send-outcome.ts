import type { LeasedDelivery } from '../../data/store/delivery-port.ts';

/** Why a channel as a whole cannot be used; the messages themselves are not at fault. */
export type PauseReason =
  /** Nobody answers at its address. */
  | 'unreachable'
  /** It asks for some patience. */
  | 'busy'
  /** It does not accept the portal's credentials, or not the chat that it is to write to: for the operator to mend. */
  | 'refused';

interface Fault {
  /** The peer's code, or the network's. */
  readonly code: string;
  /** In words, without an address of a person and without a secret. */
  readonly error: string;
}

/** How a try to send went. */
export type SendOutcome =
  | {
      readonly kind: 'sent';
      /** The peer's own id of what it took. */
      readonly providerId: string | null;
    }
  /** Refused for now. */
  | (Fault & { readonly kind: 'retry' })
  /** Refused for good. */
  | (Fault & { readonly kind: 'dead' })
  /** The peer may or may not have taken it. */
  | (Fault & { readonly kind: 'unknown' })
  /** Nothing can be sent on this channel at the moment. */
  | (Fault & { readonly kind: 'pause'; readonly reason: PauseReason; readonly retryAfterMs?: number });

/** One channel, as the worker uses it. */
export interface Sender {
  /** Whom a delivery is for, so that a log may hold it. */
  maskedRecipient(delivery: LeasedDelivery): string;
  /** Makes the message of a delivery and sends it. Gives up when the signal aborts, and then says what it knows. */
  send(delivery: LeasedDelivery, signal: AbortSignal): Promise<SendOutcome>;
}
