import type { StoredCard } from '../../data/store/card-port.ts';
import { ApiError } from '../errors.ts';
import { type CardContext, cardAudit } from './card-context.ts';
import { IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';

/** A card that the issuer has created, and its id at the issuer. */
export interface IssuedCard {
  readonly card: StoredCard;
  readonly issuerCard: string;
}

/** @throws {ApiError} `card-pending` or `other-issuer` if the configured issuer does not have the card */
export function issuedCardOf(card: StoredCard, { issuer }: CardContext): IssuedCard {
  if (card.issuer !== issuer.name) throw new ApiError('other-issuer');
  if (!card.issued) throw new ApiError('card-pending');
  return { card, issuerCard: card.issued.issuerCard };
}

/**
 * A card that belongs to the wallet.
 * @throws {ApiError} `no-such-card`, also for another wallet's card: the response must not reveal that it exists
 * @throws {ApiError} `card-closed`, and those of `issuedCardOf`
 */
export async function ownCard(
  context: CardContext,
  walletAddress: string,
  cardId: string,
): Promise<IssuedCard> {
  const card = await context.store.cards.card(cardId);
  if (!card || card.walletAddress !== walletAddress || card.state === 'failed')
    throw new ApiError('no-such-card');
  if (card.state === 'closed') throw new ApiError('card-closed');
  return issuedCardOf(card, context);
}

/** Whether the issuer has closed a card. If so, closes it in the store too. */
async function isClosedByIssuer(context: CardContext, { card, issuerCard }: IssuedCard): Promise<boolean> {
  try {
    if ((await context.issuer.get(issuerCard)).state !== 'closed') return false;
  } catch {
    return false;
  }
  const audit = cardAudit('card.closed', card.id, { actor: 'issuer', at: context.now() });
  await context.store.cards.change(card.id, 'closed', audit);
  return true;
}

/**
 * Calls the issuer about a card.
 * @throws {ApiError} `card-closed` if the issuer refuses because it closed the card
 * @throws {ApiError} `issuer-refused`, `issuer-unavailable`
 */
export async function callIssuer<T>(
  context: CardContext,
  issued: IssuedCard,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof IssuerRefusedError) {
      context.log.warn({ cardId: issued.card.id, issuerError: error.details }, 'the issuer refused a call');
      if (await isClosedByIssuer(context, issued)) throw new ApiError('card-closed');
      throw new ApiError('issuer-refused', { cause: error });
    }
    if (error instanceof IssuerUnavailableError) {
      context.log.warn({ cardId: issued.card.id, issuerError: error.details }, 'the issuer did not respond');
      throw new ApiError('issuer-unavailable', { cause: error });
    }
    throw error;
  }
}
