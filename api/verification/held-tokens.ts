import type { AccountInfo } from '@solana/web3.js';
import bs58 from 'bs58';
import { createWalletReader, type WalletRead, type WalletReader } from '../chain/chain-reads.ts';

/** The sum of a wallet's token accounts for one mint. */
export interface HeldTokens extends WalletRead {
  /** Base units. */
  readonly amount: bigint;
}

/** Token accounts of SPL Token and Token-2022 start with mint, owner and amount (source: `spl-token` 4, `state.rs`). */
export const TOKEN_ACCOUNT_SIZE = 165;
const OWNER_OFFSET = 32;
export const AMOUNT_OFFSET = 64;

/** @throws {RangeError} if the account is not a token account for this wallet and mint */
function decodeAmount({ data }: AccountInfo<Buffer>, wallet: string, mint: string): bigint {
  const isExpected =
    data.length >= TOKEN_ACCOUNT_SIZE &&
    bs58.encode(data.subarray(0, OWNER_OFFSET)) === mint &&
    bs58.encode(data.subarray(OWNER_OFFSET, AMOUNT_OFFSET)) === wallet;
  if (!isExpected) throw new RangeError('An endpoint listed an account that does not match the request.');
  return data.readBigUInt64LE(AMOUNT_OFFSET);
}

export function createHeldTokensReader(
  endpoints: readonly string[],
  options: Parameters<typeof createWalletReader>[1] = {},
): WalletReader<HeldTokens> {
  return createWalletReader(endpoints, options, async ({ connection, web3 }, wallet, mint, minSlot) => {
    // A filter by mint finds the accounts of either token program.
    const { context, value } = await connection.getTokenAccountsByOwner(
      new web3.PublicKey(wallet),
      { mint: new web3.PublicKey(mint) },
      { minContextSlot: minSlot },
    );
    const amount = value.reduce((sum, { account }) => sum + decodeAmount(account, wallet, mint), 0n);
    return { amount, slot: context.slot };
  });
}
