import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import { base58Text } from './base58.ts';
import { type KnownCalls, NO_CALLS, readKnownCalls } from './instructions.ts';
import {
  type AccountKeys,
  readWireTransaction,
  textKeys,
  type WireInstruction,
  wireKeys,
} from './wire-transaction.ts';

/** The change of a token account of the followed mint. */
export interface BalanceChange {
  /** The account's index in the transaction. */
  readonly account: number;
  /** The owning wallet; null if the account did not exist, or the node did not record it. */
  readonly ownerBefore: string | null;
  readonly ownerAfter: string | null;
  readonly existedBefore: boolean;
  readonly existsAfter: boolean;
  /** Base units, signed. */
  readonly delta: bigint;
}

interface Balance {
  readonly account: number;
  readonly amount: bigint;
  readonly owner: string | null;
}

/**
 * The changes of a mint's token accounts, ordered by account index, including changes of zero.
 *
 * @throws {ShapeError} if the node did not record balances, or they cannot be read
 */
function balanceChanges(meta: JsonRecord, keys: AccountKeys, mint: string): readonly BalanceChange[] {
  const before = readBalances(meta.preTokenBalances, 'preTokenBalances', keys, mint);
  const after = readBalances(meta.postTokenBalances, 'postTokenBalances', keys, mint);
  const changes: BalanceChange[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const pre = before[left];
    const post = after[right];
    const account = Math.min(pre?.account ?? keys.count, post?.account ?? keys.count);
    const was = pre?.account === account ? pre : null;
    const is = post?.account === account ? post : null;
    if (was) left += 1;
    if (is) right += 1;
    changes.push({
      account,
      ownerBefore: was?.owner ?? null,
      ownerAfter: is?.owner ?? null,
      existedBefore: was !== null,
      existsAfter: is !== null,
      delta: (is?.amount ?? 0n) - (was?.amount ?? 0n),
    });
  }
  return changes;
}

function readBalances(value: unknown, name: string, keys: AccountKeys, mint: string): readonly Balance[] {
  const balances: Balance[] = [];
  for (const entry of list(value, name)) {
    const balance = record(entry, name);
    if (text(balance.mint, name) !== mint) continue;
    const account = count(balance.accountIndex, name);
    if (account >= keys.count) throw new ShapeError(`${name} has an unknown account index`);
    balances.push({
      account,
      amount: baseUnits(record(balance.uiTokenAmount, name).amount, name),
      owner: isAbsent(balance.owner) ? null : text(balance.owner, name),
    });
  }
  // Nodes list balances in the order of the accounts' indexes, but nothing guarantees that.
  if (isAscending(balances)) return balances;
  balances.sort((a, b) => a.account - b.account);
  if (!isAscending(balances)) throw new ShapeError(`${name} names an account twice`);
  return balances;
}

function isAscending(balances: readonly Balance[]): boolean {
  let last = -1;
  for (const { account } of balances) {
    if (account <= last) return false;
    last = account;
  }
  return true;
}

const BASE_UNITS = /^\d{1,20}$/;
const MAX_BASE_UNITS = 2n ** 64n - 1n;

function baseUnits(value: unknown, name: string): bigint {
  const digits = text(value, name);
  const amount = BASE_UNITS.test(digits) ? BigInt(digits) : null;
  if (amount === null || amount > MAX_BASE_UNITS) {
    throw new ShapeError(`${name} has no valid amount in base units`);
  }
  return amount;
}

export interface DecodedTransaction extends KnownCalls {
  readonly signature: string;
  readonly slot: number;
  /** Unix milliseconds; null if unknown. */
  readonly blockTime: number | null;
  readonly hasFailed: boolean;
  readonly accounts: AccountKeys;
  /** The changes of the mint's token accounts, by account index. Empty if the transaction failed. */
  readonly changes: readonly BalanceChange[];
}

export class UndecodableTransactionError extends Error {
  override readonly name = 'UndecodableTransactionError';
}

/**
 * Reads the result of `getTransaction` (encoding `base64` or `json`). Balances are the amounts that the node recorded before
 * and after the transaction. An account that is missing on one side was empty then. Amounts do not include withheld transfer
 * fees. Logs and `uiAmount` are not read: anyone can write logs, nodes truncate them, and `uiAmount` is rounded.
 *
 * @throws {UndecodableTransactionError} if a needed member is missing, of another type or malformed
 */
export function decodeTransaction(result: unknown, mint: string): DecodedTransaction {
  try {
    return decode(record(result, 'the transaction'), mint);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new UndecodableTransactionError(error.message, { cause: error });
  }
}

function decode(result: JsonRecord, mint: string): DecodedTransaction {
  const meta = record(result.meta, 'meta');
  const { transaction } = result;
  const { signature, accounts, instructions } = Array.isArray(transaction)
    ? readEncoded(transaction, meta)
    : readJson(record(transaction, 'transaction'), meta);
  const hasFailed = !isAbsent(meta.err);
  return {
    signature,
    slot: count(result.slot, 'slot'),
    blockTime: isAbsent(result.blockTime) ? null : count(result.blockTime, 'blockTime') * 1_000,
    hasFailed,
    accounts,
    changes: hasFailed ? [] : balanceChanges(meta, accounts, mint),
    ...(hasFailed ? NO_CALLS : readKnownCalls(instructions, meta, accounts)),
  };
}

interface SignedTransaction {
  readonly signature: string;
  readonly accounts: AccountKeys;
  readonly instructions: readonly WireInstruction[] | { readonly json: readonly unknown[] };
}

function readEncoded([encoded, encoding]: readonly unknown[], meta: JsonRecord): SignedTransaction {
  if (encoding !== 'base64') throw new ShapeError('the transaction is not base64');
  const base64 = text(encoded, 'the encoded transaction');
  const bytes = Buffer.from(base64, 'base64');
  // `Buffer.from` skips characters outside base64.
  if (bytes.toString('base64') !== base64) throw new ShapeError('the transaction is not base64');
  const wire = readWireTransaction(bytes);
  const { writable, readonly } = loadedAddresses(meta);
  if (writable.length !== wire.loadedWritable || readonly.length !== wire.loadedReadonly) {
    throw new ShapeError('the number of loaded addresses does not match the lookups of the message');
  }
  return {
    signature: base58Text(wire.signature),
    accounts: wireKeys(wire.keys, [...writable, ...readonly]),
    instructions: wire.instructions,
  };
}

function readJson(transaction: JsonRecord, meta: JsonRecord): SignedTransaction {
  const message = record(transaction.message, 'message');
  const { writable, readonly } = loadedAddresses(meta);
  return {
    signature: text(list(transaction.signatures, 'signatures')[0], 'the first signature'),
    accounts: textKeys([...addresses(message.accountKeys, 'accountKeys'), ...writable, ...readonly]),
    instructions: { json: list(message.instructions, 'instructions') },
  };
}

/** Old transactions have no loaded addresses, and old nodes do not return them. */
function loadedAddresses(meta: JsonRecord) {
  if (isAbsent(meta.loadedAddresses)) return { writable: [], readonly: [] };
  const { writable, readonly } = record(meta.loadedAddresses, 'loadedAddresses');
  return {
    writable: addresses(writable, 'loaded writable'),
    readonly: addresses(readonly, 'loaded readonly'),
  };
}

function addresses(value: unknown, name: string): readonly string[] {
  return list(value, name).map((address) => text(address, name));
}
