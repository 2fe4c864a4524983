import { CARD_FACTS } from '../../../../data/model/facts/card-facts.ts';
import type { VerificationRequest } from '../../../../data/store/application-port.ts';
import type { Letter } from '../letter.ts';
import { moment } from './moment.ts';
import {
  applicationsOnAdminScreen,
  NOT_YOU,
  type PortalTerms,
  statedBd,
  statusLink,
} from './shared-parts.ts';

export function requestReceived(
  { referenceNumber, walletAddress, createdAt }: VerificationRequest,
  terms: PortalTerms,
): Letter {
  return {
    subject: `We have your verification request ${referenceNumber}`,
    parts: [
      { kind: 'paragraph', text: 'Your request for manual verification is stored.' },
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
          `Manual verification within ${CARD_FACTS.modalReview}`,
          'Whitelisting for immediate card access if approved',
          'An email when it is done',
        ],
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}

export function requestForTeam(request: VerificationRequest, terms: PortalTerms): Letter {
  const { referenceNumber, telegram } = request;
  return {
    subject: `Verification request ${referenceNumber}`,
    parts: [
      { kind: 'paragraph', text: 'Somebody asks for manual verification of a stake.' },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(request.createdAt)],
          ['Wallet', request.walletAddress],
          ['Ownership of the wallet', request.isOwnershipProven ? 'Proven' : 'Not proven'],
          ['Email', request.email],
          ['Telegram', telegram === null ? null : `@${telegram}`],
          ['BD staked, as the sender claims', statedBd(request.claimedAmount)],
          ['Why the detection is wrong', request.reason],
          ['Evidence', request.evidence],
          ['Detected, as the portal read it', request.checkedDetection ?? 'Not read from the chain'],
          ['Detected, as the sender’s page stated it', request.statedDetection],
        ],
      },
      applicationsOnAdminScreen(terms),
    ],
  };
}

export function requestApproved(
  { referenceNumber, walletAddress }: VerificationRequest,
  { origin }: PortalTerms,
): Letter {
  return {
    subject: `Your verification request ${referenceNumber} is approved`,
    parts: [
      { kind: 'paragraph', text: 'The team has checked your stake and whitelisted your wallet.' },
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      { kind: 'link', label: 'Get your virtual card', url: `${origin}/virtual-card` },
      NOT_YOU,
    ],
  };
}

export function requestRefused(
  { referenceNumber, walletAddress, refusalReason }: VerificationRequest,
  terms: PortalTerms,
): Letter {
  return {
    subject: `Your verification request ${referenceNumber} is not approved`,
    parts: [
      { kind: 'paragraph', text: 'The team has checked your stake and could not confirm it.' },
      {
        kind: 'facts',
        facts: [
          ['Wallet', walletAddress],
          ['Reason', refusalReason],
        ],
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}
