import { type MakeDraft, toSender } from '../draft.ts';
import { messageForTeam, messageReceived } from '../letters/contact-letters.ts';

/** The mails about a message to support. */
export const contactDraft: MakeDraft = async (delivery, { contacts }, terms) => {
  const message = await contacts.messageByReference(delivery.referenceNumber);
  if (!message) return null;
  const { name, email } = message;
  switch (`${delivery.event} ${delivery.audience}`) {
    case 'contact-message.received applicant':
      return toSender(messageReceived(message));
    case 'contact-message.received team':
      return { letter: messageForTeam(message, terms), replyTo: { name, address: email } };
    default:
      return null;
  }
};
