import { SERVICE_TIMES } from '../../../../data/model/service-times.ts';
import type { ContactCategory } from '../../../../data/model/submission-status.ts';
import type { ContactMessage } from '../../../../data/store/contact-port.ts';
import type { Letter } from '../letter.ts';
import { moment } from './moment.ts';
import { applicationsOnAdminScreen, NOT_YOU, type PortalTerms } from './shared-parts.ts';

const CATEGORY_WORDS: Readonly<Record<ContactCategory, string>> = {
  'virtual-card': 'Virtual card',
  staking: 'Staking',
  technical: 'Technical (priority)',
  account: 'Account',
  general: 'General',
};

/*
 * What goes to the address in the form holds nothing that was typed into it: the form can be filled in with anyone's mail
 * address, and is not to carry words to them.
 */

export function messageReceived({ referenceNumber, createdAt }: ContactMessage): Letter {
  return {
    subject: `We have your message ${referenceNumber}`,
    parts: [
      {
        kind: 'paragraph',
        text: `Thank you for writing to BlackDuck support. We respond within ${SERVICE_TIMES.emailHours} hours.`,
      },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(createdAt)],
        ],
      },
      NOT_YOU,
    ],
  };
}

export function messageForTeam(message: ContactMessage, terms: PortalTerms): Letter {
  const { referenceNumber, category } = message;
  return {
    subject: `Message to support ${referenceNumber}`,
    parts: [
      { kind: 'paragraph', text: 'Somebody wrote to support. An answer to this mail goes to them.' },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(message.createdAt)],
          ['Name', message.name],
          ['Email', message.email],
          ['Category', category && CATEGORY_WORDS[category]],
          ['Subject', message.subject],
          ['Message', message.message],
          ['Wallet, as the sender names it', message.walletAddress],
        ],
      },
      applicationsOnAdminScreen(terms),
    ],
  };
}
