import type { MailAddress } from '../../../data/config/delivery-variables.ts';
import type { ApplicationStore } from '../../../data/store/application-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { type Letter, type RenderedLetter, renderLetter } from './letter.ts';
import {
  applicationApproved,
  applicationForTeam,
  applicationReceived,
  applicationRefused,
} from './letters/application-letters.ts';
import type { PortalTerms } from './letters/shared-parts.ts';
import {
  requestApproved,
  requestForTeam,
  requestReceived,
  requestRefused,
} from './letters/verification-letters.ts';

/** A letter, and whom an answer to it goes to: for the team the person who sent the form. */
export interface ComposedMail extends RenderedLetter {
  readonly replyTo: MailAddress | null;
}

interface Draft {
  readonly letter: Letter;
  readonly replyTo: MailAddress | null;
}

const toSender = (letter: Letter): Draft => ({ letter, replyTo: null });

async function applicationDraft(
  delivery: LeasedDelivery,
  store: ApplicationStore,
  terms: PortalTerms,
): Promise<Draft | null> {
  const { event, audience, referenceNumber } = delivery;
  const application = await store.applicationByReference(referenceNumber);
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
      const timeline = await store.statusOf(referenceNumber, email);
      const refusal = timeline?.events.findLast(({ status }) => status === 'refused');
      return toSender(applicationRefused(application, refusal?.note ?? null, terms));
    }
    default:
      return null;
  }
}

async function requestDraft(
  delivery: LeasedDelivery,
  store: ApplicationStore,
  terms: PortalTerms,
): Promise<Draft | null> {
  const request = await store.requestByReference(delivery.referenceNumber);
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
}

/** The mail of a delivery, from what is stored; null where nothing is stored of it, or it tells of nothing known. */
export async function composeMail(
  delivery: LeasedDelivery,
  store: ApplicationStore,
  terms: PortalTerms,
): Promise<ComposedMail | null> {
  const draft = delivery.event.startsWith('card-application.')
    ? await applicationDraft(delivery, store, terms)
    : await requestDraft(delivery, store, terms);
  return draft && { ...renderLetter(draft.letter), replyTo: draft.replyTo };
}
