import { FACTS } from '../../../../data/model/facts/facts.ts';
import { CARD_APPLICATION_FIELDS } from '../../../../data/model/forms/card-forms.ts';
import { statedBd, teamRows } from '../../../../data/model/forms/field.ts';
import type { CardApplication } from '../../../../data/store/submission-port.ts';
import { exactBd, type MailTemplates, NOT_YOU, receivedFacts, statusLink, teamMail } from './shared-parts.ts';

export const APPLICATION_MAILS: MailTemplates<CardApplication> = {
  'received applicant': (application, context) => ({
    subject: `We have your card application ${application.referenceNumber}`,
    parts: [
      'Thank you for applying for a BlackDuck virtual card. We’ve received your application.',
      receivedFacts(application, [['Wallet', application.walletAddress]]),
      {
        kind: 'steps',
        title: 'What happens next?',
        steps: [
          `Application review within ${FACTS.applicationReview}`,
          'KYC verification (if required)',
          'Virtual card details via secure email',
          'Activation instructions via the messaging app',
        ],
      },
      'We never send a card’s number and CVV by email. Only the portal shows them, to the proven owner of the wallet.',
      statusLink(context, application.referenceNumber),
      NOT_YOU,
    ],
  }),

  'received team': (application, context) => {
    const { checked, isOwnershipProven, statedAmount, statedTier } = application;
    const isRead = checked !== null && context.decimals !== null;
    return teamMail(application, context, {
      subject: 'Card application',
      text: 'A new card application was received. Reply to this email to reach the applicant.',
      rows: teamRows(CARD_APPLICATION_FIELDS, application),
      facts: [
        ['Wallet ownership', isOwnershipProven ? 'Proven' : 'Not proven'],
        ['Staked, read from the chain', isRead ? exactBd(checked.amount, context.decimals) : 'Not available'],
        ['Tier, read from the chain', checked?.tier ?? null],
        ['Staked, according to the applicant', statedAmount && statedBd(statedAmount)],
        ['Tier, according to the applicant', statedTier],
      ],
    });
  },

  'approved applicant': ({ referenceNumber }, context) => ({
    subject: `Your card application ${referenceNumber} is approved`,
    parts: [
      'The team has approved your application for a BlackDuck virtual card.',
      `Card processing takes ${FACTS.cardProcessing}. Get the card on the virtual card page, with the wallet that you applied with. Only that page shows its number and CVV; we never send them by email.`,
      { kind: 'link', label: 'Get your virtual card', url: `${context.origin}/virtual-card` },
      statusLink(context, referenceNumber),
      NOT_YOU,
    ],
  }),

  'card-frozen applicant': ({ walletAddress }, { origin }) => ({
    subject: 'Your BlackDuck virtual card is frozen',
    parts: [
      'Your wallet no longer has the stake that your virtual card requires, so we froze the card. Payments are declined.',
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      `Stake enough again within ${FACTS.lostStakeDays}, then unfreeze the card on its page. Otherwise we close it and give its place to another wallet. The page shows the closing date.`,
      { kind: 'link', label: 'Open your virtual card', url: `${origin}/virtual-card` },
      NOT_YOU,
    ],
  }),

  'refused applicant': async ({ referenceNumber, email }, context) => {
    const timeline = await context.submissions.statusOf(referenceNumber, email);
    const refusal = timeline?.events.findLast(({ status }) => status === 'refused');
    return {
      subject: `Your card application ${referenceNumber} is not approved`,
      parts: [
        'The team has reviewed your application and could not approve it.',
        { kind: 'facts', facts: [['Reason', refusal?.note ?? null]] },
        statusLink(context, referenceNumber),
        NOT_YOU,
      ],
    };
  },
};
