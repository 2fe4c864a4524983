import type { AccountInfo } from '@solana/web3.js';
import { entryFilters, STAKE_ENTRY, stakeOfEntry } from '../../data/model/stake-layout.ts';
import { groupStakers } from '../../data/model/stakers.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { ChainReads, type ChainReadsOptions, type ReadOptions } from '../chain/chain-reads.ts';

/** The sum of a wallet's open entries of the pool, at a slot and time (Unix ms). */
export interface StakedTokens {
  /** Base units; null when the wallet has no open entry. */
  readonly staked: bigint | null;
  readonly slot: number;
  readonly readAt: number;
}

/** Reads the stakes of wallets from the chain. */
export interface StakedTokensReader {
  /** @throws {ApiError} `chain-unreadable` when no endpoint answers in time, or too many wallets are being read. */
  read(wallet: string, stakePool: string, terms: ReadOptions): Promise<StakedTokens>;
  /** The number of wallets being read. */
  readonly readsInProgress: number;
}

/** @throws {RangeError} unless it is a stake entry of that wallet and pool. */
function stakeIn({ data, owner }: AccountInfo<Buffer>, wallet: string, stakePool: string) {
  const entry = owner.toBase58() === STAKING_PROGRAM ? STAKE_ENTRY.decode(data) : null;
  if (entry?.authority !== wallet || entry.stakePool !== stakePool) {
    throw new RangeError('An endpoint listed an account that does not match the request.');
  }
  return { ...stakeOfEntry(entry), openedBy: null };
}

/** Asks the trusted endpoints for the wallet's entries, and sums them up like the list of stakers. */
export function createStakedTokensReader(
  endpoints: readonly string[],
  { now = Date.now, ...options }: ChainReadsOptions & { readonly now?: () => number } = {},
): StakedTokensReader {
  const reads = new ChainReads(endpoints, options);
  return {
    get readsInProgress() {
      return reads.readsInProgress;
    },
    read: (wallet, stakePool, terms) =>
      reads.read(terms, async ({ connection, web3: { PublicKey } }) => {
        const { context, value } = await connection.getProgramAccounts(new PublicKey(STAKING_PROGRAM), {
          withContext: true,
          minContextSlot: terms.minSlot,
          filters: entryFilters(stakePool, wallet),
        });
        const [staker] = groupStakers(value.map(({ account }) => stakeIn(account, wallet, stakePool)));
        return { staked: staker?.staked ?? null, slot: context.slot, readAt: now() };
      }),
  };
}
