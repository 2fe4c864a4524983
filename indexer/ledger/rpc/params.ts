import bs58 from 'bs58';
import { decodeKey } from '../base58-cache.ts';
import { FINALITY_SLOTS, type LedgerChain, type LedgerClock } from '../chain.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';

/** @returns the reply's `result` member @throws {RpcError} */
type RpcMethod = (chain: LedgerChain, params: Param) => unknown;
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** The length of the longest base58 text for 64 bytes. Longer strings are not decoded, because decoding takes quadratic time. */
const MAX_SIGNATURE_CHARACTERS = 88;
const MAX_SHOWN_CHARACTERS = 60;

/** Describes a rejected value in an error message. A long string is cut off, because the value can be hostile. */
export function describeRejected(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') {
    return value.length > MAX_SHOWN_CHARACTERS ? `"${value.slice(0, MAX_SHOWN_CHARACTERS)}…"` : `"${value}"`;
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : String(value);
}

/**
 * A request's parameters, or a value inside them with its path, such as `params[1].limit`. Null counts as absent. The
 * methods that read a type, such as `integer`, throw -32602 with the path and the expected type.
 */
export class Param {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path = 'params') {
    this.value = value;
    this.path = path;
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  get(key: number | string): Param {
    const values = this.value as Readonly<Record<number | string, unknown>> | null | undefined;
    return new Param(values?.[key], this.path + (typeof key === 'number' ? `[${key}]` : `.${key}`));
  }

  checkCount(max: number): void {
    const { length } = this.value as readonly unknown[];
    if (length > max) throw invalidParams(`at most ${max} parameters are accepted, got ${length}`);
  }

  /** A configuration object, which may be absent. Unknown members are ignored, as on a Solana node. */
  config(index: number): Param {
    const config = this.get(index);
    return config.isAbsent ? config : config.object();
  }

  object(): Param {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return this;
    throw this.mismatchError('an object');
  }

  items(max: number): Param[] {
    const { value, path } = this;
    if (!Array.isArray(value)) throw this.mismatchError('an array');
    if (value.length > max) {
      throw invalidParams(`Too many inputs provided; max ${max} (${path} has ${value.length})`);
    }
    return value.map((_, index) => this.get(index));
  }

  text(): string {
    if (typeof this.value === 'string') return this.value;
    throw this.mismatchError('a string');
  }

  flag(): boolean {
    if (this.isAbsent) return false;
    if (typeof this.value === 'boolean') return this.value;
    throw this.mismatchError('true or false');
  }

  /** A `bigint` is always out of bounds, because `parseJson` creates one only for an unsafe integer. */
  integer(min = 0, max = Number.MAX_SAFE_INTEGER, otherwise?: number): number {
    const { value } = this;
    if (this.isAbsent && otherwise !== undefined) return otherwise;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max)
      return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw this.mismatchError(`an integer ${range}`);
  }

  choice<T extends string>(choices: readonly T[], otherwise: NoInfer<T>): T {
    if (this.isAbsent) return otherwise;
    const choice = choices.find((candidate) => candidate === this.value);
    if (choice !== undefined) return choice;
    throw this.mismatchError(`one of ${choices.join(', ')}`);
  }

  address(): string {
    const text = this.text();
    if (decodeKey(text) !== null) return text;
    throw this.mismatchError('an address (base58 of 32 bytes)');
  }

  signature(): string {
    const text = this.text();
    if (text.length <= MAX_SIGNATURE_CHARACTERS && bs58.decodeUnsafe(text)?.length === 64) return text;
    throw this.mismatchError('a transaction signature (base58 of 64 bytes)');
  }

  private mismatchError(expected: string): RpcError {
    return invalidParams(`${this.path} must be ${expected}, got ${describeRejected(this.value)}`);
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes strict base64; null if the text is invalid. Node's own decoder skips invalid characters. */
export function decodeBase64(text: string): Uint8Array | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}

/** The commitment in a configuration; `finalized` if absent, as on a Solana node. */
export function readCommitment(config: Param): Commitment {
  return config.get('commitment').choice(COMMITMENTS, 'finalized');
}

/** Like `readCommitment`, but rejects `processed`: as on a Solana node, history is not available below `confirmed`. */
export function readHistoryCommitment(config: Param): Commitment {
  const commitment = readCommitment(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

/** The newest slot at a commitment. `processed` and `confirmed` are the same on a ledger without forks. */
export function slotAt({ slot }: LedgerClock, commitment: Commitment): number {
  return commitment === 'finalized' ? Math.max(0, slot - FINALITY_SLOTS) : slot;
}

export function isReached(slot: number, clock: LedgerClock, commitment: Commitment): boolean {
  return commitment === 'finalized' ? slot + FINALITY_SLOTS <= clock.slot : slot <= clock.slot;
}

export function confirmationStatus(slot: number, clock: LedgerClock): 'confirmed' | 'finalized' {
  return isReached(slot, clock, 'finalized') ? 'finalized' : 'confirmed';
}

/** @throws {RpcError} -32016 if the configuration's `minContextSlot` is above `slot` */
export function checkMinContextSlot(config: Param, slot: number): void {
  if (config.get('minContextSlot').integer(0, Number.MAX_SAFE_INTEGER, 0) <= slot) return;
  throw new RpcError(RPC_ERROR.minContextSlotNotReached, 'Minimum context slot has not been reached', {
    contextSlot: slot,
  });
}

/** Returns the configuration of a method that reads state, and checks its commitment and `minContextSlot`. */
export function readStateConfig(chain: LedgerChain, params: Param, index: number): Param {
  const config = params.config(index);
  readCommitment(config);
  checkMinContextSlot(config, chain.clock().slot);
  return config;
}

/** A value with its context slot. The ledger has one state, so every commitment gets the newest slot. */
export function withContext(chain: LedgerChain, value: unknown) {
  return { context: { slot: chain.clock().slot }, value };
}
