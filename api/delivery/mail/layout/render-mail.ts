import type { Organization } from '../../../../data/model/organization.ts';
import type { MailTemplate } from '../mail-template.ts';
import type { ComposedMail } from '../mail-transport.ts';
import { renderHtmlDocument } from './html-document.ts';
import { renderPlainText } from './plain-text.ts';

export interface MailSource {
  /** Null if the site is not built. */
  readonly organization: Organization | null;
  /** The site's URL without a trailing slash. */
  readonly origin: string;
}

/** Replies go to support. */
export function renderMail(mail: MailTemplate, { organization, origin }: MailSource): ComposedMail {
  const footer = organization && {
    supportEmail: organization.supportEmail,
    postalAddress: organization.postalAddress,
    privacyUrl: `${origin}/privacy-policy`,
  };
  return {
    subject: mail.subject,
    html: renderHtmlDocument(mail, footer),
    text: renderPlainText(mail, footer),
    replyTo: organization && { name: organization.name, address: organization.supportEmail },
  };
}
