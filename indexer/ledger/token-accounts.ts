import { encodeKey } from './base58-cache.ts';
import type { LedgerAccount } from './chain.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

const TOKEN_ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** Token-2022 marks what an account with extensions is, in the byte after the base of a token account. */
const KIND_OFFSET = 165;
const KIND_MINT = 1;
const KIND_TOKEN_ACCOUNT = 2;

export interface TokenAccountState {
  readonly mint: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
}

/** An initialised token account of either token program, or null. Layout: spl-token `Account`. */
export function decodeTokenAccount(account: LedgerAccount): TokenAccountState | null {
  if (!isTokenProgram(account.owner)) return null;
  const { data } = account;
  const isBase = data.length === TOKEN_ACCOUNT_BYTES;
  const isExtended =
    account.owner === TOKEN_2022_PROGRAM &&
    data.length > KIND_OFFSET &&
    data[KIND_OFFSET] === KIND_TOKEN_ACCOUNT;
  if (!isBase && !isExtended) return null;
  // State 0 is "uninitialized"; 1 and 2 are "initialized" and "frozen".
  if (data[108] === 0) return null;
  return {
    mint: encodeKey(data.subarray(0, 32)),
    owner: encodeKey(data.subarray(32, 64)),
    amount: view(data).getBigUint64(64, true),
  };
}

/** Decimals of an initialised mint of either token program, or null. Layout: spl-token `Mint`. */
export function decodeMintDecimals(account: LedgerAccount): number | null {
  if (!isTokenProgram(account.owner)) return null;
  const { data } = account;
  const isBase = data.length === MINT_BYTES;
  const isExtended =
    account.owner === TOKEN_2022_PROGRAM && data.length > KIND_OFFSET && data[KIND_OFFSET] === KIND_MINT;
  if (!isBase && !isExtended) return null;
  return data[45] === 1 ? view(data).getUint8(44) : null;
}

function isTokenProgram(owner: string): boolean {
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
