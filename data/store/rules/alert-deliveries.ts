import type { AlertRecipient } from '../alert-port.ts';
import type { QueuedDelivery } from './received-submission.ts';

/** The kind of message about an alert. Reminders are numbered, because each event of an alert is queued only once. */
export type AlertEvent = 'alert.begun' | 'alert.ended' | `alert.lasts:${number}`;

export function alertDeliveries(
  referenceNumber: string,
  event: AlertEvent,
  recipients: readonly AlertRecipient[],
): readonly QueuedDelivery[] {
  return recipients.map((recipient) => ({ event, referenceNumber, audience: 'team', ...recipient }));
}
