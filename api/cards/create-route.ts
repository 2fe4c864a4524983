import type { ResponseOf } from '../../data/contract/call.ts';
import { createCard } from '../../data/contract/cards.ts';
import type { Cardholder } from '../../data/model/cardholder.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError, isApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { requireIssued, revealIssuedCard } from './call-issuer.ts';
import type { CardCallContext } from './card-context.ts';
import { summarizeCard } from './card-summary.ts';
import { readCardholder } from './cardholder.ts';
import { freezeOthersWithoutStake } from './check-card-stakes.ts';
import { meetsTier, requireEligibleTier } from './eligible-tier.ts';
import { makeCard } from './make-card.ts';
import { ownerRoute } from './owner-route.ts';

/**
 * Creates a card and reveals it. A pending card is finished with its stored data, so that the holder does not have to enter the
 * data again.
 */
async function createAndReveal(
  context: CardCallContext,
  order: Parameters<typeof makeCard>[1],
  readEnteredCardholder: () => Cardholder | null,
): Promise<ResponseOf<typeof createCard>> {
  const existingCard = await context.store.cards.cardOf(order.walletAddress);
  const cardholder = existingCard === null ? readEnteredCardholder() : null;
  const issued = requireIssued(await makeCard(context, order, cardholder), context);
  // A pending card keeps the tier for which it was ordered. The wallet may have lost that tier since then.
  if (!meetsTier(order.tier, issued.card.tier))
    await requireEligibleTier(order.walletAddress, context, issued.card.tier);
  try {
    return { ...(await revealIssuedCard(context, issued)), card: summarizeCard(issued.card, context.issuer) };
  } catch (error) {
    if (isApiError(error, 'issuer-refused') || isApiError(error, 'issuer-unavailable')) {
      throw new ApiError('card-not-yet-readable', { cause: error });
    }
    throw error;
  }
}

/** `POST /api/virtual-card/create`: for the owner of a wallet with a sufficient stake at the time of the call. */
export function createRoute(context: CardCallContext): ApiRoute {
  return ownerRoute(createCard, 'card-changes', context, async (owner, request, response) => {
    const body = readBody(createCard.body, request.body);
    const { walletAddress, holderName } = body;
    if (walletAddress !== owner.walletAddress) throw new ApiError('wallet-not-proven');
    const acceptance = { at: context.now(), from: request.ip ?? '' };
    const readEnteredCardholder = () => readCardholder(body, context.issuer, acceptance);
    const { tier, stakeEntries } = await requireEligibleTier(walletAddress, context, 'Duckling');
    await freezeOthersWithoutStake(context, walletAddress, stakeEntries);
    response.json(
      await context.walletMutex.runExclusive(walletAddress, () =>
        createAndReveal(context, { walletAddress, tier, holderName, stakeEntries }, readEnteredCardholder),
      ),
    );
  });
}
