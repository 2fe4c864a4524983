import type { ResponseOf } from '../../data/contract/call.ts';
import type { VerificationStep } from '../../data/contract/verification.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { cardTier } from '../../data/model/tiers.ts';
import type { ReadOptions } from '../chain/chain-reads.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { chainOf, chainProvenance, type FigureInputs } from '../metrics/figure.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import type { HeldTokensReader } from './held-tokens.ts';
import type { StakedTokensReader } from './staked-tokens.ts';

type Verification = ResponseOf<typeof verifyBdTokens>;

/** The readers of a wallet on the chain. */
export interface WalletReaders {
  readonly staked: StakedTokensReader;
  readonly held: HeldTokensReader;
}

export interface VerificationContext {
  readonly walletReaders: WalletReaders;
  readonly facts: () => FigureInputs;
  readonly now: () => number;
}

/** The observer of one verification. */
interface VerificationObserver {
  /** Called after each step. */
  readonly onStep: (step: VerificationStep) => void;
  /** Aborts the reads. */
  readonly signal: AbortSignal;
}

/**
 * Verifies a wallet on the chain: its open stake entries of the pool, or its token accounts if it has none. The index only
 * provides the pool, the mint and the minimum slot.
 * @throws {ApiError} `not-indexed-yet` when the index does not know the chain yet; `chain-unreadable` when it cannot be read.
 */
export async function verifyWallet(
  walletAddress: string,
  facts: FigureInputs,
  { walletReaders, now }: Pick<VerificationContext, 'walletReaders' | 'now'>,
  observer?: VerificationObserver,
): Promise<Verification> {
  const known = chainOf(facts);
  if (!known) throw new ApiError('not-indexed-yet');
  const { source } = known;
  const { decimals, mint, stakePool } = known.identity;
  const terms: ReadOptions = {
    minSlot: known.chain.slot,
    health: facts.index.endpoints,
    ...(observer ? { signal: observer.signal } : {}),
  };
  const stakeRead = walletReaders.staked.read(walletAddress, stakePool, terms);
  observer?.onStep('started');
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
  // At the slot of the entries or later, so that tokens are not counted just before they are staked.
  const tokens = await walletReaders.held.read(walletAddress, mint, { ...terms, minSlot: stake.slot });
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

/** `GET /api/verify-bd-tokens`: whether a wallet stakes. The data is public, so no signature is needed. */
export function verifyRoute(context: VerificationContext): ApiRoute {
  return {
    method: verifyBdTokens.method,
    path: verifyBdTokens.path,
    limit: 'verifications',
    handle: async (request, response) => {
      const { walletAddress } = readQuery(verifyBdTokens.query, request.query);
      checkAddress(walletAddress);
      response.json(await verifyWallet(walletAddress, context.facts(), context));
    },
  };
}
