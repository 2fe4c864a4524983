import bs58 from 'bs58';

/**
 * Accounts of Streamflow's staking program, byte by byte. Source: the IDL that @streamflow/staking 12.1.1
 * ships (`stake_pool.json`), against which the test beside this file holds every member. Integers are
 * little-endian.
 */

export const STAKE_ENTRY_SIZE = 220;
export const STAKE_POOL_SIZE = 291;

/** First eight bytes of each account: SHA-256 of `account:<name>`, as Anchor defines them. */
export const STAKE_ENTRY_DISCRIMINATOR: Uint8Array = Uint8Array.of(187, 127, 9, 35, 155, 68, 86, 40);
export const STAKE_POOL_DISCRIMINATOR: Uint8Array = Uint8Array.of(121, 34, 206, 21, 79, 127, 255, 28);

/** Where an entry names its pool and its wallet, for `memcmp` filters. */
export const STAKE_ENTRY_POOL_OFFSET = 12;
export const STAKE_ENTRY_AUTHORITY_OFFSET = 76;

export interface StakeEntry {
  readonly nonce: number;
  readonly stakePool: string;
  readonly payer: string;
  readonly authority: string;
  /** Base units. */
  readonly amount: bigint;
  /** Seconds. */
  readonly duration: bigint;
  /** Base units × weight, where 10⁹ stands for a weight of one. */
  readonly effectiveAmount: bigint;
  /** Unix seconds. */
  readonly createdAt: bigint;
  /** Unix seconds; 0 while the entry is open. */
  readonly closedAt: bigint;
}

export interface StakePool {
  readonly nonce: number;
  readonly mint: string;
  readonly creator: string;
  /** The token account that holds what is staked. */
  readonly vault: string;
  readonly stakeMint: string;
  /** Base units. */
  readonly totalStake: bigint;
}

function hasDiscriminator(data: Uint8Array, discriminator: Uint8Array): boolean {
  return discriminator.every((byte, index) => data[index] === byte);
}

function key(data: Uint8Array, offset: number): string {
  return bs58.encode(data.subarray(offset, offset + 32));
}

function u128(view: DataView, offset: number): bigint {
  return view.getBigUint64(offset, true) + (view.getBigUint64(offset + 8, true) << 64n);
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** A stake entry, or null where the bytes are not one. */
export function decodeStakeEntry(data: Uint8Array): StakeEntry | null {
  if (data.length !== STAKE_ENTRY_SIZE || !hasDiscriminator(data, STAKE_ENTRY_DISCRIMINATOR)) return null;
  const view = viewOf(data);
  return {
    nonce: view.getUint32(8, true),
    stakePool: key(data, STAKE_ENTRY_POOL_OFFSET),
    payer: key(data, 44),
    authority: key(data, STAKE_ENTRY_AUTHORITY_OFFSET),
    amount: view.getBigUint64(108, true),
    duration: view.getBigUint64(116, true),
    effectiveAmount: u128(view, 124),
    createdAt: view.getBigUint64(140, true),
    closedAt: view.getBigUint64(148, true),
  };
}

/** Unix milliseconds; a lock beyond what a number holds exactly ends there (in the year 287396). */
function milliseconds(seconds: bigint): number {
  const value = seconds * 1_000n;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** What an entry says of its wallet's stake: base units, and times in Unix milliseconds. */
export function stakeOfEntry(entry: StakeEntry) {
  return {
    wallet: entry.authority,
    nonce: entry.nonce,
    amount: entry.amount,
    effectiveAmount: entry.effectiveAmount,
    createdAt: milliseconds(entry.createdAt),
    unlocksAt: milliseconds(entry.createdAt + entry.duration),
    /** Null while the entry is open. */
    closedAt: entry.closedAt === 0n ? null : milliseconds(entry.closedAt),
  };
}

/** A stake pool, or null where the bytes are not one. */
export function decodeStakePool(data: Uint8Array): StakePool | null {
  if (data.length !== STAKE_POOL_SIZE || !hasDiscriminator(data, STAKE_POOL_DISCRIMINATOR)) return null;
  const view = viewOf(data);
  return {
    nonce: view.getUint8(9),
    mint: key(data, 10),
    creator: key(data, 42),
    vault: key(data, 139),
    stakeMint: key(data, 171),
    totalStake: view.getBigUint64(203, true),
  };
}
