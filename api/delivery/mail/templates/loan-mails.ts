import { countryName } from '../../../../data/model/countries.ts';
import { teamRows } from '../../../../data/model/forms/field.ts';
import { LOAN_FORM } from '../../../../data/model/forms/loan-form.ts';
import { LOAN_TERMS } from '../../../../data/model/loan-terms.ts';
import type { LoanApplication } from '../../../../data/store/submission-port.ts';
import { type MailTemplates, NOT_YOU, receivedFacts, statusLink, teamMail } from './shared-parts.ts';

export const LOAN_MAILS: MailTemplates<LoanApplication> = {
  'received applicant': (application, context) => ({
    subject: `We have your loan note application ${application.referenceNumber}`,
    parts: [
      `Thank you for applying for the BlackDuck convertible loan note. We confirm your application within ${LOAN_TERMS.confirmationHours} hours.`,
      receivedFacts(application),
      'Your documents are encrypted. Your application is not binding for you or for us. Do not send money before you have signed the note.',
      statusLink(context),
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
      statusLink(context),
      NOT_YOU,
    ],
  }),

  'refused applicant': ({ referenceNumber, refusalReason }, context) => ({
    subject: `Your loan note application ${referenceNumber} is not approved`,
    parts: [
      'The team has reviewed your application for the convertible loan note and could not approve it.',
      { kind: 'facts', facts: [['Reason', refusalReason]] },
      statusLink(context),
      NOT_YOU,
    ],
  }),
};
