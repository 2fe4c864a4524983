import bs58 from 'bs58';
import { ShapeError } from '../rpc/json-shape.ts';
import { base58Text } from './base58.ts';

/**
 * The accounts of a transaction by their index: those in the message, then those that lookup tables loaded, writable
 * before read-only. Instructions and balances name accounts by this index.
 */
export interface AccountKeys {
  readonly count: number;
  /** The index of an address; -1 where the transaction does not name it. */
  indexOf(address: string): number;
  /** The base58 text of an account. @throws {ShapeError} where there is no such index */
  addressAt(index: number): string;
}

/** @throws {ShapeError} where an address is there twice, which no transaction on the chain has */
export function textKeys(addresses: readonly string[]): AccountKeys {
  if (new Set(addresses).size !== addresses.length) throw new ShapeError('an account is named twice');
  return {
    count: addresses.length,
    indexOf: (address) => addresses.indexOf(address),
    addressAt: (index) => addresses[index] ?? missing(index),
  };
}

export const KEY_BYTES = 32;

/**
 * Keys as a message carries them. They stay bytes: encoding one costs more than reading the whole message, and few are
 * ever asked for.
 *
 * @param named the keys of the message, one after the other
 * @param loaded addresses that lookup tables loaded
 * @throws {ShapeError} where a loaded address is no address, or an account is there twice
 */
export function wireKeys(named: Buffer, loaded: readonly string[]): AccountKeys {
  const namedCount = named.length / KEY_BYTES;
  const later = loaded.map((address) => keyBytes(address) ?? notAnAddress());
  if (hasRepetition(later.length === 0 ? named : Buffer.concat([named, ...later]))) {
    throw new ShapeError('an account is named twice');
  }
  return {
    count: namedCount + loaded.length,
    indexOf(address) {
      const key = knownKey(address);
      const index = key === null ? -1 : indexOfKey(named, key);
      if (index !== -1) return index;
      const place = loaded.indexOf(address);
      return place === -1 ? -1 : namedCount + place;
    },
    addressAt(index) {
      if (index >= namedCount) return loaded[index - namedCount] ?? missing(index);
      return base58Text(named.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES));
    },
  };
}

function missing(index: number): never {
  throw new ShapeError(`there is no account ${index}`);
}

function notAnAddress(): never {
  throw new ShapeError('a loaded address is not an address');
}

function keyBytes(address: string): Uint8Array | null {
  // 32 bytes have 32 to 44 digits: what is longer is not worth decoding.
  const bytes = address.length > 44 ? undefined : bs58.decodeUnsafe(address);
  return bytes?.length === KEY_BYTES ? bytes : null;
}

function indexOfKey(keys: Buffer, key: Uint8Array): number {
  let at = keys.indexOf(key);
  // A hit across two keys is none.
  while (at !== -1 && at % KEY_BYTES !== 0) at = keys.indexOf(key, at + 1);
  return at === -1 ? -1 : at / KEY_BYTES;
}

/** Whether two of the keys are the same. Their first four bytes nearly always tell. */
function hasRepetition(keys: Buffer): boolean {
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

/** Programs and watched accounts are asked for in every transaction, and nothing else is. */
const ASKED_FOR_LIMIT = 64;
const askedFor = new Map<string, Uint8Array | null>();

function knownKey(address: string): Uint8Array | null {
  const known = askedFor.get(address);
  if (known !== undefined) return known;
  if (askedFor.size >= ASKED_FOR_LIMIT) askedFor.clear();
  const key = keyBytes(address);
  askedFor.set(address, key);
  return key;
}
