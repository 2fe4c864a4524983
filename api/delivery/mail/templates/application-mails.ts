import { FACTS } from '../../../../data/model/facts/facts.ts';
import { CARD_APPLICATION_FIELDS } from '../../../../data/model/forms/card-forms.ts';
import { teamFields, typedAmountText } from '../../../../data/model/forms/field.ts';
import type { CardApplication } from '../../../../data/store/submission-port.ts';
import type { MailPart, MailTemplate } from '../mail-template.ts';
import {
  APPROVED_BADGE,
  exactBd,
  type MailContext,
  type MailTemplates,
  NEVER_ASKS_TEXT,
  NOT_YOU_NOTE,
  receivedFacts,
  statusLink,
  teamMail,
} from './shared-parts.ts';

const TOPIC = 'Card application';
const FROZEN_BADGE = { text: 'Frozen', tone: 'bad' } as const;

const cardButton = (label: string, origin: string) =>
  ({ kind: 'button', label, url: `${origin}/virtual-card` }) as const;

interface CardMail extends Omit<MailTemplate, 'parts'> {
  /** The first text appears above the wallet address, and the others appear below it. */
  readonly texts: readonly string[];
  readonly button?: string;
  readonly closingParts?: readonly MailPart[];
}

const cardMail =
  ({
    texts: [first = '', ...moreTexts],
    button = 'Open your virtual card',
    closingParts = [NOT_YOU_NOTE],
    ...mail
  }: CardMail) =>
  ({ walletAddress }: CardApplication, { origin }: MailContext): MailTemplate => ({
    topic: 'Virtual card',
    ...mail,
    parts: [
      first,
      { kind: 'facts', facts: [['Wallet', walletAddress]] },
      ...moreTexts,
      cardButton(button, origin),
      ...closingParts,
    ],
  });

const frozenByMail = (who: 'team' | 'card issuer') =>
  cardMail({
    subject: `The ${who} has frozen your BlackDuck virtual card`,
    badge: FROZEN_BADGE,
    title: `The ${who} has frozen your virtual card`,
    preheader: `Payments are declined until the ${who} lifts the freeze.`,
    texts: [
      `The ${who} has frozen the virtual card for your wallet. Payments are declined. You cannot unfreeze the card until the ${who} lifts the freeze.`,
      'If you have a question or think that this is a mistake, reply to this email.',
    ],
  });

const CLOSED_CARD_BALANCE =
  'The card issuer’s terms decide what happens to any remaining balance. To ask about it, reply to this email. We can no longer credit USDT that you send for this card.';

export const APPLICATION_MAILS: MailTemplates<CardApplication> = {
  'received applicant': (application, context) => ({
    subject: `We’ve received your card application ${application.referenceNumber}`,
    topic: TOPIC,
    title: 'We’ve received your application',
    preheader: `We review it within ${FACTS.applicationReview}. You can check its status at any time.`,
    parts: [
      'Thank you for applying for a BlackDuck virtual card. We’ve received your application.',
      receivedFacts(application, [['Wallet', application.walletAddress]]),
      statusLink(context, application.referenceNumber, 'button'),
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
      NOT_YOU_NOTE,
    ],
  }),

  'received team': (application, context) => {
    const { checked, isOwnershipProven, statedAmount, statedTier } = application;
    const isRead = checked !== null && context.decimals !== null;
    return teamMail(application, context, {
      subject: 'Card application',
      text: 'A new card application was received. Reply to this email to reach the applicant.',
      rows: teamFields(CARD_APPLICATION_FIELDS, application),
      facts: [
        ['Wallet ownership', isOwnershipProven ? 'Proven' : 'Not proven'],
        ['Staked, read from the chain', isRead ? exactBd(checked.amount, context.decimals) : 'Not available'],
        ['Tier, read from the chain', checked?.tier ?? null],
        ['Staked, according to the applicant', statedAmount && typedAmountText(statedAmount)],
        ['Tier, according to the applicant', statedTier],
      ],
    });
  },

  'approved applicant': ({ referenceNumber }, context) => ({
    subject: `Your card application ${referenceNumber} is approved`,
    topic: `${TOPIC} ${referenceNumber}`,
    badge: APPROVED_BADGE,
    title: 'Your application is approved',
    preheader: 'Get your virtual card with the wallet that you applied with.',
    parts: [
      'The team has approved your application for a BlackDuck virtual card.',
      `Card processing takes ${FACTS.cardProcessing}. Get the card on the virtual card page, with the wallet that you applied with. Only that page shows its number and CVV; we never send them by email.`,
      cardButton('Get your virtual card', context.origin),
      statusLink(context, referenceNumber),
      NOT_YOU_NOTE,
    ],
  }),

  'card-issued applicant': cardMail({
    subject: 'Your BlackDuck virtual card is ready',
    badge: { text: '✓ Issued', tone: 'good' },
    title: 'Your virtual card is ready',
    preheader: 'Open the virtual card page with your wallet to see the card’s number and CVV.',
    texts: [
      'A virtual card has been issued for your wallet. The virtual card page explains how to fund and use it.',
      'The page also shows the number and CVV, once you have signed in with this wallet, and you can freeze the card there.',
    ],
    closingParts: [
      'The card stays usable while the wallet has the stake that the card’s tier requires. If this is your wallet and you did not request a card, freeze it and reply to this email.',
      NOT_YOU_NOTE,
    ],
  }),

  'card-topped-up applicant': cardMail({
    subject: 'Your BlackDuck virtual card was topped up',
    title: 'Your virtual card was topped up',
    preheader: 'The virtual card page shows the amount.',
    texts: [
      `A USDT transfer was credited to your virtual card, less the fee of ${FACTS.topUpFee}.`,
      'The virtual card page lists your top-ups with their amounts, once you have signed in with this wallet.',
    ],
  }),

  'card-frozen applicant': cardMail({
    subject: 'Your BlackDuck virtual card is frozen',
    badge: FROZEN_BADGE,
    title: 'Your virtual card is frozen',
    preheader: `Payments are declined. Stake enough again within ${FACTS.lostStakeDays} to keep the card.`,
    texts: [
      'Your wallet no longer has the stake that your virtual card requires, so we froze the card. Payments are declined.',
      `Stake enough again within ${FACTS.lostStakeDays}, then unfreeze the card on its page. Otherwise we close it, and another wallet can get a card instead. The page shows the closing date.`,
    ],
  }),

  'card-frozen-by-team applicant': frozenByMail('team'),
  'card-frozen-by-issuer applicant': frozenByMail('card issuer'),

  'card-limits-lowered applicant': cardMail({
    subject: 'Your BlackDuck virtual card limits were lowered',
    title: 'The limits of your virtual card were lowered',
    preheader: 'Your card limits depend on your stake tier.',
    texts: [
      'Your stake is now in a lower tier, so we lowered every card limit that was above that tier’s. The card still works.',
      'Stake more to raise the limits again. The virtual card page shows them.',
    ],
  }),

  'card-closed applicant': cardMail({
    subject: 'Your BlackDuck virtual card is closed',
    badge: { text: 'Closed', tone: 'bad' },
    title: 'Your virtual card is closed',
    preheader: 'You closed your virtual card. This cannot be undone.',
    texts: [
      'You closed the virtual card for your wallet. Payments are declined, and the card cannot be reopened.',
      CLOSED_CARD_BALANCE,
      'If you did not close it, someone else may control your wallet. Move your tokens to a new wallet, then reply to this email.',
    ],
    button: 'Open the virtual card page',
    closingParts: [{ kind: 'small', text: NEVER_ASKS_TEXT }],
  }),

  'card-closed-by-issuer applicant': cardMail({
    subject: 'Your BlackDuck virtual card was closed by the card issuer',
    badge: { text: 'Closed', tone: 'bad' },
    title: 'Your virtual card is closed',
    preheader: 'The card issuer closed your virtual card.',
    texts: [
      'The card issuer closed the virtual card for your wallet. Payments are declined, and the card cannot be reopened.',
      CLOSED_CARD_BALANCE,
    ],
    button: 'Open the virtual card page',
  }),

  'refused applicant': async ({ referenceNumber, email }, context) => {
    const timeline = await context.submissions.timelineOf(referenceNumber, email);
    const refusal = timeline?.events.findLast(({ status }) => status === 'refused');
    return {
      subject: `Your card application ${referenceNumber} was not approved`,
      topic: `${TOPIC} ${referenceNumber}`,
      title: 'Your application was not approved',
      preheader: 'The team has reviewed your application. This email gives the reason.',
      parts: [
        'The team has reviewed your application and could not approve it.',
        { kind: 'quote', label: 'Reason', text: refusal?.note ?? null },
        statusLink(context, referenceNumber, 'button'),
        NOT_YOU_NOTE,
      ],
    };
  },
};
