import { fromDecimalText } from '../../data/model/amounts.ts';
import type { CardTier } from '../../data/model/tiers.ts';
import { NotIndexedYetError } from '../errors.ts';
import { chainOf, type Facts } from '../metrics/facts.ts';
import { type VerificationOptions, verifyWallet } from './verify-route.ts';

/** What the portal itself read of a wallet's stake. */
export interface StakeCheck {
  readonly tier: CardTier | 'None';
  /** BD staked, in base units. */
  readonly staked: bigint;
  /** BD in the wallet, not staked, in base units; null where it was not read, since a stake was found. */
  readonly held: bigint | null;
  readonly decimals: number;
  readonly detectionMethod: 'stake_entry' | 'token_account_analysis';
  /** When it was read, ISO 8601. */
  readonly asOf: string;
}

/**
 * Reads on the chain what a wallet stakes at this moment, for a decision that hangs on it.
 * @throws {ApiError} with status 503 where it cannot be read: nothing may be decided then.
 */
export type CheckStake = (walletAddress: string) => Promise<StakeCheck>;

/** The check of every gated action: a wallet that unstakes has lost its right by the next call. */
export function stakeCheck(options: VerificationOptions & { readonly facts: () => Facts }): CheckStake {
  return async (walletAddress) => {
    const facts = options.facts();
    const found = await verifyWallet(walletAddress, facts, options);
    const known = chainOf(facts);
    if (!known) throw new NotIndexedYetError();
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
