import type { ResponseOf } from '../../data/contract/call.ts';
import { changeCardLimits } from '../../data/contract/cards.ts';
import { dollarText } from '../../data/model/facts/amount-text.ts';
import { type CardLimits, cardLimits, isWithinTier, tierTerms } from '../../data/model/tiers.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import type { ProvenWallet } from '../wallet/proven-wallets.ts';
import { requireOwnCard } from './call-issuer.ts';
import type { CardCallContext } from './card-context.ts';
import { changeLimits } from './card-limits.ts';
import { summarizeCard } from './card-summary.ts';
import { freezeOthersWithoutStake } from './check-card-stakes.ts';
import { requireEligibleTier } from './eligible-tier.ts';
import { ownerRoute, requireFreshProof } from './owner-route.ts';

/** Raising a limit requires a fresh ownership proof, and the stake for a tier that allows the new limit. */
async function requireRightToRaise(
  context: CardCallContext,
  owner: ProvenWallet,
  card: StoredCard,
  limits: CardLimits,
): Promise<void> {
  requireFreshProof(context, owner);
  const { walletAddress } = owner;
  const { tier, stakeEntries } = await requireEligibleTier(walletAddress, context, card.tier);
  if (isWithinTier(limits, tier)) {
    if (!isWithinTier(limits, card.tier))
      await freezeOthersWithoutStake(context, walletAddress, stakeEntries);
    return;
  }
  const { dailyLimitUsd, monthlyLimitUsd } = tierTerms(tier);
  throw new ApiError('limits-above-tier', {
    text: `The ${tier} tier allows at most ${dollarText(dailyLimitUsd)} a day and ${dollarText(monthlyLimitUsd)} a month.`,
  });
}

export function limitsRoute(context: CardCallContext): ApiRoute {
  return ownerRoute(changeCardLimits, 'card-changes', context, async (owner, request, response) => {
    const { cardId, dailyLimit, monthlyLimit } = readBody(changeCardLimits.body, request.body);
    const limits = { dailyLimitUsd: dailyLimit, monthlyLimitUsd: monthlyLimit };
    await context.walletMutex.runExclusive(owner.walletAddress, async () => {
      const { card } = await requireOwnCard(context, owner.walletAddress, cardId);
      const current = cardLimits(card);
      const isHigher = dailyLimit > current.dailyLimitUsd || monthlyLimit > current.monthlyLimitUsd;
      if (isHigher) await requireRightToRaise(context, owner, card, limits);
      await changeLimits(context, card, limits);
      const changedCard = (await context.store.cards.card(cardId)) ?? card;
      response.json({
        card: summarizeCard(changedCard, context.issuer),
      } satisfies ResponseOf<typeof changeCardLimits>);
    });
  });
}
