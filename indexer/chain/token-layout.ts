import bs58 from 'bs58';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';

/**
 * Token accounts and mints of SPL Token and Token-2022. Source: `spl-token` 4 and `spl-token-2022`,
 * `state.rs`. Token-2022 accounts carry extensions behind the common part, with a byte at 165 that says what
 * the account is.
 */

const MINT_SIZE = 82;
export const TOKEN_ACCOUNT_SIZE = 165;
const ACCOUNT_TYPE_OFFSET = TOKEN_ACCOUNT_SIZE;
const TYPE_MINT = 1;
const TYPE_TOKEN_ACCOUNT = 2;

/** The part of a token account that says whose it is and what it holds, for a `dataSlice`. */
export const OWNER_AND_AMOUNT = { offset: 32, length: 40 } as const;
/** Where a token account names its mint, for a `memcmp` filter. */
export const TOKEN_ACCOUNT_MINT_OFFSET = 0;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
}

export interface Mint {
  /** Base units. */
  readonly supply: bigint;
  readonly decimals: number;
}

interface OwnedBytes {
  readonly owner: string;
  readonly data: Uint8Array;
}

function isLaidOutAs({ owner, data }: OwnedBytes, size: number, type: number): boolean {
  if (data.length === size) return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
  return (
    owner === TOKEN_2022_PROGRAM && data.length > TOKEN_ACCOUNT_SIZE && data[ACCOUNT_TYPE_OFFSET] === type
  );
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/**
 * A token account of either token program, or null where the account is something else or not initialized.
 */
export function decodeTokenAccount(account: OwnedBytes): TokenAccount | null {
  const { data } = account;
  if (!isLaidOutAs(account, TOKEN_ACCOUNT_SIZE, TYPE_TOKEN_ACCOUNT) || data[108] === 0) return null;
  return {
    mint: bs58.encode(data.subarray(0, 32)),
    owner: bs58.encode(data.subarray(32, 64)),
    amount: viewOf(data).getBigUint64(64, true),
  };
}

/** The owner and the amount of a token account out of the slice that holds both, or null where it is no such slice. */
export function decodeOwnerAndAmount(slice: Uint8Array): Omit<TokenAccount, 'mint'> | null {
  if (slice.length !== OWNER_AND_AMOUNT.length) return null;
  return { owner: bs58.encode(slice.subarray(0, 32)), amount: viewOf(slice).getBigUint64(32, true) };
}

/** A mint of either token program, or null where the account is something else or not initialized. */
export function decodeMint(account: OwnedBytes): Mint | null {
  const { data } = account;
  if (!isLaidOutAs(account, MINT_SIZE, TYPE_MINT) || data[45] !== 1) return null;
  return { supply: viewOf(data).getBigUint64(36, true), decimals: viewOf(data).getUint8(44) };
}
