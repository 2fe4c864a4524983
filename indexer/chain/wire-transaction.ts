import { ShapeError } from '../rpc/json-shape.ts';
import { KEY_BYTES } from './account-keys.ts';

/** An instruction, its program and accounts by their index among the accounts of the transaction. */
export interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

/** A signed transaction. The bytes are views into those that were read. */
export interface WireTransaction {
  /** The first signature, by which the transaction is known: 64 bytes. */
  readonly signature: Uint8Array;
  /** The keys in the message, 32 bytes each. */
  readonly keys: Buffer;
  readonly instructions: readonly WireInstruction[];
  /** How many accounts come from lookup tables. */
  readonly loadedWritable: number;
  readonly loadedReadonly: number;
}

const SIGNATURE_BYTES = 64;
const BLOCKHASH_BYTES = 32;
/** An account is named by a byte. */
const MOST_ACCOUNTS = 256;
const VERSION_FLAG = 0x80;

/**
 * Reads a transaction, legacy or version 0, as it went over the wire. Source: `short_vec.rs`, `message/legacy.rs` and
 * `message/versions/v0` of the Solana SDK. What a validator would refuse to read is refused here: each byte has one
 * meaning, and none is left over.
 *
 * @throws {ShapeError} where the bytes are no such transaction
 */
export function readWireTransaction(bytes: Buffer): WireTransaction {
  const reader = new Reader(bytes);
  const signatureCount = reader.length();
  const signatures = reader.take(signatureCount * SIGNATURE_BYTES);
  const version = reader.peek();
  const isVersioned = (version & VERSION_FLAG) !== 0;
  if (isVersioned && reader.byte() !== VERSION_FLAG) throw new ShapeError('the version is not 0');
  const required = reader.byte();
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const keyCount = reader.length();
  const keys = reader.take(keyCount * KEY_BYTES);
  if (required !== signatureCount || readonlySigned >= required || required + readonlyUnsigned > keyCount) {
    throw new ShapeError('the header does not fit the message');
  }
  reader.take(BLOCKHASH_BYTES);
  const instructions = readInstructions(reader, keyCount);
  let loadedWritable = 0;
  let loadedReadonly = 0;
  for (let tables = isVersioned ? reader.length() : 0; tables > 0; tables -= 1) {
    reader.take(KEY_BYTES);
    loadedWritable += reader.take(reader.length()).length;
    loadedReadonly += reader.take(reader.length()).length;
  }
  if (!reader.isAtEnd) throw new ShapeError('bytes follow the message');
  checkAccounts(instructions, keyCount + loadedWritable + loadedReadonly);
  return {
    signature: signatures.subarray(0, SIGNATURE_BYTES),
    keys,
    instructions,
    loadedWritable,
    loadedReadonly,
  };
}

function readInstructions(reader: Reader, keyCount: number): readonly WireInstruction[] {
  const instructions: WireInstruction[] = [];
  for (let left = reader.length(); left > 0; left -= 1) {
    const programIndex = reader.byte();
    if (programIndex >= keyCount) throw new ShapeError('a program is not among the keys of the message');
    const accounts = reader.take(reader.length());
    instructions.push({ programIndex, accounts, data: reader.take(reader.length()) });
  }
  return instructions;
}

function checkAccounts(instructions: readonly WireInstruction[], count: number): void {
  if (count > MOST_ACCOUNTS) throw new ShapeError('the message names more than 256 accounts');
  for (const { accounts } of instructions) {
    for (let place = 0; place < accounts.length; place += 1) {
      if ((accounts[place] ?? count) >= count) throw new ShapeError('an instruction names no account');
    }
  }
}

/** Reads forward only, so that hostile counts end where the bytes end. */
class Reader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new ShapeError('the transaction ends too early');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#offset += 1;
    return byte;
  }

  take(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new ShapeError('the transaction ends too early');
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  /** Solana's compact-u16: seven bits a byte, low ones first, at most 65,535, in the shortest form. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) !== 0) continue;
      if ((byte === 0 && shift > 0) || value > 0xffff) break;
      return value;
    }
    throw new ShapeError('a length is not well-formed');
  }
}
