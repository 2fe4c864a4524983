import bs58 from 'bs58';
import { encodeKey } from './base58-cache.ts';

/** Bytes a packet holds: the limit of a transaction on Solana. */
export const PACKET_BYTES = 1232;
/** Accounts that one transaction may lock (`MAX_TX_ACCOUNT_LOCKS` in agave). */
export const MAX_ACCOUNT_LOCKS = 64;

export interface MessageHeader {
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
}

export interface MessageInstruction {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

export interface TableLookup {
  readonly table: string;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

export interface WireMessage {
  readonly version: 'legacy' | 0;
  readonly header: MessageHeader;
  readonly staticKeys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly MessageInstruction[];
  readonly lookups: readonly TableLookup[];
  /** What the signatures sign. */
  readonly bytes: Uint8Array;
}

export interface WireTransaction {
  readonly signatures: readonly Uint8Array[];
  readonly message: WireMessage;
  readonly bytes: Uint8Array;
}

export type Parsed<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'malformed'; readonly reason: string };

class WireFault extends Error {}

/** Reads forward only; every byte is consumed once, so what is accepted has exactly one encoding. */
class Reader {
  private readonly bytes: Uint8Array;
  private offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get position(): number {
    return this.offset;
  }

  get atEnd(): boolean {
    return this.offset === this.bytes.length;
  }

  peek(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined) throw new WireFault('the bytes end too early');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.offset += 1;
    return byte;
  }

  take(length: number): Uint8Array {
    const end = this.offset + length;
    if (end > this.bytes.length) throw new WireFault('the bytes end too early');
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  /** Solana's compact-u16: at most three bytes, at most 65,535, no longer than need be. */
  compactLength(): number {
    let value = 0;
    for (let index = 0; index < 3; index += 1) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * index);
      if ((byte & 0x80) === 0) {
        if (byte === 0 && index > 0) throw new WireFault('a length is not in its shortest form');
        if (value > 0xffff) throw new WireFault('a length is over 65,535');
        return value;
      }
    }
    throw new WireFault('a length has more than three bytes');
  }

  keys(count: number): string[] {
    const block = this.take(count * 32);
    const keys: string[] = [];
    for (let index = 0; index < count; index += 1) {
      keys.push(encodeKey(block.subarray(index * 32, index * 32 + 32)));
    }
    return keys;
  }
}

/**
 * Reads a signed transaction, legacy or version 0, and checks all that agave's `sanitize` checks. The runtime behind
 * the ledger aborts the whole process on bytes it cannot read, so nothing reaches it that did not pass here.
 */
export function parseTransaction(bytes: Uint8Array): Parsed<WireTransaction> {
  return parsing(() => {
    if (bytes.length > PACKET_BYTES) {
      throw new WireFault(`the transaction has ${bytes.length} bytes, the limit is ${PACKET_BYTES}`);
    }
    // The caller's buffer may be reused after this call; what the ledger keeps must not change under it.
    const own = Uint8Array.from(bytes);
    const reader = new Reader(own);
    const count = reader.compactLength();
    const block = reader.take(count * 64);
    const signatures: Uint8Array[] = [];
    for (let index = 0; index < count; index += 1)
      signatures.push(block.subarray(index * 64, index * 64 + 64));
    const message = readMessage(own.subarray(reader.position));
    if (count !== message.header.requiredSignatures) {
      throw new WireFault(
        `${count} signatures where the header requires ${message.header.requiredSignatures}`,
      );
    }
    return { signatures, message, bytes: own };
  });
}

/** Reads a message alone, by the same rules. */
export function parseMessage(bytes: Uint8Array): Parsed<WireMessage> {
  return parsing(() => {
    if (bytes.length > PACKET_BYTES) {
      throw new WireFault(`the message has ${bytes.length} bytes, the limit is ${PACKET_BYTES}`);
    }
    return readMessage(Uint8Array.from(bytes));
  });
}

/** How many account keys the message names, those in lookup tables included. */
export function countKeys(message: WireMessage): number {
  return message.lookups.reduce(
    (sum, lookup) => sum + lookup.writable.length + lookup.readonly.length,
    message.staticKeys.length,
  );
}

function parsing<T>(read: () => T): Parsed<T> {
  try {
    return { kind: 'parsed', value: read() };
  } catch (error) {
    if (error instanceof WireFault) return { kind: 'malformed', reason: error.message };
    throw error;
  }
}

function readMessage(bytes: Uint8Array): WireMessage {
  const reader = new Reader(bytes);
  const version = readVersion(reader);
  const header = {
    requiredSignatures: reader.byte(),
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
  };
  const staticKeys = reader.keys(reader.compactLength());
  const blockhash = bs58.encode(reader.take(32));
  const instructions = readMany(reader, () => ({
    programIdIndex: reader.byte(),
    accounts: reader.take(reader.compactLength()),
    data: reader.take(reader.compactLength()),
  }));
  const lookups = version === 0 ? readMany(reader, () => readLookup(reader)) : [];
  if (!reader.atEnd) throw new WireFault('bytes follow the end of the message');
  const message = { version, header, staticKeys, blockhash, instructions, lookups, bytes } as const;
  checkMessage(message);
  return message;
}

function readVersion(reader: Reader): 'legacy' | 0 {
  if ((reader.peek() & 0x80) === 0) return 'legacy';
  const version = reader.byte() & 0x7f;
  if (version !== 0) throw new WireFault(`message version ${version} is not supported`);
  return 0;
}

function readMany<T>(reader: Reader, read: () => T): T[] {
  const count = reader.compactLength();
  const items: T[] = [];
  // Reading fails at the end of the bytes, so a hostile count costs no more than the packet holds.
  for (let index = 0; index < count; index += 1) items.push(read());
  return items;
}

function readLookup(reader: Reader): TableLookup {
  return {
    table: encodeKey(reader.take(32)),
    writable: reader.take(reader.compactLength()),
    readonly: reader.take(reader.compactLength()),
  };
}

function checkMessage(message: WireMessage): void {
  const { header, staticKeys } = message;
  if (header.requiredSignatures === 0) throw new WireFault('the message requires no signature');
  if (header.readonlySigned >= header.requiredSignatures)
    throw new WireFault('the fee payer is not writable');
  if (header.requiredSignatures + header.readonlyUnsigned > staticKeys.length) {
    throw new WireFault('the header counts more keys than the message has');
  }
  const keys = countKeys(message);
  if (keys > 256) throw new WireFault('the message names more than 256 accounts');
  for (const lookup of message.lookups) {
    if (lookup.writable.length + lookup.readonly.length === 0) {
      throw new WireFault('a lookup table is named, and nothing is taken from it');
    }
  }
  for (const instruction of message.instructions) {
    if (instruction.programIdIndex === 0) throw new WireFault('the fee payer cannot be a program');
    if (instruction.programIdIndex >= staticKeys.length) {
      throw new WireFault('a program is not among the static keys');
    }
    for (const account of instruction.accounts) {
      if (account >= keys) throw new WireFault('an instruction names an account that is not there');
    }
  }
}
