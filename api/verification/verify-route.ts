import type { RequestHandler } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { cardTier } from '../../data/model/tiers.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import { NotIndexedYetError, StakesStaleError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, chainProvenance, type Facts } from '../metrics/facts.ts';
import { readQuery } from '../query.ts';
import { limited } from '../security/rate-limit.ts';
import { checkAddress } from '../wallet-address.ts';
import type { HeldTokensReader } from './held-tokens.ts';

type Verification = ResponseOf<typeof verifyBdTokens>;

/** Verifications of one address a minute: a person needs a few, and each may ask the chain. */
export const VERIFICATIONS_PER_MINUTE = 30;

/**
 * What is said of a wallet: an open stake entry of the index, else what its token accounts hold on the chain.
 * @throws {NotIndexedYetError} {StakesStaleError} where the index cannot say whether there is a stake.
 * @throws {ChainUnreadableError} where the token accounts cannot be read.
 */
export async function verifyWallet(
  walletAddress: string,
  facts: Facts,
  { held, now }: { readonly held: HeldTokensReader; readonly now: () => number },
): Promise<Verification> {
  const known = chainOf(facts);
  const { stakes, source } = facts;
  if (!known || !stakes) throw new NotIndexedYetError();
  // Neither that a wallet stakes nor that it does not is truer than the stakes are young.
  if (ageState(stakes.readAt, now(), FRESHNESS.chain) === 'stale') throw new StakesStaleError();
  const { decimals, mint } = known.identity;
  const staker = stakes.content.byWallet.get(walletAddress);
  if (staker) {
    const staked = toDecimalText(staker.staked, decimals);
    return {
      walletAddress,
      isStaking: true,
      stakedAmount: Number(staked),
      stakedAmountText: staked,
      heldAmount: null,
      tier: cardTier(staker.staked, decimals) ?? 'None',
      detectionMethod: 'stake_entry',
      ...chainProvenance(source, stakes, now()),
    };
  }
  const tokens = await held.read(walletAddress, mint, {
    minSlot: stakes.slot,
    health: facts.index.endpoints,
  });
  return {
    walletAddress,
    isStaking: false,
    stakedAmount: 0,
    stakedAmountText: '0',
    heldAmount: toDecimalText(tokens.amount, decimals),
    tier: 'None',
    detectionMethod: 'token_account_analysis',
    ...chainProvenance(source, tokens, now()),
  };
}

/** `GET /api/verify-bd-tokens`: whether a wallet stakes. Public data, so no signature is asked for. */
export function verifyRoute(options: {
  readonly facts: () => Facts;
  readonly held: HeldTokensReader;
  readonly now: () => number;
  readonly limit: RequestHandler;
}): ApiRoute {
  return {
    method: verifyBdTokens.method,
    path: verifyBdTokens.path,
    handle: limited(options.limit, async (request, response) => {
      const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
      checkAddress(walletAddress);
      response.json(await verifyWallet(walletAddress, options.facts(), options));
    }),
  };
}
