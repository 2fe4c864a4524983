import { fromDecimalText } from '../../data/model/amounts.ts';
import type { CardTier } from '../../data/model/tiers.ts';
import { ApiError } from '../errors.ts';
import { chainOf } from '../metrics/figure.ts';
import { type VerificationContext, verifyWallet } from './verify-route.ts';

/** A wallet's stake, as the portal read it. */
export interface StakeCheck {
  readonly tier: CardTier | 'None';
  /** Staked base units. */
  readonly staked: bigint;
  /** Unstaked base units; null when a stake was found, since they were not read then. */
  readonly held: bigint | null;
  readonly decimals: number;
  readonly detectionMethod: 'stake_entry' | 'token_account_analysis';
  /** When it was read, ISO 8601. */
  readonly asOf: string;
}

/**
 * Reads a wallet's current stake from the chain, for a decision that depends on it.
 * @throws {ApiError} with status 503 when it cannot be read; then nothing may be decided.
 */
export type CheckStake = (walletAddress: string) => Promise<StakeCheck>;

/** The check before every gated action, so that a wallet that unstakes loses its right at once. */
export function stakeCheck(context: VerificationContext): CheckStake {
  return async (walletAddress) => {
    const facts = context.facts();
    const found = await verifyWallet(walletAddress, facts, context);
    const known = chainOf(facts);
    if (!known) throw new ApiError('not-indexed-yet');
    const { decimals } = known.identity;
    return {
      tier: found.tier,
      staked: fromDecimalText(found.stakedAmountText, decimals),
      held: found.heldAmount === null ? null : fromDecimalText(found.heldAmount, decimals),
      decimals,
      detectionMethod: found.detectionMethod,
      asOf: found.asOf,
    };
  };
}
