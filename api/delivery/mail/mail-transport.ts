import { buffer } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import type { MailAddress } from '../../../data/config/delivery-variables.ts';
import { outboxName, writeToOutbox } from '../outbox-file.ts';
import type { SendOutcome } from '../send-outcome.ts';
import type { RenderedMail } from './mail-template.ts';

export interface MailFile {
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

export interface ComposedMail extends RenderedMail {
  /**
   * For an email to the team about a submission: the applicant. For any other email: support, or the address at which the
   * portal receives emails. Null if support's address is unknown because the site is not built.
   */
  readonly replyTo: MailAddress | null;
  /** The Message-ID of the email that this email replies to, without angle brackets. */
  readonly answeredMessageId?: string | null;
  /** The URL that a mail program calls to unsubscribe the recipient with one click (RFC 8058). */
  readonly unsubscribeUrl?: string | null;
  /** Whether a person wrote the email. */
  readonly isPersonal?: boolean;
  readonly files?: readonly MailFile[];
}

export interface OutgoingMail extends ComposedMail {
  readonly from: MailAddress;
  /** A single address. */
  readonly to: string;
  /** The id of the delivery or alert that the email is for. */
  readonly id: string;
  /** Without angle brackets. */
  readonly messageId: string;
  /** The Message-ID of the first email about the same record, so that mail programs group the emails. Null if there is none. */
  readonly threadMessageId?: string | null;
  readonly date: Date;
}

export type MailTransport = (mail: OutgoingMail, signal: AbortSignal) => Promise<SendOutcome>;

/** An email as Nodemailer expects it. Addresses are objects, so that no character in a name can start another address. */
export function mailFields(mail: OutgoingMail) {
  const { from, to, replyTo, messageId, date, subject, text, html } = mail;
  const { isPersonal, unsubscribeUrl, files = [] } = mail;
  const thread = [mail.threadMessageId, mail.answeredMessageId]
    .filter((id) => typeof id === 'string')
    .map((id) => `<${id}>`);
  return {
    // Copied, because Nodemailer changes its input and the configuration is frozen.
    from: { ...from },
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { ...replyTo } }),
    envelope: { from: from.address, to: [to] },
    messageId: `<${messageId}>`,
    ...(thread.length > 0 && { inReplyTo: thread.at(-1), references: thread }),
    date,
    subject,
    text,
    html,
    ...(files.length > 0 && {
      attachments: files.map(({ fileName, mediaType, content }) => ({
        filename: fileName,
        contentType: mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType,
        contentDisposition: 'attachment' as const,
        content,
      })),
    }),
    headers: {
      // Prevents automatic replies.
      ...(isPersonal ? {} : { 'Auto-Submitted': 'auto-generated' }),
      ...(unsubscribeUrl && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    xMailer: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A transport that writes each email to an `.eml` file, which any mail program can open, instead of sending it. */
export function createMailOutboxTransport(folder: string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async (mail) => {
    const { message } = await composer.sendMail(mailFields(mail));
    const name = outboxName(mail.date.getTime(), mail.id, 'eml');
    return writeToOutbox(folder, name, Buffer.isBuffer(message) ? message : await buffer(message));
  };
}
