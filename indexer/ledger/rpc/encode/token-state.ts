/**
 * Reads the accounts of the two token programs.
 *
 * Layouts: `spl-token` `src/state.rs` (Mint 82 bytes, Account 165, Multisig 355); with extensions (`spl-token-2022`
 * `src/extension/mod.rs`) the base is padded to 165 bytes, byte 165 tells mint (1) from account (2), and type-length-value
 * records follow.
 */
import type { LedgerAccount } from '../../chain.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../programs.ts';
import { ByteReader } from './byte-reader.ts';

export interface TokenAccountState {
  readonly mint: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly isFrozen: boolean;
  /** Lamports kept for rent in a wrapped-SOL account; null in any other. */
  readonly nativeReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: string | null;
}

export interface MintState {
  readonly mintAuthority: string | null;
  /** Base units. */
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: string | null;
}

export interface MultisigState {
  readonly requiredSigners: number;
  readonly signers: readonly string[];
}

const MINT_LENGTH = 82;
const ACCOUNT_LENGTH = 165;
const MULTISIG_LENGTH = 355;
const MULTISIG_PLACES = 11;
const KIND_OFFSET = 165;
const MINT_KIND = 1;
const ACCOUNT_KIND = 2;
const STATE_OFFSET = 108;
const MINT_INITIALIZED_OFFSET = 45;

export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

function hasLayout({ owner, data }: LedgerAccount, baseLength: number, kind: number): boolean {
  if (!isTokenProgram(owner)) return false;
  if (data.length === baseLength) return true;
  return (
    owner === TOKEN_2022_PROGRAM &&
    data.length > KIND_OFFSET &&
    data.length !== MULTISIG_LENGTH &&
    data[KIND_OFFSET] === kind
  );
}

function optional<T>(reader: ByteReader, read: () => T): T | null {
  const isSome = reader.u32() === 1;
  const value = read();
  return isSome ? value : null;
}

/** The token account in an account, or null where it holds none (or one not initialized). */
export function readTokenAccount(account: LedgerAccount): TokenAccountState | null {
  if (!hasLayout(account, ACCOUNT_LENGTH, ACCOUNT_KIND) || account.data[STATE_OFFSET] === 0) return null;
  const reader = new ByteReader(account.data);
  return {
    mint: reader.address(),
    owner: reader.address(),
    amount: reader.u64(),
    delegate: optional(reader, () => reader.address()),
    isFrozen: reader.u8() === 2,
    nativeReserve: optional(reader, () => reader.u64()),
    delegatedAmount: reader.u64(),
    closeAuthority: optional(reader, () => reader.address()),
  };
}

/** The mint in an account, or null where it holds none (or one not initialized). */
export function readMint(account: LedgerAccount): MintState | null {
  if (!hasLayout(account, MINT_LENGTH, MINT_KIND) || account.data[MINT_INITIALIZED_OFFSET] !== 1) return null;
  const reader = new ByteReader(account.data);
  const mintAuthority = optional(reader, () => reader.address());
  const supply = reader.u64();
  const decimals = reader.u8();
  reader.u8();
  return {
    mintAuthority,
    supply,
    decimals,
    freezeAuthority: optional(reader, () => reader.address()),
  };
}

/** The multisig in an account, or null where it holds none (or one not initialized). */
export function readMultisig({ owner, data }: LedgerAccount): MultisigState | null {
  if (!isTokenProgram(owner) || data.length !== MULTISIG_LENGTH) return null;
  const reader = new ByteReader(data);
  const requiredSigners = reader.u8();
  const count = reader.u8();
  if (reader.u8() !== 1 || count > MULTISIG_PLACES) return null;
  return { requiredSigners, signers: Array.from({ length: count }, () => reader.address()) };
}

/** The extension records of an account, in order: type number and value. None where the account has only its base. */
export function readExtensions(
  data: Uint8Array,
): readonly { readonly type: number; readonly value: Uint8Array }[] {
  const records: { type: number; value: Uint8Array }[] = [];
  if (data.length <= KIND_OFFSET + 1) return records;
  const reader = new ByteReader(data, KIND_OFFSET + 1);
  while (reader.remaining >= 4) {
    const type = reader.u16();
    const length = reader.u16();
    if (type === 0 || length > reader.remaining) break;
    records.push({ type, value: reader.take(length) });
  }
  return records;
}
