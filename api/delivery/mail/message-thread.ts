import type { SentMail } from '../../../data/store/bounce-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';

/** Emails about these events have a Message-ID that is derived from the reference number. */
const FIRST_EVENTS = /\.(received|begun|invitation|password-reset|confirm|report)$/;

/** The Message-ID of an email, without angle brackets. It is the same for every attempt to send the email. */
export function messageIdOf(
  {
    event,
    referenceNumber,
    audience,
    messageId,
  }: Pick<LeasedDelivery, 'event' | 'referenceNumber' | 'audience' | 'messageId'>,
  origin: string,
): string {
  const { hostname } = new URL(origin);
  if (FIRST_EVENTS.test(event)) return `${referenceNumber}.${audience}@${hostname}`;
  return messageId.replace(/@.*/, `@${hostname}`);
}

/**
 * The Message-ID of the first email to the same audience about the same record, without angle brackets. Mail programs need it
 * to show the emails as one conversation. If no receipt was sent for the record, the oldest earlier email counts as the first.
 * Null if this email is the first.
 */
export function firstMessageId(
  { event, audience, createdAt }: Pick<LeasedDelivery, 'event' | 'audience' | 'createdAt'>,
  recordDeliveries: readonly LeasedDelivery[],
  origin: string,
): string | null {
  if (FIRST_EVENTS.test(event)) return null;
  const mails = recordDeliveries.filter((one) => one.channel === 'mail' && one.audience === audience);
  const first =
    mails.find((one) => FIRST_EVENTS.test(one.event)) ??
    mails
      .filter((one) => one.createdAt < createdAt)
      .toSorted((one, other) => one.createdAt - other.createdAt)[0];
  return first ? messageIdOf(first, origin) : null;
}

const MESSAGE_ID = /^\s*<?([^\s<>@]+)@[^\s<>@]+>?\s*$/;
const RECEIPT = /^(BD-\d{8}-\d{6})\.applicant$/;

/**
 * The email to an applicant that a Message-ID identifies; null if the text is not a Message-ID. Does not check that the portal
 * sent such an email. Ignores the domain, because the portal's domain may have changed after the email was sent.
 */
export function parseSentMail(messageId: string): SentMail | null {
  const local = MESSAGE_ID.exec(messageId)?.[1];
  if (local === undefined) return null;
  const receiptOf = RECEIPT.exec(local)?.[1];
  return receiptOf === undefined ? { deliveryId: local } : { receiptOf };
}
