import { type MakeDraft, toSender } from '../draft.ts';
import {
  requestApproved,
  requestForTeam,
  requestReceived,
  requestRefused,
} from '../letters/verification-letters.ts';

/** The mails about a request for manual verification. */
export const verificationDraft: MakeDraft = async (delivery, { applications }, terms) => {
  const request = await applications.requestByReference(delivery.referenceNumber);
  if (!request) return null;
  switch (`${delivery.event} ${delivery.audience}`) {
    case 'verification-request.received applicant':
      return toSender(requestReceived(request, terms));
    case 'verification-request.received team':
      return { letter: requestForTeam(request, terms), replyTo: { name: '', address: request.email } };
    case 'verification-request.approved applicant':
      return toSender(requestApproved(request, terms));
    case 'verification-request.refused applicant':
      return toSender(requestRefused(request, terms));
    default:
      return null;
  }
};
