import { type MakeDraft, toSender } from '../draft.ts';
import { loanApproved, loanForTeam, loanReceived, loanRefused } from '../letters/loan-letters.ts';

/** The mails about an application for the loan note. */
export const loanDraft: MakeDraft = async (delivery, { loans }, terms) => {
  const application = await loans.byReference(delivery.referenceNumber);
  if (!application) return null;
  const { name, email } = application;
  switch (`${delivery.event} ${delivery.audience}`) {
    case 'loan-application.received applicant':
      return toSender(loanReceived(application, terms));
    case 'loan-application.received team':
      return { letter: loanForTeam(application, terms), replyTo: { name, address: email } };
    case 'loan-application.approved applicant':
      return toSender(loanApproved(application, terms));
    case 'loan-application.refused applicant':
      return toSender(loanRefused(application, terms));
    default:
      return null;
  }
};
