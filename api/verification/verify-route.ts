import type { ResponseOf } from '../../data/contract/call.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { checkStake, type StakeCheckResult, type VerificationContext } from './check-stake.ts';

export function verificationResponse(
  walletAddress: string,
  { staked, held, decimals, entries: _entries, ...check }: StakeCheckResult,
): ResponseOf<typeof verifyBdTokens> {
  const stakedAmountText = toDecimalText(staked, decimals);
  return {
    walletAddress,
    isStaking: check.detectionMethod === 'stake_entry',
    stakedAmount: Number(stakedAmountText),
    stakedAmountText,
    heldAmount: held === null ? null : toDecimalText(held, decimals),
    ...check,
  };
}

/** `GET /api/verify-bd-tokens`: whether a wallet stakes. The data is public, so no signature is needed. */
export function verifyRoute(context: VerificationContext): ApiRoute {
  return callRoute(verifyBdTokens, { limit: 'verifications' }, async (request, response) => {
    const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
    checkAddress(walletAddress);
    const check = await checkStake(walletAddress, context.figureInputs(), context);
    response.json(verificationResponse(walletAddress, check));
  });
}
