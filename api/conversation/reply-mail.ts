import type { MailAddress } from '../../data/config/delivery-variables.ts';
import type { Organization } from '../../data/model/organization.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';
import type { MailPart, MailTemplate } from '../delivery/mail/mail-template.ts';
import type { ComposedMail } from '../delivery/mail/mail-transport.ts';

type Reply = Pick<RecordMessage, 'referenceNumber' | 'subject' | 'text'>;

/** The mails that the team writes to people. */
export interface ReplyMails {
  /** Whether the portal reads the mailbox that answers go to. */
  readonly answersArrive: boolean;
  compose(reply: Reply): Promise<ComposedMail>;
}

/** Paragraphs of a text, separated by empty lines. */
const paragraphs = (text: string): readonly MailPart[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ kind: 'lines', text: paragraph }));

const withReference = (subject: string, referenceNumber: string): string =>
  subject.includes(referenceNumber) ? subject : `${subject} ${referenceNumber}`;

const replyTemplate = ({ referenceNumber, subject, text }: Reply): MailTemplate => ({
  // The reference number finds the record if a mail program drops the thread from an answer.
  subject: withReference(subject, referenceNumber),
  parts: [
    ...paragraphs(text),
    {
      kind: 'small',
      text: `Reply to this email to answer. Leave the reference number ${referenceNumber} in the subject. BlackDuck never asks for a seed phrase or a private key.`,
    },
  ],
});

interface ReplyOptions {
  /** Null if the site is not built. */
  readonly organization: Organization | null;
  /** The site's URL without a final slash. */
  readonly origin: () => string;
  /** The address of the mailbox that the portal reads, in which `{reference}` stands for the reference number; null if it reads none. */
  readonly inboundAddress: string | null;
}

export function createReplyMails({ organization, origin, inboundAddress }: ReplyOptions): ReplyMails {
  const replyTo = (referenceNumber: string): MailAddress | null => {
    const address =
      inboundAddress?.replace('{reference}', referenceNumber) ?? organization?.supportEmail ?? null;
    return address === null ? null : { name: organization?.name ?? '', address };
  };
  return {
    answersArrive: inboundAddress !== null,
    compose: async (reply) => {
      // Loaded with the first mail, so that the portal starts without waiting for it.
      const { renderMail } = await import('../delivery/mail/mail-template.ts');
      const footer = organization && {
        supportEmail: organization.supportEmail,
        postalAddress: organization.postalAddress,
        privacyUrl: `${origin()}/privacy-policy`,
      };
      return {
        ...renderMail(replyTemplate(reply), footer),
        replyTo: replyTo(reply.referenceNumber),
        isPersonal: true,
      };
    },
  };
}
