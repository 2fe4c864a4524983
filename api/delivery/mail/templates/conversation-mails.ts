import type { MailPart, MailTemplate } from '../mail-template.ts';

export interface TeamMessage {
  readonly referenceNumber: string;
  readonly subject: string;
  /** Plain text with line breaks, written by an admin. */
  readonly text: string;
}

const paragraphsOf = (text: string): readonly MailPart[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ kind: 'lines', text: paragraph }));

const withReference = (subject: string, referenceNumber: string): string =>
  subject.includes(referenceNumber) ? subject : `${subject} ${referenceNumber}`;

/** A personal email. It has no button, because the reader is asked to reply. */
export const teamMessageTemplate = ({ referenceNumber, subject, text }: TeamMessage): MailTemplate => ({
  // The reference number identifies the record if a mail program drops the thread headers from a reply.
  subject: withReference(subject, referenceNumber),
  topic: `About ${referenceNumber}`,
  title: subject,
  preheader: `The team wrote to you about ${referenceNumber}. Reply to this email to answer.`,
  parts: [
    ...paragraphsOf(text),
    {
      kind: 'small',
      text: `Reply to this email to answer. Keep the reference number ${referenceNumber} in the subject. BlackDuck never asks for a seed phrase or a private key.`,
    },
  ],
});
