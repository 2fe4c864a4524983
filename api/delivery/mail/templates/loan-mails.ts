import { countryName } from '../../../../data/model/countries.ts';
import { FACTS } from '../../../../data/model/facts/facts.ts';
import { teamFields } from '../../../../data/model/forms/field.ts';
import { LOAN_FORM } from '../../../../data/model/forms/loan-form.ts';
import { LOAN_TERMS } from '../../../../data/model/loan-terms.ts';
import type { LoanApplication } from '../../../../data/store/submission-port.ts';
import { currentToken } from '../../../loan/mailbox-confirmation.ts';
import type { MailPart } from '../mail-template.ts';
import {
  APPROVED_BADGE,
  type MailContext,
  type MailTemplates,
  momentText,
  NOT_YOU_NOTE,
  receivedFacts,
  statusLink,
  teamMail,
} from './shared-parts.ts';

const TOPIC = 'Convertible loan note';

/** The deadline for confirming the mailbox; null if there is none, for example after a decision. */
const confirmationDeadline = ({ status, confirmBy }: LoanApplication) =>
  status === 'approved' || status === 'refused' ? null : confirmBy;

/**
 * Asks the applicant to confirm the mailbox, or says that it is too late. If no confirmation is needed, links to the status
 * page.
 */
function confirmationParts(application: LoanApplication, context: MailContext): readonly MailPart[] {
  const { status, referenceNumber } = application;
  const confirmBy = confirmationDeadline(application);
  const { origin, confirmationToken } = context;
  if (status === 'documents-deleted') {
    return [
      `This email address was not confirmed within ${FACTS.mailboxConfirmation}, so your documents have been deleted. You can apply again.`,
      { kind: 'button', label: 'Apply again', url: `${origin}/convertible-loan#apply` },
      statusLink(context, referenceNumber),
    ];
  }
  if (confirmBy === null) return [statusLink(context, referenceNumber, 'button')];
  return [
    `Confirm within ${FACTS.mailboxConfirmation}, by ${momentText(confirmBy)}, that this email address is yours. Otherwise your documents will be deleted, and you will have to apply again.`,
    {
      kind: 'button',
      label: 'Confirm your email address',
      // The token is in the fragment of the URL, which browsers do not send, so that it reaches no server and no log.
      url: `${origin}/confirm-mailbox#token=${currentToken(confirmationToken, application)}`,
    },
    statusLink(context, referenceNumber),
  ];
}

export const LOAN_MAILS: MailTemplates<LoanApplication> = {
  'received applicant': (application, context) => ({
    subject: `We’ve received your loan note application ${application.referenceNumber}`,
    topic: TOPIC,
    title: 'We’ve received your application',
    preheader:
      confirmationDeadline(application) === null
        ? `The team confirms within ${LOAN_TERMS.confirmationHours} hours that it is complete.`
        : `Confirm your email address within ${FACTS.mailboxConfirmation}, or your documents are deleted.`,
    parts: [
      `Thank you for applying for the BlackDuck convertible loan note. Within ${LOAN_TERMS.confirmationHours} hours, the team confirms that your application is complete.`,
      receivedFacts(application),
      ...confirmationParts(application, context),
      'Your documents are encrypted. Your application is not binding on you or on us. Do not send money before you have signed the note.',
      NOT_YOU_NOTE,
    ],
  }),

  'received team': (application, context) =>
    teamMail(application, context, {
      subject: 'Loan note application',
      text: 'A new application for the convertible loan note was received. Its documents are available only in the admin dashboard. Reply to this email to reach the applicant.',
      rows: teamFields(LOAN_FORM.fields, application, countryName),
    }),

  'approved applicant': ({ referenceNumber }, context) => ({
    subject: `Your loan note application ${referenceNumber} is approved`,
    topic: `${TOPIC} ${referenceNumber}`,
    badge: APPROVED_BADGE,
    title: 'Your application is approved',
    preheader: 'The team will contact you about the contract. Do not send money before you have signed.',
    parts: [
      'The team has approved your application for the BlackDuck convertible loan note and will contact you about the contract.',
      'Do not send money before you have signed the note. Never rely on payment details from an email alone: contact the team through a channel you already trust.',
      statusLink(context, referenceNumber, 'button'),
      NOT_YOU_NOTE,
    ],
  }),

  'refused applicant': ({ referenceNumber, refusalReason }, context) => ({
    subject: `Your loan note application ${referenceNumber} was not approved`,
    topic: `${TOPIC} ${referenceNumber}`,
    title: 'Your application was not approved',
    preheader: 'The team has reviewed your application. This email gives the reason.',
    parts: [
      'The team has reviewed your application for the convertible loan note and could not approve it.',
      { kind: 'quote', label: 'Reason', text: refusalReason },
      statusLink(context, referenceNumber, 'button'),
      NOT_YOU_NOTE,
    ],
  }),
};
