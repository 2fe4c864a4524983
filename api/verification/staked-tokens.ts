import type { AccountInfo } from '@solana/web3.js';
import { entryFilters, STAKE_ENTRY, stakeOfEntry } from '../../data/model/stake-layout.ts';
import { groupStakers } from '../../data/model/stakers.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { createWalletReader, type WalletRead, type WalletReader } from '../chain/chain-reads.ts';

/** The sum of a wallet's open stake entries. */
export interface StakedTokens extends WalletRead {
  /** Base units; null if the wallet has no open entry. */
  readonly staked: bigint | null;
  /** The addresses of the open entries. */
  readonly entries: readonly string[];
}

/** @throws {RangeError} unless the account is this wallet's stake entry in this pool */
function decodeStake({ data, owner }: AccountInfo<Buffer>, wallet: string, stakePool: string) {
  const entry = owner.toBase58() === STAKING_PROGRAM ? STAKE_ENTRY.decode(data) : null;
  if (entry?.authority !== wallet || entry.stakePool !== stakePool) {
    throw new RangeError('An endpoint listed an account that does not match the request.');
  }
  return { ...stakeOfEntry(entry), openedBy: null };
}

export function createStakedTokensReader(
  endpoints: readonly string[],
  options: Parameters<typeof createWalletReader>[1] = {},
): WalletReader<StakedTokens> {
  return createWalletReader(endpoints, options, async ({ connection, web3 }, wallet, stakePool, minSlot) => {
    const { context, value } = await connection.getProgramAccounts(new web3.PublicKey(STAKING_PROGRAM), {
      withContext: true,
      minContextSlot: minSlot,
      filters: entryFilters(stakePool, wallet),
    });
    const stakes = value.map(({ account, pubkey }) => ({
      ...decodeStake(account, wallet, stakePool),
      address: pubkey.toBase58(),
    }));
    const [staker] = groupStakers(stakes);
    const entries = stakes.filter(({ closedAt }) => closedAt === null).map(({ address }) => address);
    return { staked: staker?.staked ?? null, entries, slot: context.slot };
  });
}
