import { type MakeDraft, toSender } from '../draft.ts';
import {
  applicationApproved,
  applicationForTeam,
  applicationReceived,
  applicationRefused,
} from '../letters/application-letters.ts';

/** The mails about a card application. */
export const applicationDraft: MakeDraft = async (delivery, { applications }, terms) => {
  const { event, audience, referenceNumber } = delivery;
  const application = await applications.applicationByReference(referenceNumber);
  if (!application) return null;
  const { name, email } = application;
  switch (`${event} ${audience}`) {
    case 'card-application.received applicant':
      return toSender(applicationReceived(application, terms));
    case 'card-application.received team':
      return { letter: applicationForTeam(application, terms), replyTo: { name, address: email } };
    case 'card-application.approved applicant':
      return toSender(applicationApproved(application, terms));
    case 'card-application.refused applicant': {
      const timeline = await applications.statusOf(referenceNumber, email);
      const refusal = timeline?.events.findLast(({ status }) => status === 'refused');
      return toSender(applicationRefused(application, refusal?.note ?? null, terms));
    }
    default:
      return null;
  }
};
