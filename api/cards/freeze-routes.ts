import type { ResponseOf } from '../../data/contract/call.ts';
import { freezeCard, unfreezeCard } from '../../data/contract/cards.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import { callIssuer, ownCard } from './call-issuer.ts';
import { type CardCallContext, cardAudit } from './card-context.ts';
import { summarizeCard } from './card-summary.ts';
import { eligibleTier } from './eligible-tier.ts';
import { ownerRoute } from './owner-route.ts';

const CHANGES = {
  frozen: { call: freezeCard, method: 'freeze', action: 'card.frozen' },
  active: { call: unfreezeCard, method: 'unfreeze', action: 'card.unfrozen' },
} as const;

/**
 * Changes the card at the issuer before it changes the stored state. A card that the issuer froze stays frozen, and is not
 * marked as frozen by its holder.
 */
async function changeState(
  context: CardCallContext,
  wallet: string,
  cardId: string,
  to: keyof typeof CHANGES,
): Promise<ResponseOf<typeof freezeCard>> {
  const { method, action } = CHANGES[to];
  const issued = await ownCard(context, wallet, cardId);
  if (to === 'active') await eligibleTier(wallet, context);
  const found = await callIssuer(context, issued, () => context.issuer.get(issued.issuerCard));
  const isFrozenByIssuer = found.state === 'frozen' && !found.isHoldersFreeze;
  if (isFrozenByIssuer && to === 'active') throw new ApiError('frozen-by-issuer');
  if (!isFrozenByIssuer) await callIssuer(context, issued, () => context.issuer[method](issued.issuerCard));
  const actor = isFrozenByIssuer ? 'issuer' : 'wallet-owner';
  const audit = cardAudit(action, cardId, { actor, at: context.now() });
  const card = await context.store.cards.change(cardId, to, audit);
  if (!card) throw new ApiError('card-closed');
  return { card: summarizeCard(card, context.issuer) };
}

/** `POST /api/virtual-card/freeze`, and `/unfreeze`, which requires a sufficient stake. */
export function freezeRoutes(context: CardCallContext): ApiRoute[] {
  return (['frozen', 'active'] as const).map((to) =>
    ownerRoute(CHANGES[to].call, 'card-changes', context, async ({ walletAddress }, request, response) => {
      const { cardId } = readBody(CHANGES[to].call.body, request.body);
      response.json(
        await context.walletMutex.runExclusive(walletAddress, () =>
          changeState(context, walletAddress, cardId, to),
        ),
      );
    }),
  );
}
