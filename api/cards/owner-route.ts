import type { Request, Response } from 'express';
import type { Call } from '../../data/contract/call.ts';
import { FRESH_PROOF_SECONDS } from '../../data/contract/cards.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { ProvenWallet } from '../wallet/proven-wallets.ts';
import type { CardCallContext } from './card-context.ts';

/** @throws {ApiError} `fresh-proof-needed` */
export function requireFreshProof({ now }: Pick<CardCallContext, 'now'>, { provedAt }: ProvenWallet): void {
  if (now() - provedAt > FRESH_PROOF_SECONDS * 1_000) throw new ApiError('fresh-proof-needed');
}

/**
 * A route for a wallet's proven owner, rate-limited by IP address and by wallet.
 * @throws {ApiError} `wallet-not-proven`
 */
export function ownerRoute(
  call: Pick<Call, 'method' | 'path'>,
  limit: 'card-reads' | 'card-changes',
  { limits, readProvenWallet }: Pick<CardCallContext, 'limits' | 'readProvenWallet'>,
  respond: (owner: ProvenWallet, request: Request, response: Response) => Promise<void>,
): ApiRoute {
  return callRoute(call, { limit }, async (request, response) => {
    const owner = await readProvenWallet(request);
    if (!owner) throw new ApiError('wallet-not-proven');
    await limits.count(`${limit}-of-wallet`, request, response, owner.walletAddress);
    await respond(owner, request, response);
  });
}
