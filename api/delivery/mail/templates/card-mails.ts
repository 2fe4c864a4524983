import type { CardTier } from '../../../../data/model/tiers.ts';
import type { CardStore } from '../../../../data/store/card-port.ts';
import type { LeasedDelivery } from '../../../../data/store/delivery-port.ts';
import type { MailTemplate } from '../mail-template.ts';
import { momentText } from './shared-parts.ts';

export interface CardMailContext {
  readonly cards: Pick<CardStore, 'card'>;
  /** The URL of the team's pages without a final slash. */
  readonly teamOrigin: string;
}

interface ClosedCard {
  readonly id: string;
  readonly tier: CardTier;
  readonly lastFour: string | null;
  readonly closedByHolderAt: number;
}

export function closedCardTemplate(
  { id, tier, lastFour, closedByHolderAt }: ClosedCard,
  teamOrigin: string,
): MailTemplate {
  return {
    subject: `A holder closed their virtual card ${id}`,
    title: 'A holder closed their virtual card',
    preheader: 'Check at the issuer whether a balance is left on it.',
    parts: [
      'The card is closed at the issuer, and its place is free. Check there whether a balance is left on it, and settle it with the holder as the issuer’s terms say. USDT that is still sent for the card waits under Top-ups.',
      {
        kind: 'facts',
        facts: [
          ['Card', id],
          ['Number', lastFour === null ? null : `Ends in ${lastFour}`],
          ['Tier', tier],
          ['Closed by its holder', momentText(closedByHolderAt)],
        ],
      },
      { kind: 'button', label: 'Open the top-ups', url: `${teamOrigin}/admin/top-ups` },
    ],
  };
}

/** The mail to the team about a card that its holder closed; null if the card was erased. */
export async function closedCardMail(
  { referenceNumber }: Pick<LeasedDelivery, 'referenceNumber'>,
  { cards, teamOrigin }: CardMailContext,
): Promise<MailTemplate | null> {
  const card = await cards.card(referenceNumber);
  if (!card || card.closedByHolderAt === null) return null;
  const { id, tier, issued, closedByHolderAt } = card;
  return closedCardTemplate({ id, tier, lastFour: issued?.lastFour ?? null, closedByHolderAt }, teamOrigin);
}
