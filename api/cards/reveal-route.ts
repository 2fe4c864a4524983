import type { ResponseOf } from '../../data/contract/call.ts';
import { revealCard } from '../../data/contract/cards.ts';
import type { ApiRoute } from '../call-router.ts';
import { readBody } from '../request-input.ts';
import type { ProvenWallet } from '../wallet/proven-wallets.ts';
import { requireOwnCard, revealIssuedCard } from './call-issuer.ts';
import { type CardCallContext, cardAuditRecord } from './card-context.ts';
import { requireEligibleTier } from './eligible-tier.ts';
import { ownerRoute, requireFreshProof } from './owner-route.ts';

async function reveal(
  context: CardCallContext,
  { walletAddress }: ProvenWallet,
  cardId: string,
): Promise<ResponseOf<typeof revealCard>> {
  const issued = await requireOwnCard(context, walletAddress, cardId);
  await requireEligibleTier(walletAddress, context, issued.card.tier);
  const revealedCard = await revealIssuedCard(context, issued);
  // If the audit record cannot be stored, the card is not revealed.
  const origin = { actor: 'wallet-owner', at: context.now() } as const;
  await context.store.recordAudit(cardAuditRecord('card.revealed', issued.card.id, origin));
  return revealedCard;
}

/** `POST /api/virtual-card/reveal`: number and CVV, for an owner with a recent ownership proof and a sufficient stake. */
export function revealRoute(context: CardCallContext): ApiRoute {
  return ownerRoute(revealCard, 'card-changes', context, async (owner, request, response) => {
    const { cardId } = readBody(revealCard.body, request.body);
    requireFreshProof(context, owner);
    response.json(await reveal(context, owner, cardId));
  });
}
