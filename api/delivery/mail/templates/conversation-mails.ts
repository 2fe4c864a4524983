import type { MailPart, MailTemplate } from '../mail-template.ts';

/** What the team writes to a person about a record, such as a question. */
export interface TeamMessage {
  readonly referenceNumber: string;
  readonly subject: string;
  /** Plain text with line breaks, written by an admin. */
  readonly text: string;
}

/** Paragraphs of a text, separated by empty lines. */
const paragraphsOf = (text: string): readonly MailPart[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ kind: 'lines', text: paragraph }));

const withReference = (subject: string, referenceNumber: string): string =>
  subject.includes(referenceNumber) ? subject : `${subject} ${referenceNumber}`;

/** A letter, so it has no button: the reader replies. */
export const teamMessageTemplate = ({ referenceNumber, subject, text }: TeamMessage): MailTemplate => ({
  // The reference number finds the record if a mail program drops the thread from an answer.
  subject: withReference(subject, referenceNumber),
  topic: `About ${referenceNumber}`,
  title: subject,
  preheader: `The team wrote to you about ${referenceNumber}. Reply to this email to answer.`,
  parts: [
    ...paragraphsOf(text),
    {
      kind: 'small',
      text: `Reply to this email to answer. Leave the reference number ${referenceNumber} in the subject. BlackDuck never asks for a seed phrase or a private key.`,
    },
  ],
});
