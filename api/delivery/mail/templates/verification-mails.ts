import { FACTS } from '../../../../data/model/facts/facts.ts';
import { teamFields } from '../../../../data/model/forms/field.ts';
import {
  isShortRequest,
  VERIFICATION_REQUEST_FIELDS,
} from '../../../../data/model/forms/verification-forms.ts';
import type { VerificationRequest } from '../../../../data/store/submission-port.ts';
import {
  APPROVED_BADGE,
  type MailTemplates,
  NOT_YOU_NOTE,
  receivedFacts,
  statusLink,
  teamMail,
} from './shared-parts.ts';

const TOPIC = 'Manual verification';

const reviewTime = (request: VerificationRequest): string =>
  `${TOPIC} within ${isShortRequest(request) ? FACTS.inlineReview : FACTS.modalReview}`;

export const VERIFICATION_MAILS: MailTemplates<VerificationRequest> = {
  'received applicant': (request, context) => ({
    subject: `We’ve received your verification request ${request.referenceNumber}`,
    topic: TOPIC,
    title: 'We’ve received your request',
    preheader: `${reviewTime(request)}. You can check the status at any time.`,
    parts: [
      'We’ve received your request for manual verification.',
      receivedFacts(request, [['Wallet', request.walletAddress]]),
      statusLink(context, request.referenceNumber, 'button'),
      {
        kind: 'steps',
        title: 'What happens next?',
        steps: [
          reviewTime(request),
          'Whitelisting for immediate card access if approved',
          'An email when it is done',
        ],
      },
      NOT_YOU_NOTE,
    ],
  }),

  'received team': (request, context) =>
    teamMail(request, context, {
      subject: 'Verification request',
      text: 'A new request for manual verification was received. Reply to this email to reach the applicant.',
      rows: teamFields(VERIFICATION_REQUEST_FIELDS, request),
      facts: [
        ['Wallet ownership', request.isOwnershipProven ? 'Proven' : 'Not proven'],
        ['Detected by the portal', request.checkedDetection ?? 'Not available'],
      ],
    }),

  'approved applicant': ({ referenceNumber, walletAddress }, { origin }) => ({
    subject: `Your verification request ${referenceNumber} is approved`,
    topic: `${TOPIC} ${referenceNumber}`,
    badge: APPROVED_BADGE,
    title: 'Your wallet is whitelisted',
    preheader: 'You can get your virtual card now, with this wallet.',
    parts: [
      'The team has verified your stake and whitelisted your wallet.',
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      { kind: 'button', label: 'Get your virtual card', url: `${origin}/virtual-card` },
      NOT_YOU_NOTE,
    ],
  }),

  'withdrawn applicant': async ({ referenceNumber, email, walletAddress }, context) => {
    const timeline = await context.submissions.timelineOf(referenceNumber, email);
    const withdrawal = timeline?.events.findLast(({ status }) => status === 'withdrawn');
    return {
      subject: `Your wallet is no longer whitelisted (${referenceNumber})`,
      topic: `${TOPIC} ${referenceNumber}`,
      title: 'Your wallet is no longer whitelisted',
      preheader: 'A card for this wallet now requires a sufficient stake.',
      parts: [
        'The team has withdrawn the whitelisting of your wallet. A card for this wallet now requires a sufficient stake.',
        { kind: 'facts', facts: [['Wallet', walletAddress]] },
        { kind: 'quote', label: 'Reason', text: withdrawal?.note ?? null },
        statusLink(context, referenceNumber, 'button'),
        NOT_YOU_NOTE,
      ],
    };
  },

  'refused applicant': ({ referenceNumber, walletAddress, refusalReason }, context) => ({
    subject: `Your verification request ${referenceNumber} was not approved`,
    topic: `${TOPIC} ${referenceNumber}`,
    title: 'Your request was not approved',
    preheader: 'The team could not confirm your stake. This email gives the reason.',
    parts: [
      'The team has reviewed your stake and could not confirm it.',
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      { kind: 'quote', label: 'Reason', text: refusalReason },
      statusLink(context, referenceNumber, 'button'),
      NOT_YOU_NOTE,
    ],
  }),
};
