import type { AccountInfo } from '@solana/web3.js';
import bs58 from 'bs58';
import { ChainReads, type ReadingTerms, type ReadsOptions } from '../chain/chain-reads.ts';

/** What a wallet's token accounts of the mint hold together, in base units, at a slot and moment (Unix ms). */
export interface HeldTokens {
  readonly amount: bigint;
  readonly slot: number;
  readonly readAt: number;
}

/** Reads what wallets hold, straight from the chain. */
export interface HeldTokensReader {
  /** @throws {ChainUnreadableError} where no endpoint told it in time, or too many wallets are being read already. */
  read(wallet: string, mint: string, terms: ReadingTerms): Promise<HeldTokens>;
  /** Wallets being read. */
  readonly underWay: number;
}

/** Token accounts of SPL Token and Token-2022 begin alike: mint, owner, amount (source: `spl-token` 4, `state.rs`). */
const TOKEN_ACCOUNT_SIZE = 165;
const OWNER_OFFSET = 32;
const AMOUNT_OFFSET = 64;

/** @throws {RangeError} where the account is no token account of that wallet and mint. */
function amountOf({ data }: AccountInfo<Buffer>, wallet: string, mint: string): bigint {
  const isOurs =
    data.length >= TOKEN_ACCOUNT_SIZE &&
    bs58.encode(data.subarray(0, OWNER_OFFSET)) === mint &&
    bs58.encode(data.subarray(OWNER_OFFSET, AMOUNT_OFFSET)) === wallet;
  if (!isOurs) throw new RangeError('An endpoint listed an account that is not what was asked for.');
  return data.readBigUInt64LE(AMOUNT_OFFSET);
}

/** Asks the endpoints that are believed, each for its share of the time, and takes the first answer. */
export function createHeldTokensReader(
  endpoints: readonly string[],
  { now = Date.now, ...options }: ReadsOptions & { readonly now?: () => number } = {},
): HeldTokensReader {
  const reads = new ChainReads(endpoints, options);
  return {
    get underWay() {
      return reads.underWay;
    },
    read: (wallet, mint, terms) =>
      reads.read(terms, async ({ connection, web3: { PublicKey } }) => {
        // By mint a node finds the accounts of whichever token program the mint belongs to.
        const { context, value } = await connection.getTokenAccountsByOwner(
          new PublicKey(wallet),
          { mint: new PublicKey(mint) },
          { minContextSlot: terms.minSlot },
        );
        const amount = value.reduce((sum, { account }) => sum + amountOf(account, wallet, mint), 0n);
        return { amount, slot: context.slot, readAt: now() };
      }),
  };
}
