import type { CardSummary } from '../../data/contract/cards.ts';
import type { IssuedCard, StoredCard } from '../../data/store/card-port.ts';
import type { CardIssuer } from './issuer.ts';

/** `MM/YY`. */
export function expiryText(card: Pick<IssuedCard, 'expiryMonth' | 'expiryYear'>): string {
  const { expiryMonth, expiryYear } = card;
  return `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`;
}

/** A card as the API returns it, without its number. @throws {RangeError} if its creation failed */
export function summarizeCard(card: StoredCard, issuer: Pick<CardIssuer, 'name' | 'isTest'>): CardSummary {
  const { state, issued } = card;
  if (state === 'failed') throw new RangeError(`The card ${card.id} was never created.`);
  return {
    cardId: card.id,
    walletAddress: card.walletAddress,
    state,
    tier: card.tier,
    holderName: card.holderName,
    lastFour: issued?.lastFour ?? null,
    expiryDate: issued && expiryText(issued),
    // The card may come from an issuer that was configured earlier.
    isTestCard: card.issuer === issuer.name ? issuer.isTest : card.issuer === 'sandbox',
    createdAt: new Date(card.createdAt).toISOString(),
  };
}
