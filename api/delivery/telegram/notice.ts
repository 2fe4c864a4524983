import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { spendIdOf } from '../../../data/store/rules/card-changes.ts';
import { recordUrl } from '../record-url.ts';

const TITLES: Readonly<Record<string, string>> = {
  'card-application.received': 'New card application',
  'verification-request.received': 'New verification request',
  'contact-message.received': 'New message to support',
  'loan-application.received': 'New loan note application',
  'card-application.answered': 'Reply from the applicant: card application',
  'verification-request.answered': 'Reply from the applicant: verification request',
  'contact-message.answered': 'Reply from the sender: message to support',
  'loan-application.answered': 'Reply from the applicant: loan note application',
};

/** The Telegram text for a delivery, without personal data; null if its event has no notice. */
export function composeTeamNotice(
  { event, referenceNumber, audience }: Pick<LeasedDelivery, 'event' | 'referenceNumber' | 'audience'>,
  teamOrigin: string,
): string | null {
  if (event === 'top-up.credited') return `Card topped up\n${referenceNumber}\n${teamOrigin}/admin/top-ups`;
  const title = TITLES[event.replace(/:.*$/, '')];
  if (title === undefined || audience !== 'team') return null;
  return `${title}\n${referenceNumber}\n${recordUrl(teamOrigin, referenceNumber)}`;
}

export const STOP_TEXT = 'Send /stop to end these messages.';

/**
 * The text for an applicant's chat. It announces an answer from the team or news about a card, and says where to read more.
 * It contains neither the answer nor personal data.
 */
export function composeApplicantNotice(
  { event, referenceNumber }: Pick<LeasedDelivery, 'event' | 'referenceNumber'>,
  origin: string,
): string {
  if (event.startsWith('card-application.card-')) {
    const news =
      spendIdOf({ event }) === null
        ? 'There is news about your virtual card.'
        : 'New activity on your virtual card: a payment, a refund or a declined payment.';
    return `${news}\nWe sent the details to your email.\n${origin}/virtual-card\n\n${STOP_TEXT}`;
  }
  const locationText = event.startsWith('contact-message.')
    ? 'We sent it to your email.'
    : `${origin}/application-status#reference=${referenceNumber}`;
  return `The BlackDuck team has answered.\n${referenceNumber}\n${locationText}\nWhat you write here goes to the team.\n\n${STOP_TEXT}`;
}
