import bs58 from 'bs58';
import { ShapeError } from '../rpc/json-shape.ts';
import { encodeBase58 } from './base58.ts';

/**
 * A transaction's accounts: those in the message, then those loaded from lookup tables, writable before read-only.
 * Instructions and balances refer to an account by its index in this list.
 */
export interface AccountKeys {
  readonly count: number;
  /** -1 if the transaction does not contain the address. */
  indexOf(address: string): number;
  /** @throws {ShapeError} if there is no such index */
  addressAt(index: number): string;
}

/** @throws {ShapeError} if an address is listed twice, which is not possible on the chain */
export function keysFromText(addresses: readonly string[]): AccountKeys {
  if (new Set(addresses).size !== addresses.length) throw new ShapeError('an account is listed twice');
  return {
    count: addresses.length,
    indexOf: (address) => addresses.indexOf(address),
    addressAt: (index) => addresses[index] ?? fail(`there is no account ${index}`),
  };
}

export const KEY_BYTES = 32;

/**
 * The keys of a message. They stay bytes, because encoding one key costs more than reading the whole message, and few are
 * needed as text.
 *
 * @param staticKeys the keys of the message, concatenated
 * @param loaded addresses from lookup tables
 * @throws {ShapeError} if a loaded address is malformed, or an account is listed twice
 */
export function keysFromBytes(staticKeys: Buffer, loaded: readonly string[]): AccountKeys {
  const staticCount = staticKeys.length / KEY_BYTES;
  const loadedKeys = loaded.map((address) => keyBytes(address) ?? fail('a loaded address is malformed'));
  if (hasDuplicateKey(loadedKeys.length === 0 ? staticKeys : Buffer.concat([staticKeys, ...loadedKeys]))) {
    throw new ShapeError('an account is listed twice');
  }
  return {
    count: staticCount + loaded.length,
    indexOf(address) {
      const key = cachedKey(address);
      const index = key === null ? -1 : indexOfKey(staticKeys, key);
      if (index !== -1) return index;
      const loadedIndex = loaded.indexOf(address);
      return loadedIndex === -1 ? -1 : staticCount + loadedIndex;
    },
    addressAt(index) {
      if (index >= staticCount) return loaded[index - staticCount] ?? fail(`there is no account ${index}`);
      return encodeBase58(staticKeys.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES));
    },
  };
}

function fail(reason: string): never {
  throw new ShapeError(reason);
}

/** Null if the address is not the base58 of 32 bytes. */
export function keyBytes(address: string): Uint8Array | null {
  // 32 bytes have at most 44 digits. Decoding longer texts would waste time.
  const bytes = address.length > 44 ? undefined : bs58.decodeUnsafe(address);
  return bytes?.length === KEY_BYTES ? bytes : null;
}

function indexOfKey(keys: Buffer, key: Uint8Array): number {
  let at = keys.indexOf(key);
  // The bytes can also match across two adjacent keys. Such a match does not count.
  while (at !== -1 && at % KEY_BYTES !== 0) at = keys.indexOf(key, at + 1);
  return at === -1 ? -1 : at / KEY_BYTES;
}

/** Whether a key occurs twice. The first four bytes of two keys nearly always differ, so those bytes are compared first. */
function hasDuplicateKey(keys: Buffer): boolean {
  const end = keys.length;
  for (let left = 0; left < end; left += KEY_BYTES) {
    const head = keys.readInt32LE(left);
    for (let right = left + KEY_BYTES; right < end; right += KEY_BYTES) {
      if (head !== keys.readInt32LE(right)) continue;
      if (keys.compare(keys, right, right + KEY_BYTES, left, left + KEY_BYTES) === 0) return true;
    }
  }
  return false;
}

/** Decoded keys, by address. Cached, because every transaction is searched for the same few programs and watched accounts. */
const keyCache = new Map<string, Uint8Array | null>();
const MAX_CACHED_KEYS = 64;

function cachedKey(address: string): Uint8Array | null {
  const cached = keyCache.get(address);
  if (cached !== undefined) return cached;
  if (keyCache.size >= MAX_CACHED_KEYS) keyCache.clear();
  const key = keyBytes(address);
  keyCache.set(address, key);
  return key;
}

/** An instruction, with its program and accounts as indexes into the transaction's accounts. */
export interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

/** A signed transaction. Its bytes are views into the input. */
interface WireTransaction {
  /** The first signature, which identifies the transaction: 64 bytes. */
  readonly signature: Uint8Array;
  /** The keys of the message, 32 bytes each. */
  readonly keys: Buffer;
  readonly instructions: readonly WireInstruction[];
  /** The number of accounts from lookup tables. */
  readonly loadedWritableCount: number;
  readonly loadedReadonlyCount: number;
}

const SIGNATURE_BYTES = 64;
const HEADER_BYTES = 3;
const BLOCKHASH_BYTES = 32;
/** An account index is one byte. */
const MAX_ACCOUNTS = 256;
const VERSION_FLAG = 0x80;
/**
 * The first byte of version 1. Older versions begin with the number of signatures, where this byte would mean 129 or
 * more, too many for a transaction.
 */
const VERSION_1 = 0x81;
const CONFIG_BYTES = 4;

/**
 * Reads a transaction in wire format: legacy, version 0 or version 1. Source: `short_vec.rs`, `message/legacy.rs` and
 * `message/versions` of the Solana SDK, and SIMD-0385 for version 1. Like a validator, it rejects ambiguous encodings and
 * leftover bytes.
 *
 * @throws {ShapeError} if the bytes are not a transaction in one of these formats
 */
export function readWireTransaction(bytes: Buffer): WireTransaction {
  const reader = new WireReader(bytes);
  const transaction = reader.peek() === VERSION_1 ? readVersion1(reader) : readLegacyOrVersion0(reader);
  if (!reader.isAtEnd) throw new ShapeError('bytes follow the transaction');
  const { keys, instructions, loadedWritableCount, loadedReadonlyCount } = transaction;
  const keyCount = keys.length / KEY_BYTES;
  checkInstructions(instructions, keyCount, keyCount + loadedWritableCount + loadedReadonlyCount);
  return transaction;
}

/** The signatures come first. */
function readLegacyOrVersion0(reader: WireReader): WireTransaction {
  const signatureCount = reader.readLength();
  const signatures = reader.take(signatureCount * SIGNATURE_BYTES);
  const isVersioned = (reader.peek() & VERSION_FLAG) !== 0;
  if (isVersioned && reader.readByte() !== VERSION_FLAG)
    throw new ShapeError('the version is neither 0 nor 1');
  const header = reader.take(HEADER_BYTES);
  const keyCount = reader.readLength();
  const keys = reader.take(keyCount * KEY_BYTES);
  if (countSigners(header, keyCount) !== signatureCount) {
    throw new ShapeError('the header does not match the signatures');
  }
  reader.take(BLOCKHASH_BYTES);
  const instructions: WireInstruction[] = [];
  for (let left = reader.readLength(); left > 0; left -= 1) {
    const programIndex = reader.readByte();
    const accounts = reader.take(reader.readLength());
    instructions.push({ programIndex, accounts, data: reader.take(reader.readLength()) });
  }
  let loadedWritableCount = 0;
  let loadedReadonlyCount = 0;
  for (let tables = isVersioned ? reader.readLength() : 0; tables > 0; tables -= 1) {
    reader.take(KEY_BYTES);
    loadedWritableCount += reader.take(reader.readLength()).length;
    loadedReadonlyCount += reader.take(reader.readLength()).length;
  }
  return {
    signature: signatures.subarray(0, SIGNATURE_BYTES),
    keys,
    instructions,
    loadedWritableCount,
    loadedReadonlyCount,
  };
}

/** The signatures come last, without a count; lengths are plain integers, and there are no lookup tables. */
function readVersion1(reader: WireReader): WireTransaction {
  reader.readByte();
  const header = reader.take(HEADER_BYTES);
  const mask = reader.take(CONFIG_BYTES).readUInt32LE();
  reader.take(BLOCKHASH_BYTES);
  const instructionCount = reader.readByte();
  const keyCount = reader.readByte();
  const keys = reader.take(keyCount * KEY_BYTES);
  const signers = countSigners(header, keyCount);
  // Each bit that is set adds four bytes, even if the bit has no meaning yet.
  for (let bits = mask; bits !== 0; bits &= bits - 1) reader.take(CONFIG_BYTES);
  const headers = Array.from({ length: instructionCount }, () => ({
    programIndex: reader.readByte(),
    accountCount: reader.readByte(),
    dataLength: reader.take(2).readUInt16LE(),
  }));
  const instructions = headers.map(({ programIndex, accountCount, dataLength }) => ({
    programIndex,
    accounts: reader.take(accountCount),
    data: reader.take(dataLength),
  }));
  const signatures = reader.take(signers * SIGNATURE_BYTES);
  return {
    signature: signatures.subarray(0, SIGNATURE_BYTES),
    keys,
    instructions,
    loadedWritableCount: 0,
    loadedReadonlyCount: 0,
  };
}

/** The number of signatures that a header requires. @throws {ShapeError} if the header does not match the number of keys */
function countSigners(header: Buffer, keyCount: number): number {
  const [required = 0, readonlySigned = 0, readonlyUnsigned = 0] = header;
  if (readonlySigned >= required || required + readonlyUnsigned > keyCount) {
    throw new ShapeError('the header does not match the keys');
  }
  return required;
}

function checkInstructions(instructions: readonly WireInstruction[], keyCount: number, count: number): void {
  if (count > MAX_ACCOUNTS) throw new ShapeError('the message lists more than 256 accounts');
  for (const { programIndex, accounts } of instructions) {
    if (programIndex >= keyCount) throw new ShapeError('a program is not among the keys of the message');
    for (let index = 0; index < accounts.length; index += 1) {
      if ((accounts[index] ?? count) >= count)
        throw new ShapeError('an instruction has an unknown account index');
    }
  }
}

/** Reads bytes from front to back. Reading past the end, for example because of a hostile count, throws a `ShapeError`. */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  remainingBytes(): Buffer {
    return this.#bytes.subarray(this.#offset);
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new ShapeError('the transaction ends too early');
    return byte;
  }

  readByte(): number {
    const byte = this.peek();
    this.#offset += 1;
    return byte;
  }

  take(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new ShapeError('the transaction ends too early');
    const bytes = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }

  /**
   * Reads Solana's compact-u16: seven bits per byte, lowest bits first, at most 65,535. Encodings longer than necessary are
   * rejected.
   */
  readLength(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.readByte();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) !== 0) continue;
      if ((byte === 0 && shift > 0) || value > 0xffff) break;
      return value;
    }
    throw new ShapeError('a length is not well-formed');
  }
}
