import type { ResponseOf } from '../../data/contract/call.ts';
import type { VerificationStep, verifyBdTokens } from '../../data/contract/verification.ts';
import { type CardTier, cardTier } from '../../data/model/tiers.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { WalletReader } from '../chain/chain-reads.ts';
import { ApiError } from '../errors.ts';
import { chainProvenance, chainSnapshot, type FigureInputs } from '../metrics/figure.ts';
import type { HeldTokens } from './held-tokens.ts';
import type { StakedTokens } from './staked-tokens.ts';

export interface WalletReaders {
  readonly staked: WalletReader<StakedTokens>;
  readonly held: WalletReader<HeldTokens>;
}

interface VerificationContext {
  readonly walletReaders: WalletReaders;
  readonly figureInputs: () => FigureInputs;
  readonly now: () => number;
}

export interface CardTierContext extends VerificationContext {
  /** For the wallets that the team has whitelisted. */
  readonly store: Pick<AppStore, 'sessions'>;
}

export interface StakeCheckResult extends ReturnType<typeof chainProvenance> {
  /** The tier that the stake alone earns, regardless of any whitelisting. */
  readonly tier: CardTier | 'None';
  /** Staked base units. */
  readonly staked: bigint;
  /** The addresses of the open stake entries. */
  readonly entries: readonly string[];
  /** Unstaked base units; null if the wallet has a stake, because they are not read in that case. */
  readonly held: bigint | null;
  readonly decimals: number;
  readonly detectionMethod: ResponseOf<typeof verifyBdTokens>['detectionMethod'];
}

/**
 * Reads a wallet's current stake from the chain. Used before every gated action, so that a wallet that unstakes loses its
 * rights immediately.
 * @throws {ApiError} `not-indexed-yet` or `chain-unreadable`, both with status 503, if the stake cannot be read
 */
export type CheckStake = (walletAddress: string) => Promise<StakeCheckResult>;

export function createCheckStake(context: VerificationContext): CheckStake {
  return (walletAddress) => checkStake(walletAddress, context.figureInputs(), context);
}

interface CheckStakeOptions {
  readonly onStep: (step: VerificationStep) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a wallet's open stake entries from the chain or, if there are none, its token accounts. Only the stake pool, the
 * mint and the minimum slot come from the index.
 * @throws {ApiError} `not-indexed-yet` if the index does not know the chain yet; `chain-unreadable`
 */
export async function checkStake(
  walletAddress: string,
  inputs: FigureInputs,
  { walletReaders, now }: Pick<VerificationContext, 'walletReaders' | 'now'>,
  options?: CheckStakeOptions,
): Promise<StakeCheckResult> {
  const snapshot = chainSnapshot(inputs);
  if (!snapshot) throw new ApiError('not-indexed-yet');
  const { decimals, mint, stakePool } = snapshot.identity;
  const readOptions = {
    minSlot: snapshot.chain.slot,
    health: inputs.index.endpoints,
    ...(options && { signal: options.signal }),
  };
  const stakeRead = walletReaders.staked.read(walletAddress, stakePool, readOptions);
  options?.onStep('started');
  const stake = await stakeRead;
  options?.onStep('stake-entries-read');
  let tokens: HeldTokens | null = null;
  if (stake.staked === null) {
    // Read at the slot of the entries or later, because an earlier read would miss tokens that were unstaked in
    // between.
    tokens = await walletReaders.held.read(walletAddress, mint, { ...readOptions, minSlot: stake.slot });
    options?.onStep('token-accounts-read');
  }
  options?.onStep('decided');
  const staked = stake.staked ?? 0n;
  return {
    tier: cardTier(staked, decimals) ?? 'None',
    staked,
    entries: stake.entries,
    held: tokens?.amount ?? null,
    decimals,
    detectionMethod: tokens ? 'token_account_analysis' : 'stake_entry',
    ...chainProvenance(snapshot.source, stake, now()),
  };
}
