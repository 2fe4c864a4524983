import type { ResponseOf } from '../../data/contract/call.ts';
import type { revealCard } from '../../data/contract/cards.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { ApiError } from '../errors.ts';
import { type CardActor, type CardContext, cardAuditRecord } from './card-context.ts';
import { expiryText, isClosing } from './card-summary.ts';
import { IssuerError, IssuerRefusedError } from './issuer.ts';

export interface CardAtIssuer {
  readonly card: StoredCard;
  readonly issuerCardId: string;
}

/** @throws {ApiError} `card-pending` or `other-issuer` if the configured issuer does not have the card */
export function requireIssued(card: StoredCard, { issuer }: CardContext): CardAtIssuer {
  if (card.issuer !== issuer.name) throw new ApiError('other-issuer');
  if (!card.issued) throw new ApiError('card-pending');
  return { card, issuerCardId: card.issued.issuerCardId };
}

/**
 * @throws {ApiError} `no-such-card`, also for another wallet's card: the response must not reveal that it exists
 * @throws {ApiError} `card-closed`, `card-pending`, `other-issuer`
 */
export async function requireOwnCard(
  context: CardContext,
  walletAddress: string,
  cardId: string,
): Promise<CardAtIssuer> {
  const card = await context.store.cards.card(cardId);
  if (!card || card.walletAddress !== walletAddress || card.state === 'failed')
    throw new ApiError('no-such-card');
  if (card.state === 'closed' || isClosing(card)) throw new ApiError('card-closed');
  return requireIssued(card, context);
}

/**
 * The change to store for a card that the issuer closed. If the stake is gone, the portal has frozen the card and
 * marked it, unless the issuer had already frozen it. The mark stays on a closed card. So if the mark is missing, the
 * issuer had frozen the card.
 */
export const closedChange = ({ stakeGoneAt }: StoredCard, isPortalFreeze: boolean) =>
  stakeGoneAt !== null && !isPortalFreeze ? 'closed-while-frozen' : 'closed';

/** Whether the issuer has closed a card. If so, closes it in the store too. */
async function closeIfClosedByIssuer(
  context: CardContext,
  { card, issuerCardId }: CardAtIssuer,
): Promise<boolean> {
  const atIssuer = await context.issuer.get(issuerCardId).catch(() => null);
  if (atIssuer?.state !== 'closed') return false;
  const audit = cardAuditRecord('card.closed', card.id, { actor: 'issuer', at: context.now() });
  await context.store.cards.change(card.id, closedChange(card, atIssuer.isPortalFreeze), audit);
  return true;
}

/**
 * Makes a call to the issuer about a card, and converts the issuer's errors.
 * @throws {ApiError} `card-closed` if the issuer refuses the call because it has closed the card
 * @throws {ApiError} `issuer-refused`, `issuer-unavailable`
 */
export async function callIssuer<T>(
  context: CardContext,
  issued: CardAtIssuer,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof IssuerError)) throw error;
    const isRefusal = error instanceof IssuerRefusedError;
    const message = isRefusal ? 'the issuer refused a call' : 'the issuer did not respond';
    context.log.warn({ cardId: issued.card.id, issuerError: error.details }, message);
    if (isRefusal && (await closeIfClosedByIssuer(context, issued))) throw new ApiError('card-closed');
    throw new ApiError(isRefusal ? 'issuer-refused' : 'issuer-unavailable', { cause: error });
  }
}

/** Whether the issuer itself froze a card. @throws {ApiError} the errors of `callIssuer` */
export async function isFrozenByIssuer(context: CardContext, issued: CardAtIssuer): Promise<boolean> {
  const { state, isPortalFreeze } = await callIssuer(context, issued, () =>
    context.issuer.get(issued.issuerCardId),
  );
  return state === 'frozen' && !isPortalFreeze;
}

/**
 * Freezes a card at the issuer, unless the issuer itself froze it. Such a freeze must not get the portal's mark, because
 * holders can lift marked freezes.
 * @returns true if the issuer itself had frozen the card
 * @throws {ApiError} the errors of `callIssuer`
 */
export async function freezeAtIssuer(context: CardContext, issued: CardAtIssuer): Promise<boolean> {
  if (await isFrozenByIssuer(context, issued)) return true;
  await callIssuer(context, issued, () => context.issuer.freeze(issued.issuerCardId));
  return false;
}

/**
 * Closes a card at the issuer, then in the store. Also stores whether the issuer had frozen the card, because a closed card no
 * longer shows that.
 * @throws {ApiError} the errors of `callIssuer`
 */
export async function closeIssuedCard(
  context: CardContext,
  card: StoredCard,
  {
    action,
    actor,
  }: { readonly action: 'card.closed' | 'card.closed-without-stake'; readonly actor: CardActor },
): Promise<void> {
  const issued = requireIssued(card, context);
  const { cards } = context.store;
  const isFrozen = await isFrozenByIssuer(context, issued);
  if (isFrozen && card.closedByHolderAt !== null) {
    const audit = cardAuditRecord('card.frozen', card.id, { actor: 'issuer', at: context.now() });
    await cards.change(card.id, 'frozen-by-issuer', audit);
  }
  await callIssuer(context, issued, () => context.issuer.close(issued.issuerCardId));
  const audit = cardAuditRecord(action, card.id, { actor, at: context.now() });
  await cards.change(card.id, isFrozen ? 'closed-while-frozen' : 'closed', audit);
}

/** Reads a card's number and CVV from the issuer, for the response to its owner. @throws {ApiError} the errors of `callIssuer` */
export async function revealIssuedCard(
  context: CardContext,
  issued: CardAtIssuer,
): Promise<ResponseOf<typeof revealCard>> {
  const secret = await callIssuer(context, issued, () => context.issuer.reveal(issued.issuerCardId));
  const { cardNumber, cvv } = secret;
  return { cardNumber, expiryDate: expiryText(secret), cvv, holderName: issued.card.holderName };
}
