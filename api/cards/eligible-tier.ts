import { type CardTier, higherTier } from '../../data/model/tiers.ts';
import type { CheckStake } from '../verification/check-stake.ts';
import { StakeTooSmallError } from './card-errors.ts';

export interface EligibilityChecks {
  readonly checkStake: CheckStake;
  /** The card tier that the team admitted a wallet to; null where it did not. */
  readonly whitelistedTier: (walletAddress: string) => Promise<CardTier | null>;
}

/**
 * The card tier that a wallet has a right to at this moment: by its stake, or as the team admitted it, whichever is higher.
 * @throws {StakeTooSmallError} where it has none.
 * @throws {ApiError} with status 503 where the stake cannot be read.
 */
export async function eligibleTier(
  walletAddress: string,
  { checkStake, whitelistedTier }: EligibilityChecks,
): Promise<CardTier> {
  const [found, admitted] = await Promise.all([checkStake(walletAddress), whitelistedTier(walletAddress)]);
  const tier = higherTier(found.tier, admitted);
  if (tier === null) throw new StakeTooSmallError(found);
  return tier;
}
