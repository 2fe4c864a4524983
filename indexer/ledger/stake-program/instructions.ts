/** Anchor instruction discriminators, from Streamflow's IDL 2.4.0. */
const DISCRIMINATORS = {
  stake: Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108),
  unstake: Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225),
  closeEntry: Uint8Array.of(132, 26, 202, 145, 190, 37, 114, 67),
} as const;

export type StakeInstruction =
  | { readonly name: 'stake'; readonly nonce: number; readonly amount: bigint; readonly duration: bigint }
  | { readonly name: 'unstake'; readonly closesEntry: boolean }
  | { readonly name: 'closeEntry' };

/** Instruction data of `stake`: nonce u32, amount u64 in base units, duration u64 in seconds. */
export function encodeStake(nonce: number, amount: bigint, duration: bigint): Buffer {
  const bytes = Buffer.alloc(28);
  bytes.set(DISCRIMINATORS.stake);
  bytes.writeUInt32LE(nonce, 8);
  bytes.writeBigUInt64LE(amount, 12);
  bytes.writeBigUInt64LE(duration, 20);
  return bytes;
}

/** Instruction data of `unstake`: an optional flag whether the entry is closed too. */
export function encodeUnstake(closesEntry: boolean): Buffer {
  return Buffer.from([...DISCRIMINATORS.unstake, 1, Number(closesEntry)]);
}

/**
 * Reads instruction data. `unknown` is what this ledger's stand-in does not offer; `broken` a known instruction whose
 * arguments cannot be read. Bytes after the arguments are ignored, as Anchor does.
 */
export function decodeStakeInstruction(data: Uint8Array): StakeInstruction | 'unknown' | 'broken' {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const head = bytes.subarray(0, 8);
  if (head.equals(DISCRIMINATORS.closeEntry)) return { name: 'closeEntry' };
  if (head.equals(DISCRIMINATORS.stake)) {
    if (bytes.length < 28) return 'broken';
    return {
      name: 'stake',
      nonce: bytes.readUInt32LE(8),
      amount: bytes.readBigUInt64LE(12),
      duration: bytes.readBigUInt64LE(20),
    };
  }
  if (head.equals(DISCRIMINATORS.unstake)) {
    const isGiven = bytes[8];
    if (isGiven === 0) return { name: 'unstake', closesEntry: false };
    const flag = bytes[9];
    if (isGiven !== 1 || (flag !== 0 && flag !== 1)) return 'broken';
    return { name: 'unstake', closesEntry: flag === 1 };
  }
  return 'unknown';
}
