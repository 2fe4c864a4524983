import type { AccountInfo } from '@solana/web3.js';
import bs58 from 'bs58';
import {
  decodeStakeEntry,
  STAKE_ENTRY_AUTHORITY_OFFSET,
  STAKE_ENTRY_DISCRIMINATOR,
  STAKE_ENTRY_POOL_OFFSET,
  STAKE_ENTRY_SIZE,
  stakeOfEntry,
} from '../../data/model/stake-layout.ts';
import { groupStakers } from '../../data/model/stakers.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-program.ts';
import { ChainReads, type ReadingTerms, type ReadsOptions } from '../chain/chain-reads.ts';

/** What a wallet's open entries of the pool hold together, at a slot and moment (Unix ms). */
export interface StakedTokens {
  /** Base units; null where the wallet has no open entry. */
  readonly staked: bigint | null;
  readonly slot: number;
  readonly readAt: number;
}

/** Reads what wallets stake, straight from the chain. */
export interface StakedTokensReader {
  /** @throws {ChainUnreadableError} where no endpoint told it in time, or too many wallets are being read already. */
  read(wallet: string, stakePool: string, terms: ReadingTerms): Promise<StakedTokens>;
  /** Wallets being read. */
  readonly underWay: number;
}

/** @throws {RangeError} where the account is no stake entry of that wallet and pool. */
function stakeIn({ data, owner }: AccountInfo<Buffer>, wallet: string, stakePool: string) {
  const entry = owner.toBase58() === STAKING_PROGRAM ? decodeStakeEntry(data) : null;
  if (entry?.authority !== wallet || entry.stakePool !== stakePool) {
    throw new RangeError('An endpoint listed an account that is not what was asked for.');
  }
  return { ...stakeOfEntry(entry), openedBy: null };
}

/** Asks the endpoints that are believed for the wallet's entries, and counts them as the list of stakers does. */
export function createStakedTokensReader(
  endpoints: readonly string[],
  { now = Date.now, ...options }: ReadsOptions & { readonly now?: () => number } = {},
): StakedTokensReader {
  const reads = new ChainReads(endpoints, options);
  return {
    get underWay() {
      return reads.underWay;
    },
    read: (wallet, stakePool, terms) =>
      reads.read(terms, async ({ connection, web3: { PublicKey } }) => {
        const { context, value } = await connection.getProgramAccounts(new PublicKey(STAKING_PROGRAM), {
          withContext: true,
          minContextSlot: terms.minSlot,
          filters: [
            { dataSize: STAKE_ENTRY_SIZE },
            { memcmp: { offset: 0, bytes: bs58.encode(STAKE_ENTRY_DISCRIMINATOR) } },
            { memcmp: { offset: STAKE_ENTRY_POOL_OFFSET, bytes: stakePool } },
            { memcmp: { offset: STAKE_ENTRY_AUTHORITY_OFFSET, bytes: wallet } },
          ],
        });
        const [staker] = groupStakers(value.map(({ account }) => stakeIn(account, wallet, stakePool)));
        return { staked: staker?.staked ?? null, slot: context.slot, readAt: now() };
      }),
  };
}
