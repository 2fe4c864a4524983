import { toDecimalText } from '../../data/model/amounts.ts';
import { groupDecimalText, groupDigits } from '../../data/model/count.ts';
import { type CardTier, higherTier, nextCardTier, termsOf } from '../../data/model/tiers.ts';
import { ApiError } from '../errors.ts';
import type { StakeCheck } from '../verification/check-stake.ts';
import type { CardCallContext } from './card-context.ts';

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
 * The wallet's current card tier: the higher of its staked tier and its whitelisted tier. Read again for everything that
 * shows, creates or unfreezes a card, because the stake may have ended since.
 * @throws {ApiError} `insufficient-staking` if the wallet has none; `chain-unreadable` if the stake cannot be read
 */
export async function eligibleTier(
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
