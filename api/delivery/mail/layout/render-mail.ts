import type { MailFooter, MailTemplate, RenderedMail } from '../mail-template.ts';
import { htmlDocument } from './html-document.ts';
import { plainText } from './plain-text.ts';

/** Mails to the team are plainer: without the logo, the topic and the footer. */
export function renderMail(
  mail: MailTemplate,
  audience: 'applicant' | 'team',
  footer: MailFooter | null = null,
): RenderedMail {
  return { subject: mail.subject, html: htmlDocument(mail, audience, footer), text: plainText(mail, footer) };
}
