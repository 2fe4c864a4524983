import type { MailAddress } from '../../../data/config/delivery-variables.ts';
import type { SendOutcome } from '../send-outcome.ts';
import type { ComposedMail } from './mail-composer.ts';

/** A mail with its envelope. */
export interface OutgoingMail extends ComposedMail {
  readonly from: MailAddress;
  /** One address. */
  readonly to: string;
  /** Without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
}

/** What takes a mail on its way. */
export type MailTransport = (mail: OutgoingMail, signal: AbortSignal) => Promise<SendOutcome>;

/** The same mail in Nodemailer's terms. Addresses stand apart from names, so that no sign in them is read as a list. */
export function mailFields({ from, to, replyTo, messageId, date, subject, text, html }: OutgoingMail) {
  return {
    // Copies: Nodemailer writes into the addresses that it is handed, and the configuration is frozen.
    from: { ...from },
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { ...replyTo } }),
    envelope: { from: from.address, to: [to] },
    messageId: `<${messageId}>`,
    date,
    subject,
    text,
    html,
    // Answers of machines to a machine are of use to nobody.
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
