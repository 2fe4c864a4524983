import type { SentMail } from '../../../data/store/bounce-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';

/** The events of the first mail about a record, an alert, a one-time link or a week. */
const FIRST_EVENTS = /\.(received|begun|invitation|password-reset|confirm|report)$/;

/**
 * The Message-ID of a mail, which is the same for every attempt, and the Message-ID of the first mail about the same
 * record. Mail programs show them as one conversation. Both are without angle brackets.
 * @param origin the portal's URL
 */
export function messageThread(
  {
    event,
    referenceNumber,
    audience,
    messageId,
  }: Pick<LeasedDelivery, 'event' | 'referenceNumber' | 'audience' | 'messageId'>,
  origin: string,
): { readonly messageId: string; readonly follows: string | null } {
  const { hostname } = new URL(origin);
  const first = `${referenceNumber}.${audience}@${hostname}`;
  if (FIRST_EVENTS.test(event)) return { messageId: first, follows: null };
  return { messageId: messageId.replace(/@.*/, `@${hostname}`), follows: first };
}

const MESSAGE_ID = /^\s*<?([^\s<>@]+)@[^\s<>@]+>?\s*$/;
const RECEIPT = /^(BD-\d{8}-\d{6})\.applicant$/;

/**
 * The mail to an applicant that a Message-ID names; null if it names none. Ignores the domain, because the portal's domain
 * may have changed since.
 */
export function sentMail(messageId: string): SentMail | null {
  const local = MESSAGE_ID.exec(messageId)?.[1];
  if (local === undefined) return null;
  const receiptOf = RECEIPT.exec(local)?.[1];
  return receiptOf === undefined ? { deliveryId: local } : { receiptOf };
}
