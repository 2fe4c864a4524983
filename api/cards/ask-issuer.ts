import type { StoredCard } from '../../data/store/card-port.ts';
import { type CardDesk, cardAudit } from './card-desk.ts';
import {
  CardClosedError,
  CardPendingError,
  IssuerSaysNoError,
  IssuerSilentError,
  NoSuchCardError,
  OtherIssuerError,
} from './card-errors.ts';
import { IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';

/** A card that its issuer made, and the issuer's name of it. */
export interface MadeCard {
  readonly card: StoredCard;
  readonly issuerCard: string;
}

/** @throws {CardPendingError} {OtherIssuerError} where the issuer cannot be asked about it. */
export function madeCard(card: StoredCard, { issuer }: CardDesk): MadeCard {
  if (card.issuer !== issuer.name) throw new OtherIssuerError();
  if (!card.issued) throw new CardPendingError();
  return { card, issuerCard: card.issued.issuerCard };
}

/**
 * The card that a wallet names as its own.
 * @throws {NoSuchCardError} also where it is another wallet's: whose a card is, is not told.
 * @throws {CardClosedError} and as `madeCard`
 */
export async function ownCard(desk: CardDesk, walletAddress: string, cardId: string): Promise<MadeCard> {
  const card = await desk.store.cards.card(cardId);
  if (!card || card.walletAddress !== walletAddress || card.state === 'failed') throw new NoSuchCardError();
  if (card.state === 'closed') throw new CardClosedError();
  return madeCard(card, desk);
}

/** Whether the issuer closed a card that the portal takes for open; the portal then closes it as well. */
async function isClosedByIssuer(desk: CardDesk, { card, issuerCard }: MadeCard): Promise<boolean> {
  try {
    if ((await desk.issuer.get(issuerCard)).state !== 'closed') return false;
  } catch {
    return false;
  }
  const audit = cardAudit('card.closed', card.id, { actor: 'issuer', at: desk.now() });
  await desk.store.cards.change(card.id, 'closed', audit);
  return true;
}

/**
 * Asks the issuer something about a card.
 * @throws {CardClosedError} where it refuses since it closed the card.
 * @throws {IssuerSaysNoError} {IssuerSilentError}
 */
export async function askIssuer<T>(desk: CardDesk, made: MadeCard, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof IssuerRefusedError) {
      desk.log.warn({ cardId: made.card.id, fault: error.details }, 'the issuer refused a call');
      if (await isClosedByIssuer(desk, made)) throw new CardClosedError();
      throw new IssuerSaysNoError('The card issuer refused this. Ask the support.', {}, { cause: error });
    }
    if (error instanceof IssuerUnavailableError) {
      desk.log.warn({ cardId: made.card.id, fault: error.details }, 'the issuer did not answer');
      throw new IssuerSilentError('The card issuer did not answer. Try again in a few seconds.', {
        cause: error,
      });
    }
    throw error;
  }
}
