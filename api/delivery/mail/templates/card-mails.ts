import { centsAsDollarText } from '../../../../data/model/facts/amount-text.ts';
import type { CardTier } from '../../../../data/model/tiers.ts';
import type { CardSpend, CardStore } from '../../../../data/store/card-port.ts';
import type { LeasedDelivery } from '../../../../data/store/delivery-port.ts';
import type { MailTemplate } from '../mail-template.ts';
import { momentText, NEVER_ASKS_TEXT } from './shared-parts.ts';

export interface CardMailContext {
  readonly cards: Pick<CardStore, 'card' | 'spend'>;
  readonly teamOrigin: string;
}

interface ClosedCard {
  readonly id: string;
  readonly tier: CardTier;
  readonly lastFour: string | null;
  readonly closedBy: 'holder' | 'issuer';
  readonly closedAt: number;
}

export function closedCardTemplate(
  { id, tier, lastFour, closedBy, closedAt }: ClosedCard,
  teamOrigin: string,
): MailTemplate {
  const isByHolder = closedBy === 'holder';
  const title = isByHolder ? 'A holder closed their virtual card' : 'The card issuer closed a virtual card';
  const event = isByHolder
    ? 'The issuer has confirmed that the card is closed. It no longer counts toward the card limit.'
    : 'The issuer closed the card on its own initiative.';
  return {
    subject: `${title}: ${id}`,
    title,
    preheader: 'Ask the issuer about any remaining balance.',
    parts: [
      `${event} Ask the issuer about any remaining balance, and settle it with the holder according to the issuer’s terms. Any USDT that is still sent for the card appears under Top-ups.`,
      {
        kind: 'facts',
        facts: [
          ['Card', id],
          ['Number', lastFour === null ? null : `Ends in ${lastFour}`],
          ['Tier', tier],
          [isByHolder ? 'Closed by its holder' : 'Closed by the issuer', momentText(closedAt)],
        ],
      },
      { kind: 'button', label: 'Open Top-ups', url: `${teamOrigin}/admin/top-ups` },
    ],
  };
}

/** The email to the team about a card that its holder or the issuer closed; null if the card was erased. */
export async function closedCardMail(
  { referenceNumber }: Pick<LeasedDelivery, 'referenceNumber'>,
  { cards, teamOrigin }: CardMailContext,
): Promise<MailTemplate | null> {
  const card = await cards.card(referenceNumber);
  if (!card) return null;
  const { id, tier, issued, closedByHolderAt, changedAt } = card;
  const closedBy = closedByHolderAt === null ? 'issuer' : 'holder';
  const closedAt = closedByHolderAt ?? changedAt;
  return closedCardTemplate({ id, tier, lastFour: issued?.lastFour ?? null, closedBy, closedAt }, teamOrigin);
}

function paymentTexts({ amount, isDeclined }: Pick<CardSpend, 'amount' | 'isDeclined'>) {
  if (isDeclined) return { title: 'A payment with your virtual card was declined', label: 'Declined' };
  return amount < 0n
    ? { title: 'A refund to your virtual card', label: 'Refund' }
    : { title: 'A payment with your virtual card', label: 'Amount' };
}

/** The email to a card's holder about a payment. The merchant's name is the only text from outside the portal. */
export function spendTemplate(
  spend: Omit<CardSpend, 'id'>,
  lastFour: string | null,
  origin: string,
): MailTemplate {
  const { title, label } = paymentTexts(spend);
  const { amount, merchant, at } = spend;
  return {
    subject: title,
    topic: 'Virtual card',
    title,
    preheader: 'This email gives the amount, the merchant and the time.',
    parts: [
      {
        kind: 'facts',
        facts: [
          [label, centsAsDollarText(amount < 0n ? -amount : amount)],
          ['Merchant', merchant],
          ['Time', momentText(at)],
          ['Card', lastFour === null ? null : `Ends in ${lastFour}`],
        ],
      },
      'Don’t recognize this payment? Freeze the card right away on your virtual card page, and reply to this email.',
      { kind: 'button', label: 'Open your virtual card', url: `${origin}/virtual-card` },
      {
        kind: 'small',
        text: `To stop these emails, turn off payment notifications on that page. ${NEVER_ASKS_TEXT}`,
      },
    ],
  };
}
