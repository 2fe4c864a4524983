import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../../data/contract/call.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls, limited, within } from '../security/rate-limit.ts';
import type { ProvenWallet, ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { TooManyForWalletError, WalletNotProvedError } from './card-errors.ts';

/** Calls a minute that make, show or change a card: by one address, and for one wallet. A person needs a few. */
const CHANGES_A_MINUTE = 10;
/** Those that only look. */
const LOOKS_A_MINUTE = 60;

export interface OwnerLimits {
  readonly byAddress: RequestHandler;
  readonly byWallet: RequestHandler;
}

function limitsOf(perMinute: number, kind: string): OwnerLimits {
  return {
    byAddress: limitCalls(perMinute, kind),
    byWallet: limitCalls(perMinute, `${kind}-of-wallet`, {
      keyOf: (_request, response) => String(response.locals.provenWallet),
      refusal: (seconds) => new TooManyForWalletError(seconds),
    }),
  };
}

/** The limits of all calls about cards. */
export function ownerLimits(perMinute?: number): {
  readonly looks: OwnerLimits;
  readonly changes: OwnerLimits;
} {
  return {
    looks: limitsOf(perMinute ?? LOOKS_A_MINUTE, 'card-looks'),
    changes: limitsOf(perMinute ?? CHANGES_A_MINUTE, 'card-changes'),
  };
}

/**
 * A route that answers the owner of a proved wallet, within the limits of its address and of its wallet.
 * Anyone else gets a `WalletNotProvedError`.
 */
export function ownerRoute(
  { method, path }: Pick<Call, 'method' | 'path'>,
  { limits, readProvenWallet }: { readonly limits: OwnerLimits; readonly readProvenWallet: ReadProvenWallet },
  answer: (owner: ProvenWallet, request: Request, response: Response) => Promise<void>,
): ApiRoute {
  return {
    method,
    path,
    handle: limited(limits.byAddress, async (request, response) => {
      const owner = await readProvenWallet(request);
      if (!owner) throw new WalletNotProvedError();
      response.locals.provenWallet = owner.walletAddress;
      await within(limits.byWallet, request, response);
      await answer(owner, request, response);
    }),
  };
}
