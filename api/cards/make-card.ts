import { randomUUID } from 'node:crypto';
import type { CardTier } from '../../data/model/tiers.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { type CardActor, type CardDesk, cardAudit } from './card-desk.ts';
import { cardRefused, HasCardError, IssuerSilentError, NoCardsLeftError } from './card-errors.ts';
import { IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';

/**
 * Asks the issuer for a card that has its place, and settles it. A refusal for good frees the place; whatever else goes
 * wrong leaves the card pending, to be tried again under the same key.
 * @throws {IssuerSaysNoError} {IssuerSilentError}
 */
export async function finishCard(
  { store, issuer, log, now }: CardDesk,
  card: StoredCard,
  { isRetry, actor }: { readonly isRetry: boolean; readonly actor: CardActor },
): Promise<StoredCard> {
  try {
    const issued = await issuer.create(card, isRetry);
    return await store.cards.settle(
      card.id,
      issued,
      cardAudit('card.created', card.id, { actor, at: now() }),
    );
  } catch (error) {
    if (error instanceof IssuerRefusedError) {
      log.warn({ cardId: card.id, fault: error.details }, 'the issuer refused a card');
      await store.cards.fail(card.id, cardAudit('card.refused', card.id, { actor: 'issuer', at: now() }));
      throw cardRefused(error.details.field, { cause: error });
    }
    if (error instanceof IssuerUnavailableError) {
      log.warn({ cardId: card.id, fault: error.details }, 'a card is not made yet');
      const words = 'Unable to create virtual card. Please try again. No second card is made by trying.';
      throw new IssuerSilentError(words, { cause: error });
    }
    throw error;
  }
}

/**
 * Makes the card of a wallet that may have one, or brings the one to an end whose making was cut off: as it was ordered,
 * whatever is wished now.
 * @throws {HasCardError} {NoCardsLeftError} and as `finishCard`
 */
export async function makeCard(
  desk: CardDesk,
  wish: { readonly walletAddress: string; readonly tier: CardTier; readonly holderName: string },
): Promise<StoredCard> {
  const place = await desk.store.cards.takePlace({
    ...wish,
    id: randomUUID(),
    issuer: desk.issuer.name,
    idempotencyKey: randomUUID(),
    at: desk.now(),
  });
  if (place.outcome === 'none-left') throw new NoCardsLeftError();
  if (place.outcome === 'has-card') throw new HasCardError();
  return finishCard(desk, place.card, { isRetry: place.outcome === 'resume', actor: 'wallet-owner' });
}
