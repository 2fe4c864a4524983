import { toDecimalText, tokensToBaseUnits } from '../../data/model/amounts.ts';
import { groupDecimalText, groupDigits } from '../../data/model/digit-grouping.ts';
import { type CardTier, higherTier, tierRank, tierTerms } from '../../data/model/tiers.ts';
import { ApiError } from '../errors.ts';
import type { StakeCheckResult } from '../verification/check-stake.ts';
import type { CardCallContext } from './card-context.ts';

export const meetsTier = (tier: CardTier | null, requiredTier: CardTier): boolean =>
  tier !== null && tierRank(tier) >= tierRank(requiredTier);

function shortfallText(
  { staked, decimals, detectionMethod }: StakeCheckResult,
  requiredTier: CardTier,
): string {
  const { minimumStakeBd } = tierTerms(requiredTier);
  const minimum = groupDigits(String(minimumStakeBd));
  const missingAmount = tokensToBaseUnits(minimumStakeBd, decimals) - staked;
  const hint =
    detectionMethod === 'token_account_analysis' || staked === 0n
      ? `Must stake ${minimum} BD tokens for virtual card eligibility`
      : // Not rounded, because a stake that is one base unit short must not appear sufficient.
        `Need ${groupDecimalText(toDecimalText(missingAmount, decimals))} more BD staked`;
  return `MINIMUM ${minimum} BD TOKENS REQUIRED FOR STAKING. ${hint}.`;
}

type TierContext = Pick<CardCallContext, 'checkStake' | 'store'>;

/**
 * The wallet's current card tier: the higher of its staked tier, which is read from the chain, and its whitelisted tier. Null if
 * it has neither.
 * @throws {ApiError} `not-indexed-yet` or `chain-unreadable` if the stake cannot be read
 */
export async function readTier(
  walletAddress: string,
  { checkStake, store }: TierContext,
): Promise<{ readonly tier: CardTier | null; readonly stakeCheck: StakeCheckResult }> {
  const [stakeCheck, whitelistedTier] = await Promise.all([
    checkStake(walletAddress),
    store.sessions.whitelistedTier(walletAddress),
  ]);
  return { tier: higherTier(stakeCheck.tier, whitelistedTier), stakeCheck };
}

/**
 * Reads the wallet's card tier and its stake entries. Call this every time a card is created, revealed or unfrozen, because
 * the stake may have ended.
 * @param requiredTier the tier of the card, or the lowest tier for a new one
 * @throws {ApiError} `insufficient-staking` if the wallet's tier is lower; also the errors of `readTier`
 */
export async function requireEligibleTier(
  walletAddress: string,
  context: TierContext,
  requiredTier: CardTier,
): Promise<{ readonly tier: CardTier; readonly stakeEntries: readonly string[] }> {
  const { tier, stakeCheck } = await readTier(walletAddress, context);
  if (tier === null || !meetsTier(tier, requiredTier))
    throw new ApiError('insufficient-staking', { text: shortfallText(stakeCheck, requiredTier) });
  return { tier, stakeEntries: stakeCheck.entries };
}
