import { buffer } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { outboxName, writeToOutbox } from '../outbox-file.ts';
import { type MailTransport, mailFields } from './outgoing-mail.ts';

/** Keeps each mail as an `.eml` file, which any mail program opens, in place of sending it. */
export function outboxTransport(folder: string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async (mail) => {
    const { message } = await composer.sendMail(mailFields(mail));
    const [id = mail.messageId] = mail.messageId.split('@');
    const name = outboxName(mail.date.getTime(), id, 'eml');
    return writeToOutbox(folder, name, Buffer.isBuffer(message) ? message : await buffer(message));
  };
}
