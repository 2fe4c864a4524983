import type { ResponseOf } from '../../data/contract/call.ts';
import { freezeCard, unfreezeCard } from '../../data/contract/cards.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import {
  type CardAtIssuer,
  callIssuer,
  freezeAtIssuer,
  isFrozenByIssuer,
  requireOwnCard,
} from './call-issuer.ts';
import { type CardCallContext, cardAuditRecord } from './card-context.ts';
import { lowerLimits, sendLimits } from './card-limits.ts';
import { summarizeCard } from './card-summary.ts';
import { freezeOthersWithoutStake } from './check-card-stakes.ts';
import { requireEligibleTier } from './eligible-tier.ts';
import { ownerRoute } from './owner-route.ts';

const CHANGE_BY_STATE = {
  frozen: { call: freezeCard, action: 'card.frozen' },
  active: { call: unfreezeCard, action: 'card.unfrozen' },
} as const;

/** Claims the wallet's stake for this card only, lowers limits above the wallet's tier, and unfreezes the card at the issuer. */
async function unfreeze(context: CardCallContext, issued: CardAtIssuer): Promise<void> {
  const { id, walletAddress, tier: requiredTier, frozenByTeamAt } = issued.card;
  if (frozenByTeamAt !== null) throw new ApiError('frozen-by-issuer');
  const { tier, stakeEntries } = await requireEligibleTier(walletAddress, context, requiredTier);
  await freezeOthersWithoutStake(context, walletAddress, stakeEntries);
  if (await isFrozenByIssuer(context, issued)) throw new ApiError('frozen-by-issuer');
  if (!(await context.store.cards.claimStake(id, stakeEntries))) throw new ApiError('stake-in-use');
  const card = await lowerLimits(context, issued.card, tier);
  if (!card.areLimitsSent) await sendLimits(context, card);
  await callIssuer(context, issued, () => context.issuer.unfreeze(issued.issuerCardId));
}

/** Changes the card's state at the issuer, then in the store. A card that the issuer or the team froze stays frozen. */
async function changeState(
  context: CardCallContext,
  walletAddress: string,
  cardId: string,
  newState: keyof typeof CHANGE_BY_STATE,
): Promise<ResponseOf<typeof freezeCard>> {
  const issued = await requireOwnCard(context, walletAddress, cardId);
  const hadIssuerFrozenIt = newState === 'frozen' && (await freezeAtIssuer(context, issued));
  if (newState === 'active') await unfreeze(context, issued);
  const actor = hadIssuerFrozenIt ? 'issuer' : 'wallet-owner';
  const audit = cardAuditRecord(CHANGE_BY_STATE[newState].action, cardId, { actor, at: context.now() });
  const card = await context.store.cards.change(cardId, newState, audit);
  if (!card) throw new ApiError('card-closed');
  return { card: summarizeCard(card, context.issuer) };
}

/** `POST /api/virtual-card/freeze`, and `/unfreeze`, which requires a sufficient stake. */
export function freezeRoutes(context: CardCallContext): ApiRoute[] {
  return (['frozen', 'active'] as const).map((newState) =>
    ownerRoute(
      CHANGE_BY_STATE[newState].call,
      'card-changes',
      context,
      async ({ walletAddress }, request, response) => {
        const { cardId } = readBody(CHANGE_BY_STATE[newState].call.body, request.body);
        response.json(
          await context.walletMutex.runExclusive(walletAddress, () =>
            changeState(context, walletAddress, cardId, newState),
          ),
        );
      },
    ),
  );
}
