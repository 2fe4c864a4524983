import type { CardSummary } from '../../data/contract/cards.ts';
import { cardLimits } from '../../data/model/tiers.ts';
import type { IssuedCard, StoredCard } from '../../data/store/card-port.ts';
import { LOST_STAKE_MS } from '../../data/store/rules/card-changes.ts';
import { iso, isoOrNull } from '../admin/records/wire-rows.ts';
import type { CardIssuer } from './issuer.ts';

/** `MM/YY`. */
export function expiryText(card: Pick<IssuedCard, 'expiryMonth' | 'expiryYear'>): string {
  const { expiryMonth, expiryYear } = card;
  return `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`;
}

/** Why the portal or the team froze or closed a card; null if neither did. */
export function freezeOrCloseReason({
  frozenByTeamAt,
  closedByTeamAt,
  stakeGoneAt,
}: StoredCard): CardSummary['frozenFor'] {
  if (frozenByTeamAt !== null || closedByTeamAt !== null) return 'team';
  return stakeGoneAt === null ? null : 'no-stake';
}

export const isClosing = ({ state, closedByTeamAt, closedByHolderAt }: StoredCard): boolean =>
  state !== 'closed' && (closedByTeamAt !== null || closedByHolderAt !== null);

/**
 * When (Unix ms) a card will be closed because its stake is gone. Null if the stake is not gone, or if the team froze or closed
 * the card.
 */
export function closesAt(card: StoredCard): number | null {
  return card.stakeGoneAt !== null && freezeOrCloseReason(card) === 'no-stake'
    ? card.stakeGoneAt + LOST_STAKE_MS
    : null;
}

/** A card as the API returns it, without its number. @throws {RangeError} if its creation failed */
export function summarizeCard(card: StoredCard, issuer: Pick<CardIssuer, 'name' | 'isTest'>): CardSummary {
  const { state, issued } = card;
  if (state === 'failed') throw new RangeError(`The card ${card.id} was never created.`);
  const { dailyLimitUsd, monthlyLimitUsd } = cardLimits(card);
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
    frozenFor: state === 'frozen' ? freezeOrCloseReason(card) : null,
    closesAt: state === 'frozen' ? isoOrNull(closesAt(card)) : null,
    limits: { daily: dailyLimitUsd, monthly: monthlyLimitUsd, arePending: !card.areLimitsSent },
    hasSpendNotices: card.spendNoticesFrom !== null,
    isClosing: isClosing(card),
    createdAt: iso(card.createdAt),
  };
}
