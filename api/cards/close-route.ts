import type { ResponseOf } from '../../data/contract/call.ts';
import { closeCard } from '../../data/contract/cards.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import type { ProvenWallet } from '../wallet/proven-wallets.ts';
import { closeIssuedCard, requireOwnCard } from './call-issuer.ts';
import { type CardCallContext, cardAuditRecord } from './card-context.ts';
import { summarizeCard } from './card-summary.ts';
import { ownerRoute, requireFreshProof } from './owner-route.ts';

/** Stores the holder's decision to close a card before the issuer is called, so that nothing can make the card usable again. */
async function storeClosingDecision(
  context: CardCallContext,
  walletAddress: string,
  cardId: string,
): Promise<StoredCard> {
  const storedCard = await context.store.cards.card(cardId);
  if (storedCard?.walletAddress === walletAddress && storedCard.closedByHolderAt !== null) return storedCard;
  await requireOwnCard(context, walletAddress, cardId);
  const origin = { actor: 'wallet-owner', at: context.now() } as const;
  const card = await context.store.cards.change(
    cardId,
    'closing',
    cardAuditRecord('card.closing-by-holder', cardId, origin),
  );
  if (!card) throw new ApiError('card-closed');
  return card;
}

async function close(
  context: CardCallContext,
  { walletAddress }: ProvenWallet,
  cardId: string,
): Promise<ResponseOf<typeof closeCard>> {
  const card = await storeClosingDecision(context, walletAddress, cardId);
  if (card.state !== 'closed') {
    try {
      await closeIssuedCard(context, card, { action: 'card.closed', actor: 'wallet-owner' });
    } catch (error) {
      // The next scheduled check closes the card, unless the issuer has already closed it.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const latestCard = (await context.store.cards.card(cardId)) ?? card;
  return { card: summarizeCard(latestCard, context.issuer) };
}

/** `POST /api/virtual-card/close`: for a wallet owner with a recent ownership proof. Repeating the request changes nothing. */
export function closeRoute(context: CardCallContext): ApiRoute {
  return ownerRoute(closeCard, 'card-changes', context, async (owner, request, response) => {
    const { cardId } = readBody(closeCard.body, request.body);
    requireFreshProof(context, owner);
    response.json(
      await context.walletMutex.runExclusive(owner.walletAddress, () => close(context, owner, cardId)),
    );
  });
}
