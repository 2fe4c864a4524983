import { encodeKey, keyBytes } from '../base58-cache.ts';

/** Sizes and offsets are those of Streamflow's IDL 2.4.0 (`stake_pool.json` in @streamflow/staking). */
export const STAKE_POOL_BYTES = 291;
export const STAKE_ENTRY_BYTES = 220;

/** Anchor account discriminators, from the IDL. */
const POOL_DISCRIMINATOR = Uint8Array.of(121, 34, 206, 21, 79, 127, 255, 28);
const ENTRY_DISCRIMINATOR = Uint8Array.of(187, 127, 9, 35, 155, 68, 86, 40);

/** Token amounts are base units; weights and effective amounts are scaled by 10⁹; times are unix seconds. */
export interface StakePool {
  readonly bump: number;
  readonly nonce: number;
  readonly mint: string;
  readonly creator: string;
  readonly authority: string;
  readonly minWeight: bigint;
  readonly maxWeight: bigint;
  readonly minDuration: bigint;
  readonly maxDuration: bigint;
  readonly isPermissionless: boolean;
  readonly vault: string;
  readonly stakeMint: string;
  readonly totalStake: bigint;
  readonly totalEffectiveStake: bigint;
  readonly freezesStakeMint: boolean;
  readonly unstakePeriod: bigint;
  readonly isTotalStakeCapped: boolean;
  readonly remainingTotalStake: bigint;
  readonly expiryTime: bigint;
  readonly autoUnstake: boolean;
}

export interface StakeEntry {
  readonly nonce: number;
  readonly stakePool: string;
  readonly payer: string;
  readonly authority: string;
  readonly amount: bigint;
  readonly duration: bigint;
  readonly effectiveAmount: bigint;
  readonly createdTime: bigint;
  /** 0 while the stake is open. */
  readonly closedTime: bigint;
  readonly priorTotalEffectiveStake: bigint;
  readonly unstakeRequestedTime: bigint;
  readonly isSponsored: boolean;
  readonly autoUnstake: boolean;
}

export function encodeStakePool(pool: StakePool): Uint8Array {
  const bytes = Buffer.alloc(STAKE_POOL_BYTES);
  bytes.set(POOL_DISCRIMINATOR);
  bytes.writeUInt8(pool.bump, 8);
  bytes.writeUInt8(pool.nonce, 9);
  bytes.set(keyBytes(pool.mint), 10);
  bytes.set(keyBytes(pool.creator), 42);
  bytes.set(keyBytes(pool.authority), 74);
  bytes.writeBigUInt64LE(pool.minWeight, 106);
  bytes.writeBigUInt64LE(pool.maxWeight, 114);
  bytes.writeBigUInt64LE(pool.minDuration, 122);
  bytes.writeBigUInt64LE(pool.maxDuration, 130);
  bytes.writeUInt8(Number(pool.isPermissionless), 138);
  bytes.set(keyBytes(pool.vault), 139);
  bytes.set(keyBytes(pool.stakeMint), 171);
  bytes.writeBigUInt64LE(pool.totalStake, 203);
  writeU128(bytes, pool.totalEffectiveStake, 211);
  bytes.writeUInt8(Number(pool.freezesStakeMint), 227);
  bytes.writeBigUInt64LE(pool.unstakePeriod, 228);
  bytes.writeUInt8(Number(pool.isTotalStakeCapped), 236);
  bytes.writeBigUInt64LE(pool.remainingTotalStake, 237);
  bytes.writeBigUInt64LE(pool.expiryTime, 245);
  bytes.writeUInt8(Number(pool.autoUnstake), 253);
  return bytes;
}

/** Reads a stake pool, or null where the bytes are not one. */
export function decodeStakePool(data: Uint8Array): StakePool | null {
  if (data.length !== STAKE_POOL_BYTES || !startsWith(data, POOL_DISCRIMINATOR)) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    bump: bytes.readUInt8(8),
    nonce: bytes.readUInt8(9),
    mint: readKey(bytes, 10),
    creator: readKey(bytes, 42),
    authority: readKey(bytes, 74),
    minWeight: bytes.readBigUInt64LE(106),
    maxWeight: bytes.readBigUInt64LE(114),
    minDuration: bytes.readBigUInt64LE(122),
    maxDuration: bytes.readBigUInt64LE(130),
    isPermissionless: bytes.readUInt8(138) === 1,
    vault: readKey(bytes, 139),
    stakeMint: readKey(bytes, 171),
    totalStake: bytes.readBigUInt64LE(203),
    totalEffectiveStake: readU128(bytes, 211),
    freezesStakeMint: bytes.readUInt8(227) === 1,
    unstakePeriod: bytes.readBigUInt64LE(228),
    isTotalStakeCapped: bytes.readUInt8(236) === 1,
    remainingTotalStake: bytes.readBigUInt64LE(237),
    expiryTime: bytes.readBigUInt64LE(245),
    autoUnstake: bytes.readUInt8(253) === 1,
  };
}

export function encodeStakeEntry(entry: StakeEntry): Uint8Array {
  const bytes = Buffer.alloc(STAKE_ENTRY_BYTES);
  bytes.set(ENTRY_DISCRIMINATOR);
  bytes.writeUInt32LE(entry.nonce, 8);
  bytes.set(keyBytes(entry.stakePool), 12);
  bytes.set(keyBytes(entry.payer), 44);
  bytes.set(keyBytes(entry.authority), 76);
  bytes.writeBigUInt64LE(entry.amount, 108);
  bytes.writeBigUInt64LE(entry.duration, 116);
  writeU128(bytes, entry.effectiveAmount, 124);
  bytes.writeBigUInt64LE(entry.createdTime, 140);
  bytes.writeBigUInt64LE(entry.closedTime, 148);
  writeU128(bytes, entry.priorTotalEffectiveStake, 156);
  bytes.writeBigUInt64LE(entry.unstakeRequestedTime, 172);
  bytes.writeUInt8(Number(entry.isSponsored), 180);
  bytes.writeUInt8(Number(entry.autoUnstake), 181);
  return bytes;
}

/** Reads a stake entry, or null where the bytes are not one. */
export function decodeStakeEntry(data: Uint8Array): StakeEntry | null {
  if (data.length !== STAKE_ENTRY_BYTES || !startsWith(data, ENTRY_DISCRIMINATOR)) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    nonce: bytes.readUInt32LE(8),
    stakePool: readKey(bytes, 12),
    payer: readKey(bytes, 44),
    authority: readKey(bytes, 76),
    amount: bytes.readBigUInt64LE(108),
    duration: bytes.readBigUInt64LE(116),
    effectiveAmount: readU128(bytes, 124),
    createdTime: bytes.readBigUInt64LE(140),
    closedTime: bytes.readBigUInt64LE(148),
    priorTotalEffectiveStake: readU128(bytes, 156),
    unstakeRequestedTime: bytes.readBigUInt64LE(172),
    isSponsored: bytes.readUInt8(180) === 1,
    autoUnstake: bytes.readUInt8(181) === 1,
  };
}

function startsWith(data: Uint8Array, discriminator: Uint8Array): boolean {
  return discriminator.every((byte, index) => data[index] === byte);
}

function readKey(bytes: Buffer, offset: number): string {
  return encodeKey(bytes.subarray(offset, offset + 32));
}

function readU128(bytes: Buffer, offset: number): bigint {
  return bytes.readBigUInt64LE(offset) + (bytes.readBigUInt64LE(offset + 8) << 64n);
}

function writeU128(bytes: Buffer, value: bigint, offset: number): void {
  bytes.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, offset);
  bytes.writeBigUInt64LE(value >> 64n, offset + 8);
}
