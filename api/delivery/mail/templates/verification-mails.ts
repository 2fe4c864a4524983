import { FACTS } from '../../../../data/model/facts/facts.ts';
import { teamRows } from '../../../../data/model/forms/field.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../../../data/model/forms/verification-forms.ts';
import type { VerificationRequest } from '../../../../data/store/submission-port.ts';
import { type MailTemplates, NOT_YOU, receivedFacts, statusLink, teamMail } from './shared-parts.ts';

export const VERIFICATION_MAILS: MailTemplates<VerificationRequest> = {
  'received applicant': (request, context) => ({
    subject: `We have your verification request ${request.referenceNumber}`,
    parts: [
      'We’ve received your request for manual verification.',
      receivedFacts(request, [['Wallet', request.walletAddress]]),
      {
        kind: 'steps',
        title: 'What happens next?',
        steps: [
          `Manual verification within ${FACTS.modalReview}`,
          'Whitelisting for immediate card access if approved',
          'An email when it is done',
        ],
      },
      statusLink(context, request.referenceNumber),
      NOT_YOU,
    ],
  }),

  'received team': (request, context) =>
    teamMail(request, context, {
      subject: 'Verification request',
      text: 'A new request for manual verification was received. Reply to this email to reach the applicant.',
      rows: teamRows(VERIFICATION_REQUEST_FIELDS, request),
      facts: [
        ['Wallet ownership', request.isOwnershipProven ? 'Proven' : 'Not proven'],
        ['Detected by the portal', request.checkedDetection ?? 'Not available'],
      ],
    }),

  'approved applicant': ({ referenceNumber, walletAddress }, { origin }) => ({
    subject: `Your verification request ${referenceNumber} is approved`,
    parts: [
      'The team has verified your stake and whitelisted your wallet.',
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      { kind: 'link', label: 'Get your virtual card', url: `${origin}/virtual-card` },
      NOT_YOU,
    ],
  }),

  'withdrawn applicant': async ({ referenceNumber, email, walletAddress }, context) => {
    const timeline = await context.submissions.statusOf(referenceNumber, email);
    const withdrawal = timeline?.events.findLast(({ status }) => status === 'withdrawn');
    return {
      subject: `The whitelisting of your wallet is withdrawn (${referenceNumber})`,
      parts: [
        'The team has withdrawn the whitelisting of your wallet. A card for this wallet now requires a sufficient stake.',
        {
          kind: 'facts',
          facts: [
            ['Wallet', walletAddress],
            ['Reason', withdrawal?.note ?? null],
          ],
        },
        statusLink(context, referenceNumber),
        NOT_YOU,
      ],
    };
  },

  'refused applicant': ({ referenceNumber, walletAddress, refusalReason }, context) => ({
    subject: `Your verification request ${referenceNumber} is not approved`,
    parts: [
      'The team has reviewed your stake and could not confirm it.',
      {
        kind: 'facts',
        facts: [
          ['Wallet', walletAddress],
          ['Reason', refusalReason],
        ],
      },
      statusLink(context, referenceNumber),
      NOT_YOU,
    ],
  }),
};
