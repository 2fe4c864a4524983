import type { ResponseOf } from '../../data/contract/call.ts';
import { createCard } from '../../data/contract/cards.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { groupDecimalText, groupDigits } from '../../data/model/count.ts';
import { type CardTier, higherTier, nextCardTier, termsOf } from '../../data/model/tiers.ts';
import { ApiError, isApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import type { StakeCheck } from '../verification/check-stake.ts';
import { requireIssued, revealIssued } from './call-issuer.ts';
import type { CardCallContext, CardContext } from './card-context.ts';
import { summarizeCard } from './card-summary.ts';
import { makeCard } from './make-card.ts';
import { ownerRoute } from './owner-route.ts';

const MIN_STAKE = groupDigits(String(termsOf('Duckling').minimumStakeBd));
const MINIMUM = `MINIMUM ${MIN_STAKE} BD TOKENS REQUIRED FOR STAKING`;

function stakingHint({ staked, decimals, detectionMethod }: StakeCheck): string {
  const next = nextCardTier(staked, decimals);
  if (detectionMethod === 'token_account_analysis' || staked === 0n || !next) {
    return `Must stake ${MIN_STAKE} BD tokens for virtual card eligibility`;
  }
  // Not rounded, because a stake that is one base unit short must not look sufficient.
  return `Need ${groupDecimalText(toDecimalText(next.missing, decimals))} more BD staked`;
}

/**
 * The wallet's current card tier: the higher of its staked tier and its whitelisted tier.
 * @throws {ApiError} `insufficient-staking` if the wallet has none; `chain-unreadable` if the stake cannot be read
 */
async function eligibleTier(
  walletAddress: string,
  { checkStake, store }: Pick<CardCallContext, 'checkStake' | 'store'>,
): Promise<CardTier> {
  const [found, whitelisted] = await Promise.all([
    checkStake(walletAddress),
    store.sessions.whitelistedTier(walletAddress),
  ]);
  const tier = higherTier(found.tier, whitelisted);
  if (tier === null)
    throw new ApiError('insufficient-staking', { text: `${MINIMUM}. ${stakingHint(found)}.` });
  return tier;
}

async function createAndReveal(
  context: CardContext,
  order: Parameters<typeof makeCard>[1],
): Promise<ResponseOf<typeof createCard>> {
  const issued = requireIssued(await makeCard(context, order), context);
  try {
    return { ...(await revealIssued(context, issued)), card: summarizeCard(issued.card, context.issuer) };
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
    const { walletAddress, holderName } = readBody(createCard.body, request.body);
    if (walletAddress !== owner.walletAddress) throw new ApiError('wallet-not-proven');
    const tier = await eligibleTier(walletAddress, context);
    response.json(
      await context.walletMutex.runExclusive(walletAddress, () =>
        createAndReveal(context, { walletAddress, tier, holderName }),
      ),
    );
  });
}
