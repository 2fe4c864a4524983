/**
 * Readers for method parameters. Each takes a value and its path (`params[1].limit`), and throws -32602 with the path and
 * the expected value.
 */
import bs58 from 'bs58';
import { decodeKey } from '../base58-cache.ts';
import { FINALITY_SLOTS, type LedgerChain, type LedgerClock } from '../chain.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';

/** A method: returns the `result` member. @throws {RpcError} */
type RpcMethod = (chain: LedgerChain, params: readonly unknown[]) => unknown;
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

/** A configuration object of a method. Unknown members are ignored, as on a Solana node. */
export type Config = Readonly<Record<string, unknown>>;

export type Commitment = 'processed' | 'confirmed' | 'finalized';
const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** The maximum length of 64 bytes in base58. Longer strings are rejected before the quadratic decoding. */
const MAX_SIGNATURE_CHARACTERS = 88;
const MAX_SHOWN_CHARACTERS = 60;

/** Formats a rejected value for an error message. Shortened, because it can be hostile. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') {
    return value.length > MAX_SHOWN_CHARACTERS ? `"${value.slice(0, MAX_SHOWN_CHARACTERS)}…"` : `"${value}"`;
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : String(value);
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Rejects more parameters than the method takes. */
export function checkCount(params: readonly unknown[], max: number): void {
  if (params.length > max) throw invalidParams(`at most ${max} parameters are taken, got ${params.length}`);
}

/** The configuration object at an index. Empty if it is absent or null. */
export function readConfig(params: readonly unknown[], index: number): Config {
  const value = params[index];
  return isAbsent(value) ? {} : readObject(value, `params[${index}]`);
}

export function readObject(value: unknown, at: string): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidParams(`${at} must be an object, got ${shown(value)}`);
  }
  return value as Config;
}

export function readArray(value: unknown, at: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`${at} must be an array, got ${shown(value)}`);
  if (value.length > max) {
    throw invalidParams(`Too many inputs provided; max ${max} (${at} has ${value.length})`);
  }
  return value;
}

export function readText(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidParams(`${at} must be a string, got ${shown(value)}`);
  return value;
}

/** A boolean; absent is false. */
export function readFlag(value: unknown, at: string): boolean {
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') throw invalidParams(`${at} must be true or false, got ${shown(value)}`);
  return value;
}

/** An integer within bounds. The bounds are safe integers, so a `bigint` is always outside them. */
export function readInteger(value: unknown, at: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw invalidParams(`${at} must be an integer ${range}, got ${shown(value)}`);
  }
  return value;
}

/** One of a few values; `otherwise` if absent. */
export function readChoice<T extends string>(
  value: unknown,
  at: string,
  choices: readonly T[],
  otherwise: NoInfer<T>,
): T {
  if (isAbsent(value)) return otherwise;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw invalidParams(`${at} must be one of ${choices.join(', ')}; got ${shown(value)}`);
  return choice;
}

/** An account address in base58. */
export function readAddress(value: unknown, at: string): string {
  const text = readText(value, at);
  if (decodeKey(text) === null) {
    throw invalidParams(`${at} must be an address (base58 of 32 bytes), got ${shown(text)}`);
  }
  return text;
}

/** A transaction signature in base58. */
export function readSignature(value: unknown, at: string): string {
  const text = readText(value, at);
  if (text.length > MAX_SIGNATURE_CHARACTERS || bs58.decodeUnsafe(text)?.length !== 64) {
    throw invalidParams(`${at} must be a transaction signature (base58 of 64 bytes), got ${shown(text)}`);
  }
  return text;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes in strict base64, or null. Node's own decoder skips invalid characters. */
export function decodeBase64(text: string): Uint8Array | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

/** The commitment in a configuration; `finalized` if absent, as on a Solana node. */
export function readCommitment(config: Config, at: string): Commitment {
  return readChoice(config.commitment, `${at}.commitment`, COMMITMENTS, 'finalized');
}

/** Like `readCommitment`. History is not available below `confirmed`, as on a Solana node. */
export function readHistoryCommitment(config: Config, at: string): Commitment {
  const commitment = readCommitment(config, at);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

/** The newest slot at a commitment. `processed` and `confirmed` are the same on a ledger without forks. */
export function slotAt({ slot }: LedgerClock, commitment: Commitment): number {
  return commitment === 'finalized' ? Math.max(0, slot - FINALITY_SLOTS) : slot;
}

/** Whether a slot has reached a commitment. */
export function isReached(slot: number, clock: LedgerClock, commitment: Commitment): boolean {
  return commitment === 'finalized' ? slot + FINALITY_SLOTS <= clock.slot : slot <= clock.slot;
}

export function confirmationStatus(slot: number, clock: LedgerClock): 'confirmed' | 'finalized' {
  return isReached(slot, clock, 'finalized') ? 'finalized' : 'confirmed';
}

/** @throws {RpcError} -32016 if the configuration's `minContextSlot` is above `slot` */
export function checkMinContextSlot(config: Config, at: string, slot: number): void {
  if (isAbsent(config.minContextSlot)) return;
  if (slot >= readInteger(config.minContextSlot, `${at}.minContextSlot`)) return;
  throw new RpcError(RPC_ERROR.minContextSlotNotReached, 'Minimum context slot has not been reached', {
    contextSlot: slot,
  });
}

/** The configuration for a read of state. Its commitment and `minContextSlot` are checked. */
export function readStateConfig(chain: LedgerChain, params: readonly unknown[], index: number): Config {
  const config = readConfig(params, index);
  readCommitment(config, `params[${index}]`);
  checkMinContextSlot(config, `params[${index}]`, chain.clock().slot);
  return config;
}

/** A value with the slot of its state, which is the newest slot at any commitment. */
export function withContext(
  chain: LedgerChain,
  value: unknown,
): { readonly context: { readonly slot: number }; readonly value: unknown } {
  return { context: { slot: chain.clock().slot }, value };
}
