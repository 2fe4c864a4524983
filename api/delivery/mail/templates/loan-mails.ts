import { countryName } from '../../../../data/model/countries.ts';
import { FACTS } from '../../../../data/model/facts/facts.ts';
import { teamRows } from '../../../../data/model/forms/field.ts';
import { LOAN_FORM } from '../../../../data/model/forms/loan-form.ts';
import { LOAN_TERMS } from '../../../../data/model/loan-terms.ts';
import type { LoanApplication } from '../../../../data/store/submission-port.ts';
import { currentToken } from '../../../loan/mailbox-confirmation.ts';
import type { MailPart } from '../mail-template.ts';
import {
  type MailContext,
  type MailTemplates,
  momentText,
  NOT_YOU,
  receivedFacts,
  statusLink,
  teamMail,
} from './shared-parts.ts';

/** Asks the applicant to confirm the mailbox, or says that it is too late. Empty if there is nothing to confirm. */
function confirmationParts(
  application: LoanApplication,
  { origin, confirmationToken }: MailContext,
): readonly MailPart[] {
  const { status, confirmBy } = application;
  if (status === 'documents-deleted') {
    return [
      `This mailbox was not confirmed within ${FACTS.mailboxConfirmation}, so your documents have been deleted. You can apply again.`,
      { kind: 'link', label: 'Apply again', url: `${origin}/convertible-loan#apply` },
    ];
  }
  if (confirmBy === null) return [];
  return [
    `Confirm within ${FACTS.mailboxConfirmation}, by ${momentText(confirmBy)}, that this mailbox is yours. Otherwise your documents are deleted, and you would have to apply again.`,
    {
      kind: 'link',
      label: 'Confirm your mailbox',
      // The token is in the fragment, so that no server and no log sees it.
      url: `${origin}/confirm-mailbox#token=${currentToken(confirmationToken, application)}`,
    },
  ];
}

export const LOAN_MAILS: MailTemplates<LoanApplication> = {
  'received applicant': (application, context) => ({
    subject: `We have your loan note application ${application.referenceNumber}`,
    parts: [
      `Thank you for applying for the BlackDuck convertible loan note. Within ${LOAN_TERMS.confirmationHours} hours, the team confirms that your application is complete.`,
      receivedFacts(application),
      'Your documents are encrypted. Your application is not binding for you or for us. Do not send money before you have signed the note.',
      ...confirmationParts(application, context),
      statusLink(context, application.referenceNumber),
      NOT_YOU,
    ],
  }),

  'received team': (application, context) =>
    teamMail(application, context, {
      subject: 'Loan note application',
      text: 'A new application for the convertible loan note was received. Its documents are in the admin dashboard only. Reply to this email to reach the applicant.',
      rows: teamRows(LOAN_FORM.fields, application, countryName),
    }),

  'approved applicant': ({ referenceNumber }, context) => ({
    subject: `Your loan note application ${referenceNumber} is approved`,
    parts: [
      'The team has approved your application for the BlackDuck convertible loan note and will contact you about the contract.',
      'Do not send money before you have signed the note. Never rely on payment details from an email alone: contact the team through a channel you already trust.',
      statusLink(context, referenceNumber),
      NOT_YOU,
    ],
  }),

  'refused applicant': ({ referenceNumber, refusalReason }, context) => ({
    subject: `Your loan note application ${referenceNumber} is not approved`,
    parts: [
      'The team has reviewed your application for the convertible loan note and could not approve it.',
      { kind: 'facts', facts: [['Reason', refusalReason]] },
      statusLink(context, referenceNumber),
      NOT_YOU,
    ],
  }),
};
