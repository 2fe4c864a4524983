import type { DeliveryChannel } from './delivery-port.ts';

/** An alert to the team. Contains no personal data and no secrets. Times are Unix ms. */
export interface StoredAlert {
  /** Consists of the alert's code and start time. Also the reference number of the alert's deliveries. */
  readonly id: string;
  readonly code: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The problem in one sentence, as in the last message that reported it. */
  readonly detail: string;
  /** When the last message that reported the problem was queued. */
  readonly notifiedAt: number;
  readonly reminders: number;
}

export interface AlertRecipient {
  readonly channel: DeliveryChannel;
  /** An email address or a chat id; null for the team's own address or chat. */
  readonly recipient: string | null;
}

/**
 * The portal's alerts. Each method that changes an alert queues the messages about it in the same transaction, and returns
 * whether it changed anything. Of concurrent calls, at most one changes something.
 */
export interface AlertStore {
  /** Oldest first. */
  listOpen(): Promise<readonly StoredAlert[]>;
  find(id: string): Promise<StoredAlert | null>;
  /** Does nothing if an alert with the same code is already open. */
  begin(
    alert: Pick<StoredAlert, 'id' | 'code' | 'startedAt' | 'detail' | 'notifiedAt'>,
    recipients: readonly AlertRecipient[],
  ): Promise<boolean>;
  /** Does nothing if the alert has ended, or if its stored number of reminders is not `alert.reminders`. */
  remind(
    alert: Pick<StoredAlert, 'id' | 'detail' | 'notifiedAt' | 'reminders'>,
    recipients: readonly AlertRecipient[],
  ): Promise<boolean>;
  /** Does nothing if the alert has ended. @param notifiedAt when the messages are queued */
  end(
    alert: { readonly id: string; readonly endedAt: number; readonly notifiedAt: number },
    recipients: readonly AlertRecipient[],
  ): Promise<boolean>;
}
