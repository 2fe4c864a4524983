import { CONTACT_FORM } from '../../../../data/model/forms/contact-form.ts';
import { teamFields } from '../../../../data/model/forms/field.ts';
import { SERVICE_TIMES } from '../../../../data/model/portal-terms.ts';
import type { ContactMessage } from '../../../../data/store/submission-port.ts';
import { type MailTemplates, NOT_YOU_NOTE, receivedFacts, teamMail } from './shared-parts.ts';

export const CONTACT_MAILS: MailTemplates<ContactMessage> = {
  'received applicant': (message, { origin }) => ({
    subject: `We’ve received your message ${message.referenceNumber}`,
    topic: 'Support',
    title: 'We’ve received your message',
    preheader: `We respond within ${SERVICE_TIMES.emailHours} hours, to this address.`,
    parts: [
      `Thank you for writing to BlackDuck support. We respond within ${SERVICE_TIMES.emailHours} hours.`,
      receivedFacts(message),
      'The FAQ may already have your answer.',
      { kind: 'button', label: 'Read the FAQ', url: `${origin}/faq` },
      NOT_YOU_NOTE,
    ],
  }),

  'received team': (message, context) =>
    teamMail(message, context, {
      subject: 'Message to support',
      text: 'A new message to support was received. Reply to this email to answer the sender.',
      rows: teamFields(CONTACT_FORM.fields, message),
    }),
};
