import {
  type CardLimits,
  type CardTier,
  cardLimits,
  isWithinTier,
  tierTerms,
} from '../../data/model/tiers.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { isApiError } from '../errors.ts';
import { callIssuer, requireIssued } from './call-issuer.ts';
import { type CardContext, cardAuditRecord } from './card-context.ts';

/** Sends a card's stored limits to the issuer, and records that they were sent. @throws {ApiError} the errors of `callIssuer` */
export async function sendLimits(context: CardContext, card: StoredCard): Promise<void> {
  const issued = requireIssued(card, context);
  const limits = cardLimits(card);
  await callIssuer(context, issued, () => context.issuer.setLimits(issued.issuerCardId, limits));
  await context.store.cards.confirmLimits(card.id, limits);
}

/**
 * Stores the limits that the cardholder chose, then sends them to the issuer. If the issuer does not answer, the next scheduled
 * check sends the limits. If the issuer refuses them, the earlier limits are stored again.
 * @throws {ApiError} `issuer-refused`, `card-closed`
 */
export async function changeLimits(
  context: CardContext,
  card: StoredCard,
  limits: CardLimits,
): Promise<void> {
  const { cards } = context.store;
  const storeLimits = (newLimits: CardLimits) =>
    cards.setLimits(card.id, newLimits, {
      ...cardAuditRecord('card.limits-changed', card.id, { actor: 'wallet-owner', at: context.now() }),
      details: { cardId: card.id, ...newLimits },
    });
  const changedCard = await storeLimits(limits);
  if (!changedCard || changedCard.areLimitsSent) return;
  try {
    await sendLimits(context, changedCard);
  } catch (error) {
    if (isApiError(error, 'issuer-unavailable')) return;
    if (isApiError(error, 'issuer-refused')) {
      await storeLimits(cardLimits(card));
      if (card.areLimitsSent) await cards.confirmLimits(card.id, cardLimits(card));
    }
    throw error;
  }
}

/**
 * Lowers each of a card's stored limits that exceeds the tier's limit, and notifies the cardholder. The caller must send the new
 * limits to the issuer.
 */
export async function lowerLimits(
  context: CardContext,
  card: StoredCard,
  tier: CardTier,
): Promise<StoredCard> {
  const limits = cardLimits(card);
  if (isWithinTier(limits, tier)) return card;
  const { dailyLimitUsd, monthlyLimitUsd } = tierTerms(tier);
  const loweredLimits = {
    dailyLimitUsd: Math.min(limits.dailyLimitUsd, dailyLimitUsd),
    monthlyLimitUsd: Math.min(limits.monthlyLimitUsd, monthlyLimitUsd),
  };
  const audit = cardAuditRecord('card.limits-lowered', card.id, { actor: 'system', at: context.now() });
  const details = { cardId: card.id, ...loweredLimits };
  return (
    (await context.store.cards.setLimits(card.id, loweredLimits, { ...audit, details }, 'notify')) ?? card
  );
}
