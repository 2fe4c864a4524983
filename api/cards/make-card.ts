import { randomUUID } from 'node:crypto';
import type { Cardholder } from '../../data/model/cardholder.ts';
import type { CardOrder, StoredCard } from '../../data/store/card-port.ts';
import { ApiError } from '../errors.ts';
import { type CardActor, type CardContext, cardAuditRecord } from './card-context.ts';
import { CardholderUnreadableError, openCardholder, sealCardholder } from './cardholder.ts';
import { IssuerError, IssuerRefusedError, IssuerUnavailableError } from './issuer.ts';

/**
 * Finishes the cards whose creation was interrupted. A card that the issuer has already created is always finished. If its
 * stake is gone, the next stake check freezes it. A card that the issuer has not created fails if its stake is gone. If a
 * card cannot be finished now, the next scheduled check tries again.
 * @param hasStake whether a card's wallet has the stake that the card requires; throws an `ApiError` if that is unknown
 */
export async function finishPendingCards(
  context: CardContext,
  hasStake: (card: StoredCard) => Promise<boolean>,
): Promise<void> {
  const { store, issuer, walletMutex, log, now } = context;
  for (const card of await store.cards.pendingCards(issuer.name)) {
    try {
      const isStaked = await hasStake(card);
      await walletMutex.runExclusive(card.walletAddress, async () => {
        const latestCard = await store.cards.card(card.id);
        if (latestCard?.state !== 'pending') return;
        const origin = { actor: 'system', at: now() } as const;
        const hasCreated = await issuer.hasCreated(latestCard);
        if (isStaked || hasCreated)
          await finishCard(context, latestCard, { isRetry: hasCreated, actor: origin.actor });
        else await store.cards.markFailed(card.id, cardAuditRecord('card.refused', card.id, origin));
      });
    } catch (error) {
      // The lookup at the issuer failed, so the other cards wait for the next check.
      if (error instanceof IssuerError) {
        log.warn({ cardId: card.id, issuerError: error.details }, 'pending cards could not be looked up');
        return;
      }
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

/** Closes a test card after the switch to real cards, so that its wallet can get a real one. */
async function closeTestCard({ store, now }: CardContext, card: StoredCard): Promise<void> {
  const origin = { actor: 'system', at: now() } as const;
  if (card.state === 'pending')
    await store.cards.markFailed(card.id, cardAuditRecord('card.refused', card.id, origin));
  else await store.cards.change(card.id, 'closed', cardAuditRecord('card.closed', card.id, origin));
}

/** Runs at startup. Closes all test cards if the portal has switched to real cards. */
export async function closeTestCards(context: CardContext): Promise<void> {
  const ofOtherIssuers = await context.store.cards.cardsOfOtherIssuers(context.issuer.name);
  for (const card of ofOtherIssuers.filter(({ issuer }) => issuer === 'sandbox'))
    await closeTestCard(context, card);
}

const NOT_CREATED = 'Unable to create virtual card.';
const REFUSED = 'The card issuer rejected the request. Contact support.';
const NAME_REFUSED =
  'The card issuer does not accept this name. Enter it without accents or other special characters.';

/**
 * Creates a reserved card at the issuer and stores it. A refusal releases the reservation. After any other error the card
 * stays pending, and a retry uses the same idempotency key.
 * @throws {ApiError} `issuer-refused`, `issuer-unavailable`; `card-pending` if the cardholder's data cannot be decrypted
 */
async function finishCard(
  { store, issuer, log, now, masterKey }: CardContext,
  card: StoredCard,
  { isRetry, actor }: { readonly isRetry: boolean; readonly actor: CardActor },
): Promise<StoredCard> {
  try {
    const issued = await issuer.create(card, isRetry, openCardholder(card, masterKey));
    const audit = cardAuditRecord('card.created', card.id, { actor, at: now() });
    return await store.cards.activate(card.id, issued, audit);
  } catch (error) {
    if (error instanceof IssuerRefusedError) {
      log.warn({ cardId: card.id, issuerError: error.details }, 'the issuer refused to create a card');
      await store.cards.markFailed(
        card.id,
        cardAuditRecord('card.refused', card.id, { actor: 'issuer', at: now() }),
      );
      const reason = /name/.test(error.details.field ?? '') ? NAME_REFUSED : REFUSED;
      throw new ApiError('issuer-refused', { text: `${NOT_CREATED} ${reason}`, cause: error });
    }
    if (error instanceof IssuerUnavailableError) {
      log.warn({ cardId: card.id, issuerError: error.details }, 'a card is still pending');
      const text = `${NOT_CREATED} Please try again. Trying again never creates a second card.`;
      throw new ApiError('issuer-unavailable', { text, cause: error });
    }
    if (error instanceof CardholderUnreadableError) {
      log.error({ cardId: card.id }, error.message);
      const text = 'This card cannot be finished. Please contact support.';
      throw new ApiError('card-pending', { text, cause: error });
    }
    throw error;
  }
}

/**
 * Creates a card for an eligible wallet, or finishes the wallet's pending order unchanged.
 * @throws {ApiError} `has-card`, `no-cards-left`, `stake-in-use`, `closed-by-team`, `closed-recently`
 * @throws {ApiError} the errors of `finishCard`
 */
export async function makeCard(
  context: CardContext,
  order: Pick<CardOrder, 'walletAddress' | 'tier' | 'holderName' | 'stakeEntries'>,
  cardholder: Cardholder | null = null,
): Promise<StoredCard> {
  const id = randomUUID();
  const reservation = await context.store.cards.reserve({
    ...order,
    id,
    cardholder: cardholder && sealCardholder(cardholder, id, context.masterKey),
    issuer: context.issuer.name,
    idempotencyKey: randomUUID(),
    at: context.now(),
  });
  if (reservation.outcome === 'none-left') throw new ApiError('no-cards-left');
  if (reservation.outcome === 'resume' || reservation.outcome === 'reserved')
    return finishCard(context, reservation.card, {
      isRetry: reservation.outcome === 'resume',
      actor: 'wallet-owner',
    });
  throw new ApiError(reservation.outcome);
}
