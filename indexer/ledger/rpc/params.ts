/**
 * Readers of method parameters. Each takes the value and the place it stands at (`params[1].limit`), and throws -32602
 * with that place and what was expected there.
 */
import bs58 from 'bs58';
import { decodeKey } from '../base58-cache.ts';
import { invalidParams } from './rpc-error.ts';

/** A configuration object of a method: members that nobody reads are ignored, as a Solana node does. */
export type Config = Readonly<Record<string, unknown>>;

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Base58 of 64 bytes is at most this long; longer text is refused before it is decoded, which is quadratic. */
const SIGNATURE_TEXT_LIMIT = 88;
const SHOWN_LENGTH = 60;

/** How a refused value is shown in an error: short, and never the whole of a hostile one. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') {
    return value.length > SHOWN_LENGTH ? `"${value.slice(0, SHOWN_LENGTH)}…"` : `"${value}"`;
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : String(value);
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Refuses parameters beyond the last that the method takes. */
export function checkCount(params: readonly unknown[], most: number): void {
  if (params.length > most) {
    throw invalidParams(`at most ${most} parameters are taken, got ${params.length}`);
  }
}

/** The configuration object at an index; absent and `null` are an empty one. */
export function readConfig(params: readonly unknown[], index: number): Config {
  const value = params[index];
  if (isAbsent(value)) return {};
  return readObject(value, `params[${index}]`);
}

export function readObject(value: unknown, at: string): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidParams(`${at} must be an object, got ${shown(value)}`);
  }
  return value as Config;
}

export function readArray(value: unknown, at: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`${at} must be an array, got ${shown(value)}`);
  if (value.length > most) {
    throw invalidParams(`Too many inputs provided; max ${most} (${at} has ${value.length})`);
  }
  return value;
}

export function readText(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidParams(`${at} must be a string, got ${shown(value)}`);
  return value;
}

/** A boolean; absent is `otherwise`. */
export function readFlag(value: unknown, at: string, otherwise: boolean): boolean {
  if (isAbsent(value)) return otherwise;
  if (typeof value !== 'boolean') throw invalidParams(`${at} must be true or false, got ${shown(value)}`);
  return value;
}

/** An integer within bounds; the bounds are safe integers, so a `bigint` is always out of them. */
export function readInteger(value: unknown, at: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw invalidParams(`${at} must be an integer ${range}, got ${shown(value)}`);
  }
  return value;
}

/** One of a few words; absent is `otherwise`. */
export function readWord<W extends string>(
  value: unknown,
  at: string,
  words: readonly W[],
  otherwise: NoInfer<W>,
): W {
  if (isAbsent(value)) return otherwise;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined)
    throw invalidParams(`${at} must be one of ${words.join(', ')}; got ${shown(value)}`);
  return word;
}

const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** The commitment of a configuration; absent is `finalized`, as on a Solana node. */
export function readCommitment(config: Config, at: string): Commitment {
  return readWord(config.commitment, `${at}.commitment`, COMMITMENTS, 'finalized');
}

function readKey(value: unknown, at: string, what: string): string {
  const text = readText(value, at);
  if (decodeKey(text) === null) {
    throw invalidParams(`${at} must be ${what} (base58 of 32 bytes), got ${shown(text)}`);
  }
  return text;
}

/** An account address in base58. */
export function readAddress(value: unknown, at: string): string {
  return readKey(value, at, 'an address');
}

/** A blockhash in base58. */
export function readBlockhash(value: unknown, at: string): string {
  return readKey(value, at, 'a blockhash');
}

/** A transaction signature in base58. */
export function readSignature(value: unknown, at: string): string {
  const text = readText(value, at);
  if (text.length > SIGNATURE_TEXT_LIMIT || bs58.decodeUnsafe(text)?.length !== 64) {
    throw invalidParams(`${at} must be a transaction signature (base58 of 64 bytes), got ${shown(text)}`);
  }
  return text;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes in strict base64, or null: Node's own decoder skips what is not base64. */
export function decodeBase64(text: string): Uint8Array | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}
