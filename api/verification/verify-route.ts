import type { ResponseOf } from '../../data/contract/call.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { higherTier } from '../../data/model/tiers.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type CardTierContext, checkStake, type StakeCheckResult } from './check-stake.ts';

/** The response body. If the wallet is whitelisted for a tier above that of its stake, the body has the whitelisted tier. */
export async function verificationResponse(
  walletAddress: string,
  { staked, held, decimals, entries: _entries, ...check }: StakeCheckResult,
  { store }: Pick<CardTierContext, 'store'>,
): Promise<ResponseOf<typeof verifyBdTokens>> {
  const tier = higherTier(check.tier, await store.sessions.whitelistedTier(walletAddress)) ?? 'None';
  const stakedAmountText = toDecimalText(staked, decimals);
  return {
    walletAddress,
    isStaking: check.detectionMethod === 'stake_entry',
    stakedAmount: Number(stakedAmountText),
    stakedAmountText,
    heldAmount: held === null ? null : toDecimalText(held, decimals),
    ...check,
    tier,
  };
}

/** `GET /api/verify-bd-tokens`: whether a wallet is staking, and its tier. The data is public, so no signature is needed. */
export function verifyRoute(context: CardTierContext): ApiRoute {
  return callRoute(verifyBdTokens, { limit: 'verifications' }, async (request, response) => {
    const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
    checkAddress(walletAddress);
    const check = await checkStake(walletAddress, context.figureInputs(), context);
    response.json(await verificationResponse(walletAddress, check, context));
  });
}
