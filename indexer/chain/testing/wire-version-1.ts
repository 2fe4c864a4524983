import bs58 from 'bs58';
import type { WireInstruction } from '../wire-transaction.ts';

interface Version1Transaction {
  readonly signatures: readonly Uint8Array[];
  readonly readonlySignedCount: number;
  readonly readonlyUnsignedCount: number;
  /** Each bit that is set adds a value of four bytes to the message. */
  readonly configMask: number;
  readonly keys: readonly string[];
  readonly instructions: readonly WireInstruction[];
}

function littleEndian(value: number, byteCount: number): Buffer {
  const written = Buffer.alloc(byteCount);
  written.writeUIntLE(value, 0, byteCount);
  return written;
}

/** A transaction of version 1 in wire format (SIMD-0385), which @solana/web3.js reads but cannot write. */
export function wireVersion1(transaction: Version1Transaction): Buffer {
  const { signatures, readonlySignedCount, readonlyUnsignedCount, configMask, keys, instructions } =
    transaction;
  const settingCount = configMask.toString(2).replaceAll('0', '').length;
  return Buffer.concat([
    Buffer.of(0x81, signatures.length, readonlySignedCount, readonlyUnsignedCount),
    littleEndian(configMask, 4),
    Buffer.alloc(32, 9),
    Buffer.of(instructions.length, keys.length),
    ...keys.map((key) => bs58.decode(key)),
    Buffer.alloc(4 * settingCount),
    ...instructions.flatMap(({ programIndex, accounts, data }) => [
      Buffer.of(programIndex, accounts.length),
      littleEndian(data.length, 2),
    ]),
    ...instructions.flatMap(({ accounts, data }) => [accounts, data]),
    ...signatures,
  ]);
}
