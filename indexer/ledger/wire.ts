import bs58 from 'bs58';
import { KEY_BYTES, WireReader } from '../chain/wire-transaction.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { encodeKey } from './base58-cache.ts';

/** The maximum size of a Solana transaction, in bytes. */
export const PACKET_BYTES = 1232;
/**
 * The maximum number of accounts in a transaction. `MAX_TX_ACCOUNT_LOCKS` in agave is 128, but 64 applies until the feature
 * `increase_tx_account_lock_limit` is active.
 */
export const MAX_ACCOUNT_LOCKS = 64;

interface MessageHeader {
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
  readonly writableIndexes: Uint8Array;
  readonly readonlyIndexes: Uint8Array;
}

export interface WireMessage {
  readonly version: 'legacy' | 0;
  readonly header: MessageHeader;
  readonly staticKeys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly MessageInstruction[];
  readonly lookups: readonly TableLookup[];
  /** The signed bytes. */
  readonly bytes: Uint8Array;
}

export interface WireTransaction {
  readonly signatures: readonly Uint8Array[];
  readonly message: WireMessage;
  readonly bytes: Uint8Array;
}

type ParseResult<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Reads a signed transaction, legacy or version 0, with every check from agave's `sanitize`. LiteSVM aborts the whole
 * process on bytes that it cannot read, so it only gets transactions that pass these checks.
 */
export function parseTransaction(bytes: Uint8Array): ParseResult<WireTransaction> {
  return tryParse('transaction', bytes, () => {
    // A copy, because the caller may reuse its buffer.
    const copy = Uint8Array.from(bytes);
    const reader = new WireReader(Buffer.from(copy.buffer));
    const count = reader.readLength();
    const signatures = Array.from({ length: count }, () => reader.take(64));
    const message = readMessage(reader.remainingBytes());
    if (count !== message.header.requiredSignatures) {
      throw new ShapeError(
        `${count} signatures where the header requires ${message.header.requiredSignatures}`,
      );
    }
    return { signatures, message, bytes: copy };
  });
}

/** Reads a message without signatures, with the same checks as `parseTransaction`. */
export function parseMessage(bytes: Uint8Array): ParseResult<WireMessage> {
  return tryParse('message', bytes, () => readMessage(Buffer.from(bytes)));
}

export function isWritableStaticKey({ header, staticKeys }: WireMessage, index: number): boolean {
  if (index < header.requiredSignatures) return index < header.requiredSignatures - header.readonlySigned;
  return index < staticKeys.length - header.readonlyUnsigned;
}

function tryParse<T>(what: string, { length }: Uint8Array, read: () => T): ParseResult<T> {
  if (length > PACKET_BYTES) {
    return { kind: 'malformed', reason: `the ${what} has ${length} bytes, the limit is ${PACKET_BYTES}` };
  }
  try {
    return { kind: 'parsed', value: read() };
  } catch (error) {
    if (error instanceof ShapeError) return { kind: 'malformed', reason: error.message };
    throw error;
  }
}

function readMessage(bytes: Buffer): WireMessage {
  const reader = new WireReader(bytes);
  const version = readVersion(reader);
  const header = {
    requiredSignatures: reader.readByte(),
    readonlySigned: reader.readByte(),
    readonlyUnsigned: reader.readByte(),
  };
  const staticKeys = readMany(reader, () => encodeKey(reader.take(KEY_BYTES)));
  const blockhash = bs58.encode(reader.take(32));
  const instructions = readMany(reader, () => ({
    programIdIndex: reader.readByte(),
    accounts: reader.take(reader.readLength()),
    data: reader.take(reader.readLength()),
  }));
  const lookups = version === 0 ? readMany(reader, () => readLookup(reader)) : [];
  if (!reader.isAtEnd) throw new ShapeError('bytes follow the end of the message');
  const message = { version, header, staticKeys, blockhash, instructions, lookups, bytes } as const;
  checkMessage(message);
  return message;
}

function readVersion(reader: WireReader): 'legacy' | 0 {
  if ((reader.peek() & 0x80) === 0) return 'legacy';
  const version = reader.readByte() & 0x7f;
  if (version !== 0) throw new ShapeError(`message version ${version} is not supported`);
  return 0;
}

function readMany<T>(reader: WireReader, read: () => T): T[] {
  const count = reader.readLength();
  const items: T[] = [];
  // If the count is too large, the reader throws a ShapeError at the end of the bytes.
  for (let index = 0; index < count; index += 1) items.push(read());
  return items;
}

function readLookup(reader: WireReader): TableLookup {
  return {
    table: encodeKey(reader.take(KEY_BYTES)),
    writableIndexes: reader.take(reader.readLength()),
    readonlyIndexes: reader.take(reader.readLength()),
  };
}

function checkMessage(message: WireMessage): void {
  const { header, staticKeys } = message;
  if (header.requiredSignatures === 0) throw new ShapeError('the message requires no signature');
  if (header.readonlySigned >= header.requiredSignatures)
    throw new ShapeError('the fee payer is not writable');
  if (header.requiredSignatures + header.readonlyUnsigned > staticKeys.length) {
    throw new ShapeError('the header counts more keys than the message has');
  }
  const keyCount = message.lookups.reduce(
    (sum, lookup) => sum + lookup.writableIndexes.length + lookup.readonlyIndexes.length,
    staticKeys.length,
  );
  if (keyCount > 256) throw new ShapeError('the message lists more than 256 accounts');
  for (const lookup of message.lookups) {
    if (lookup.writableIndexes.length + lookup.readonlyIndexes.length === 0) {
      throw new ShapeError('a lookup table is listed without an index');
    }
  }
  for (const instruction of message.instructions) {
    if (instruction.programIdIndex === 0) throw new ShapeError('the fee payer cannot be a program');
    if (instruction.programIdIndex >= staticKeys.length) {
      throw new ShapeError('a program is not among the static keys');
    }
    for (const accountIndex of instruction.accounts) {
      if (accountIndex >= keyCount)
        throw new ShapeError('an instruction refers to an account that does not exist');
    }
  }
}
