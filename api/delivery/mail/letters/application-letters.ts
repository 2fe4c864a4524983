import { CARD_FACTS } from '../../../../data/model/facts/card-facts.ts';
import type { CardApplication } from '../../../../data/store/application-port.ts';
import type { Letter } from '../letter.ts';
import { moment } from './moment.ts';
import {
  applicationsOnAdminScreen,
  exactBd,
  NOT_YOU,
  type PortalTerms,
  statedBd,
  statusLink,
} from './shared-parts.ts';

/*
 * What goes to the address in a form holds nothing that was typed into the form beside the wallet's address: the form
 * can be filled in with anyone's mail address, and is not to carry words to them.
 */

export function applicationReceived(
  { referenceNumber, walletAddress, createdAt }: CardApplication,
  terms: PortalTerms,
): Letter {
  return {
    subject: `We have your card application ${referenceNumber}`,
    parts: [
      {
        kind: 'paragraph',
        text: 'Thank you for applying for a BlackDuck virtual card. Your application is stored.',
      },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Wallet', walletAddress],
          ['Received', moment(createdAt)],
        ],
      },
      {
        kind: 'steps',
        title: 'What happens next?',
        steps: [
          `Application review within ${CARD_FACTS.applicationReview}`,
          'KYC verification (if required)',
          'Virtual card details via secure email',
          'Activation instructions via the messaging app',
        ],
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}

export function applicationForTeam(application: CardApplication, terms: PortalTerms): Letter {
  const { referenceNumber, checked, telegram } = application;
  const staked =
    checked && terms.decimals !== null ? exactBd(checked.amount, terms.decimals) : 'Not read from the chain';
  return {
    subject: `Card application ${referenceNumber}`,
    parts: [
      { kind: 'paragraph', text: 'A card application came in.' },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(application.createdAt)],
          ['Name', application.name],
          ['Email', application.email],
          ['Phone', application.phone],
          ['Telegram', telegram === null ? null : `@${telegram}`],
          ['Card alias', application.alias],
          ['Notes', application.notes],
          ['Wallet', application.walletAddress ?? 'None given'],
          ['Ownership of the wallet', application.isOwnershipProven ? 'Proven' : 'Not proven'],
          ['Staked, as the portal read it', checked ? staked : 'Not read from the chain'],
          ['Tier, as the portal read it', checked?.tier ?? null],
          ['Staked, as the applicant’s page stated it', statedBd(application.statedAmount)],
          ['Tier, as the applicant’s page stated it', application.statedTier],
        ],
      },
      applicationsOnAdminScreen(terms),
    ],
  };
}

export function applicationApproved({ referenceNumber }: CardApplication, terms: PortalTerms): Letter {
  return {
    subject: `Your card application ${referenceNumber} is approved`,
    parts: [
      { kind: 'paragraph', text: 'The team has approved your application for a BlackDuck virtual card.' },
      {
        kind: 'paragraph',
        text: `Card processing takes ${CARD_FACTS.cardProcessing}. The card’s details come by a secure way and never in a plain mail.`,
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}

/** @param reason the team's words for the applicant; null where it gave none */
export function applicationRefused(
  { referenceNumber }: CardApplication,
  reason: string | null,
  terms: PortalTerms,
): Letter {
  return {
    subject: `Your card application ${referenceNumber} is not approved`,
    parts: [
      { kind: 'paragraph', text: 'The team has looked at your application and could not approve it.' },
      { kind: 'facts', facts: [['Reason', reason]] },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}
