import type { DemoKey } from './demo-key.ts';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Set in the first byte of a message that names its version; a legacy message begins with its header. */
const VERSION_FLAG = 0x80;
const HEADER_BYTES = 3;

/** Bytes that are no transaction, or none that this key has to sign. */
export class UnsignableTransactionError extends Error {
  override readonly name = 'UnsignableTransactionError';
}

/** A length in Solana's compact-u16, and how many bytes it takes. */
function compactLength(bytes: Uint8Array, offset: number): readonly [length: number, size: number] {
  let length = 0;
  for (let size = 0; size < 3; size += 1) {
    const byte = bytes[offset + size];
    if (byte === undefined) break;
    length |= (byte & 0x7f) << (size * 7);
    if (byte < 0x80) return [length, size + 1];
  }
  throw new UnsignableTransactionError('The transaction ends too early.');
}

/** Where the key stands among those that have to sign a message; -1 where it does not. */
function signerIndex(message: Uint8Array, required: number, key: Uint8Array): number {
  const header = (message[0] ?? 0) & VERSION_FLAG ? 1 : 0;
  if (message[header] !== required) {
    throw new UnsignableTransactionError('The transaction has another number of signatures than it needs.');
  }
  const [, size] = compactLength(message, header + HEADER_BYTES);
  const keys = header + HEADER_BYTES + size;
  return Array.from({ length: required }, (_, index) => keys + index * KEY_BYTES).findIndex((start) =>
    key.every((byte, index) => message[start + index] === byte),
  );
}

/**
 * A serialized transaction, legacy or of version 0, with the key's signature in its place.
 * @throws {UnsignableTransactionError}
 */
export async function signWire(wire: Uint8Array, key: DemoKey): Promise<Uint8Array> {
  const [signatures, size] = compactLength(wire, 0);
  const message = wire.subarray(size + signatures * SIGNATURE_BYTES);
  const index = signerIndex(message, signatures, key.publicKey);
  if (index < 0)
    throw new UnsignableTransactionError('The transaction does not ask for this wallet’s signature.');
  const signed = new Uint8Array(wire);
  signed.set(await key.sign(message), size + index * SIGNATURE_BYTES);
  return signed;
}
