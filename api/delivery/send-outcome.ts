import type { LeasedDelivery } from '../../data/store/delivery-port.ts';

export type PauseReason =
  | 'unreachable'
  /** The peer asks the portal to slow down. */
  | 'busy'
  /** The peer rejects the portal's credentials or the configured Telegram chat. An operator has to fix that. */
  | 'refused';

export const PAUSE_TEXTS: Readonly<Record<string, string>> = {
  unreachable: 'The channel is paused: its server does not respond.',
  busy: 'The channel is paused: its server asks us to slow down.',
  refused: 'The channel is paused: its server rejects the portal’s credentials.',
} satisfies Record<PauseReason, string>;

/** Error codes for connections that could not be opened. */
export const UNREACHABLE_CODES: ReadonlySet<string> = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENETDOWN EHOSTDOWN ENOTFOUND EAI_AGAIN EDNS'.split(' '),
);

interface Failure {
  /** The error code from the peer or the network. */
  readonly code: string;
  /** Contains no personal addresses or secrets. */
  readonly error: string;
}

export type SendOutcome =
  | {
      readonly kind: 'sent';
      /** The peer's id for the message. */
      readonly providerId: string | null;
    }
  /** Rejected for now. */
  | (Failure & { readonly kind: 'retry' })
  /** Rejected permanently. */
  | (Failure & { readonly kind: 'dead' })
  /** The peer may have accepted the message. */
  | (Failure & { readonly kind: 'unknown' })
  /** Nothing can be sent on this channel now. */
  | (Failure & { readonly kind: 'pause'; readonly reason: PauseReason; readonly retryAfterMs?: number });

export interface Sender<Delivery = LeasedDelivery> {
  /** For logs. */
  maskedRecipient(delivery: Delivery): string;
  /** Composes and sends a delivery. If the signal aborts, stops and returns the outcome as far as it is known. */
  send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
}
