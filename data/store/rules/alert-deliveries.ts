import type { AlertRecipient } from '../alert-port.ts';
import type { QueuedDelivery } from './receipts.ts';

/** What a message says about its alert. A reminder also has a number, since each event of an alert is queued once. */
export type AlertEvent = 'alert.begun' | 'alert.ended' | `alert.lasts:${number}`;

export function alertDeliveries(
  referenceNumber: string,
  event: AlertEvent,
  to: readonly AlertRecipient[],
): readonly QueuedDelivery[] {
  return to.map((recipient) => ({ event, referenceNumber, audience: 'team', ...recipient }));
}
