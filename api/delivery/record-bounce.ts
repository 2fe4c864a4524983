import type { Logger } from '../../data/runtime/log.ts';
import type { BounceOutcome } from '../../data/store/bounce-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { parseSentMail } from './mail/message-thread.ts';
import { maskAddress, sanitizePeerMessage } from './recipients.ts';

/** What a delivery status notification (RFC 3464) says about one recipient of an email that the portal sent. */
export interface Bounce {
  /** The Message-ID of the email that was not delivered, with or without angle brackets. */
  readonly messageId: string;
  readonly recipient: string;
  /** The status code, such as 5.1.1; null if there is none. */
  readonly code: string | null;
  /** The message from the server that rejected the email; null if there is none. */
  readonly text: string | null;
}

/**
 * Marks an email to an applicant as bounced, even if a server accepted it at first. Call this only for permanent failures.
 * Anyone can send the portal an email, so a bounce counts only if it names both an email that the portal sent and
 * that email's recipient.
 */
export async function recordBounce(
  {
    store,
    now,
    log,
  }: { readonly store: Pick<AppStore, 'bounces'>; readonly now: () => number; readonly log: Logger },
  { messageId, recipient, code, text }: Bounce,
): Promise<BounceOutcome> {
  const mail = parseSentMail(messageId);
  if (mail === null) return 'unknown';
  const outcome = await store.bounces.recordBounce(mail, recipient, {
    at: now(),
    code: code === null ? null : sanitizePeerMessage(code),
    error: text === null ? null : sanitizePeerMessage(text),
    maskedRecipient: maskAddress(recipient),
  });
  if (outcome === 'bounced') log.warn({ mail, code }, 'mail bounced');
  return outcome;
}
