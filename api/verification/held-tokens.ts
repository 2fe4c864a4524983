import type { AccountInfo } from '@solana/web3.js';
import bs58 from 'bs58';
import { ChainReads, type ChainReadsOptions, type ReadOptions } from '../chain/chain-reads.ts';

/** The sum of a wallet's token accounts of the mint in base units, at a slot and time (Unix ms). */
export interface HeldTokens {
  readonly amount: bigint;
  readonly slot: number;
  readonly readAt: number;
}

/** Reads the tokens of wallets from the chain. */
export interface HeldTokensReader {
  /** @throws {ApiError} `chain-unreadable` when no endpoint answers in time, or too many wallets are being read. */
  read(wallet: string, mint: string, terms: ReadOptions): Promise<HeldTokens>;
  /** The number of wallets being read. */
  readonly readsInProgress: number;
}

/** Token accounts of SPL Token and Token-2022 start with mint, owner and amount (source: `spl-token` 4, `state.rs`). */
const TOKEN_ACCOUNT_SIZE = 165;
const OWNER_OFFSET = 32;
const AMOUNT_OFFSET = 64;

/** @throws {RangeError} unless it is a token account of that wallet and mint. */
function amountOf({ data }: AccountInfo<Buffer>, wallet: string, mint: string): bigint {
  const isOurs =
    data.length >= TOKEN_ACCOUNT_SIZE &&
    bs58.encode(data.subarray(0, OWNER_OFFSET)) === mint &&
    bs58.encode(data.subarray(OWNER_OFFSET, AMOUNT_OFFSET)) === wallet;
  if (!isOurs) throw new RangeError('An endpoint listed an account that does not match the request.');
  return data.readBigUInt64LE(AMOUNT_OFFSET);
}

/** Asks the trusted endpoints in turn, each for its share of the time, until one answers. */
export function createHeldTokensReader(
  endpoints: readonly string[],
  { now = Date.now, ...options }: ChainReadsOptions & { readonly now?: () => number } = {},
): HeldTokensReader {
  const reads = new ChainReads(endpoints, options);
  return {
    get readsInProgress() {
      return reads.readsInProgress;
    },
    read: (wallet, mint, terms) =>
      reads.read(terms, async ({ connection, web3: { PublicKey } }) => {
        // A filter by mint finds the accounts of either token program.
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
