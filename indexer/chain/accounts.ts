import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { keyBytes } from './wire-transaction.ts';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** The end of the hash input for every program-derived address. */
const MARKER = 'ProgramDerivedAddress';

/**
 * Derives an address that only the staking program can sign for. Bumps are tried from 255 down until the hash is not on the
 * curve, because an address on the curve may have a private key. Source: `find_program_address` of the Solana SDK. web3.js
 * has this function, too, but loading web3.js would take a fifth of the indexer's memory.
 */
function deriveStakingAddress(seeds: readonly (string | Uint8Array)[]): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const address = hash
      .update(Uint8Array.of(bump))
      .update(bs58.decode(STAKING_PROGRAM))
      .update(MARKER)
      .digest();
    if (!isOnCurve(address)) return bs58.encode(address);
  }
  throw new RangeError('no bump seed yields an address off the curve');
}

function isOnCurve(key: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(key);
    return true;
  } catch {
    return false;
  }
}

/** The token account that holds a pool's stakes. Source: `deriveStakeVaultPDA` of @streamflow/staking. */
export function stakeVaultAddress(stakePool: string): string {
  return deriveStakingAddress(['stake-vault', bs58.decode(stakePool)]);
}

/** Whether a text is the base58 of exactly 32 bytes. */
export function isAddress(text: string): boolean {
  return keyBytes(text) !== null;
}

/**
 * The layouts of token accounts and mints, for SPL Token and Token-2022. Source: `spl-token` 4 and `spl-token-2022`,
 * `state.rs`. Token-2022 accounts may have extensions after the common part. In that case, the byte at offset 165 is the
 * account type.
 */

export const MINT_SIZE = 82;
export const TOKEN_ACCOUNT_SIZE = 165;
const ACCOUNT_TYPE_OFFSET = TOKEN_ACCOUNT_SIZE;
const TYPE_MINT = 1;
const TYPE_TOKEN_ACCOUNT = 2;
const MULTISIG_SIZE = 355;

/** The `dataSlice` that contains a token account's owner and amount. */
export const OWNER_AND_AMOUNT = { offset: 32, length: 40 } as const;
/** The offset for a `memcmp` filter by mint. */
export const TOKEN_ACCOUNT_MINT_OFFSET = 0;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
  /** Another wallet that may spend from the account; null if only the owner may. */
  readonly delegate: string | null;
}

interface Mint {
  /** Base units. */
  readonly supply: bigint;
  readonly decimals: number;
}

type AccountBytes = { readonly owner: string; readonly data: Uint8Array };

function hasLayout({ owner, data }: AccountBytes, size: number, type: number): boolean {
  if (data.length === size) return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
  return (
    owner === TOKEN_2022_PROGRAM &&
    data.length > TOKEN_ACCOUNT_SIZE &&
    data.length !== MULTISIG_SIZE &&
    data[ACCOUNT_TYPE_OFFSET] === type
  );
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** Null if the account is not an initialized token account of either program. */
export function decodeTokenAccount(account: AccountBytes): TokenAccount | null {
  const { data } = account;
  if (!hasLayout(account, TOKEN_ACCOUNT_SIZE, TYPE_TOKEN_ACCOUNT) || data[108] === 0) return null;
  return {
    mint: bs58.encode(data.subarray(0, 32)),
    owner: bs58.encode(data.subarray(32, 64)),
    amount: viewOf(data).getBigUint64(64, true),
    delegate: viewOf(data).getUint32(72, true) === 1 ? bs58.encode(data.subarray(76, 108)) : null,
  };
}

/** Null if the slice has the wrong length. */
export function decodeOwnerAndAmount(slice: Uint8Array): Pick<TokenAccount, 'owner' | 'amount'> | null {
  if (slice.length !== OWNER_AND_AMOUNT.length) return null;
  return { owner: bs58.encode(slice.subarray(0, 32)), amount: viewOf(slice).getBigUint64(32, true) };
}

/** Null if the account is not an initialized mint of either program. */
export function decodeMint(account: AccountBytes): Mint | null {
  const { data } = account;
  if (!hasLayout(account, MINT_SIZE, TYPE_MINT) || data[45] !== 1) return null;
  return { supply: viewOf(data).getBigUint64(36, true), decimals: viewOf(data).getUint8(44) };
}
