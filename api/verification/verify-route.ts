import type { RequestHandler } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import type { VerificationStep } from '../../data/contract/verification-steps.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { cardTier } from '../../data/model/tiers.ts';
import type { ReadingTerms } from '../chain/chain-reads.ts';
import { NotIndexedYetError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, chainProvenance, type Facts } from '../metrics/facts.ts';
import { readQuery } from '../query.ts';
import { limited } from '../security/rate-limit.ts';
import { checkAddress } from '../wallet-address.ts';
import type { HeldTokensReader } from './held-tokens.ts';
import type { StakedTokensReader } from './staked-tokens.ts';

export type Verification = ResponseOf<typeof verifyBdTokens>;

/** Verifications of one address a minute: a person needs a few, and each asks the chain. */
export const VERIFICATIONS_PER_MINUTE = 30;

/** What reads a wallet on the chain itself. */
export interface WalletReaders {
  readonly staked: StakedTokensReader;
  readonly held: HeldTokensReader;
}

export interface VerificationOptions {
  readonly readers: WalletReaders;
  readonly now: () => number;
}

/** Who watches one verification. */
export interface VerificationObserver {
  /** Told of each step when it has happened. */
  readonly onStep: (step: VerificationStep) => void;
  /** Ends the readings under way once nobody waits for them. */
  readonly signal: AbortSignal;
}

/**
 * What is said of a wallet, read from the chain at this moment: its open stake entries of the pool, else what its token
 * accounts hold. The index only says which pool and mint to read, and at which slot at least.
 * @throws {NotIndexedYetError} where the index does not know the chain yet.
 * @throws {ChainUnreadableError} where the chain cannot be read: nothing is said of the wallet then.
 */
export async function verifyWallet(
  walletAddress: string,
  facts: Facts,
  { readers, now }: VerificationOptions,
  observer?: VerificationObserver,
): Promise<Verification> {
  const known = chainOf(facts);
  if (!known) throw new NotIndexedYetError();
  const { source } = known;
  const { decimals, mint, stakePool } = known.identity;
  const terms: ReadingTerms = {
    minSlot: known.chain.slot,
    health: facts.index.endpoints,
    ...(observer ? { signal: observer.signal } : {}),
  };
  const stakeRead = readers.staked.read(walletAddress, stakePool, terms);
  observer?.onStep('asked');
  const stake = await stakeRead;
  observer?.onStep('stake-entries-read');
  if (stake.staked !== null) {
    const amount = toDecimalText(stake.staked, decimals);
    const tier = cardTier(stake.staked, decimals) ?? 'None';
    observer?.onStep('decided');
    return {
      walletAddress,
      isStaking: true,
      stakedAmount: Number(amount),
      stakedAmountText: amount,
      heldAmount: null,
      tier,
      detectionMethod: 'stake_entry',
      ...chainProvenance(source, stake, now()),
    };
  }
  // At the slot of the entries or later: tokens on their way into a stake are not counted before it.
  const tokens = await readers.held.read(walletAddress, mint, { ...terms, minSlot: stake.slot });
  observer?.onStep('token-accounts-read');
  observer?.onStep('decided');
  return {
    walletAddress,
    isStaking: false,
    stakedAmount: 0,
    stakedAmountText: '0',
    heldAmount: toDecimalText(tokens.amount, decimals),
    tier: 'None',
    detectionMethod: 'token_account_analysis',
    ...chainProvenance(source, { slot: stake.slot, readAt: stake.readAt }, now()),
  };
}

/** `GET /api/verify-bd-tokens`: whether a wallet stakes. Public data, so no signature is asked for. */
export function verifyRoute(
  options: VerificationOptions & { readonly facts: () => Facts; readonly limit: RequestHandler },
): ApiRoute {
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
