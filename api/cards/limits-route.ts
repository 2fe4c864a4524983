import type { ResponseOf } from '../../data/contract/call.ts';
import { changeCardLimits } from '../../data/contract/cards.ts';
import { dollars } from '../../data/model/facts/wording.ts';
import { type CardLimits, cardLimits, isWithinTier, tierTerms } from '../../data/model/tiers.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import type { ProvenWallet } from '../wallet/proven-wallets.ts';
import { ownCard } from './call-issuer.ts';
import type { CardCallContext } from './card-context.ts';
import { changeLimits } from './card-limits.ts';
import { summarizeCard } from './card-summary.ts';
import { freezeOthersWithoutStake } from './check-card-stakes.ts';
import { eligibleTier } from './eligible-tier.ts';
import { ownerRoute, requireFreshProof } from './owner-route.ts';

/** Raising a limit needs a fresh ownership proof, and the stake of a tier that allows the new limit. */
async function requireHigher(
  context: CardCallContext,
  owner: ProvenWallet,
  card: StoredCard,
  limits: CardLimits,
): Promise<void> {
  requireFreshProof(context, owner);
  const { walletAddress } = owner;
  const { tier, stakeEntries } = await eligibleTier(walletAddress, context, card.tier);
  if (isWithinTier(limits, tier)) {
    if (!isWithinTier(limits, card.tier))
      await freezeOthersWithoutStake(context, walletAddress, stakeEntries);
    return;
  }
  const { dailyLimitUsd, monthlyLimitUsd } = tierTerms(tier);
  throw new ApiError('limits-above-tier', {
    text: `The ${tier} tier allows at most ${dollars(dailyLimitUsd)} a day and ${dollars(monthlyLimitUsd)} a month.`,
  });
}

/** `POST /api/virtual-card/limits` */
export function limitsRoute(context: CardCallContext): ApiRoute {
  return ownerRoute(changeCardLimits, 'card-changes', context, async (owner, request, response) => {
    const { cardId, dailyLimit, monthlyLimit } = readBody(changeCardLimits.body, request.body);
    const limits = { dailyLimitUsd: dailyLimit, monthlyLimitUsd: monthlyLimit };
    await context.walletMutex.runExclusive(owner.walletAddress, async () => {
      const { card } = await ownCard(context, owner.walletAddress, cardId);
      const current = cardLimits(card);
      const isHigher = dailyLimit > current.dailyLimitUsd || monthlyLimit > current.monthlyLimitUsd;
      if (isHigher) await requireHigher(context, owner, card, limits);
      await changeLimits(context, card, limits);
      const changed = (await context.store.cards.card(cardId)) ?? card;
      response.json({
        card: summarizeCard(changed, context.issuer),
      } satisfies ResponseOf<typeof changeCardLimits>);
    });
  });
}
