import {
  isAbsent,
  type JsonRecord,
  readJsonInteger,
  readJsonList,
  readJsonRecord,
  readJsonText,
  ShapeError,
} from '../rpc/json-shape.ts';
import { encodeBase58 } from './base58.ts';
import { type KnownCalls, NO_CALLS, readKnownCalls } from './instructions.ts';
import {
  type AccountKeys,
  keysFromBytes,
  keysFromText,
  readWireTransaction,
  type WireInstruction,
} from './wire-transaction.ts';

/** The balance change of a token account of the followed mint. */
export interface BalanceChange {
  readonly accountIndex: number;
  /** The owning wallet; null if the account did not exist, or the node did not record the owner. */
  readonly ownerBefore: string | null;
  readonly ownerAfter: string | null;
  readonly existedBefore: boolean;
  readonly existsAfter: boolean;
  /** Base units, signed. */
  readonly delta: bigint;
}

interface Balance {
  readonly accountIndex: number;
  readonly amount: bigint;
  readonly owner: string | null;
}

/**
 * The balance changes of a mint's token accounts, ordered by account index, including changes of zero.
 *
 * @throws {ShapeError} if the node did not record balances, or they cannot be read
 */
function balanceChanges(meta: JsonRecord, keys: AccountKeys, mint: string): readonly BalanceChange[] {
  const before = readBalances(meta.preTokenBalances, 'preTokenBalances', keys, mint);
  const after = readBalances(meta.postTokenBalances, 'postTokenBalances', keys, mint);
  const changes: BalanceChange[] = [];
  let beforeIndex = 0;
  let afterIndex = 0;
  while (beforeIndex < before.length || afterIndex < after.length) {
    const pre = before[beforeIndex];
    const post = after[afterIndex];
    const accountIndex = Math.min(pre?.accountIndex ?? keys.count, post?.accountIndex ?? keys.count);
    const balanceBefore = pre?.accountIndex === accountIndex ? pre : null;
    const balanceAfter = post?.accountIndex === accountIndex ? post : null;
    if (balanceBefore) beforeIndex += 1;
    if (balanceAfter) afterIndex += 1;
    changes.push({
      accountIndex,
      ownerBefore: balanceBefore?.owner ?? null,
      ownerAfter: balanceAfter?.owner ?? null,
      existedBefore: balanceBefore !== null,
      existsAfter: balanceAfter !== null,
      delta: (balanceAfter?.amount ?? 0n) - (balanceBefore?.amount ?? 0n),
    });
  }
  return changes;
}

function readBalances(value: unknown, name: string, keys: AccountKeys, mint: string): readonly Balance[] {
  const balances: Balance[] = [];
  for (const entry of readJsonList(value, name)) {
    const balance = readJsonRecord(entry, name);
    if (readJsonText(balance.mint, name) !== mint) continue;
    const accountIndex = readJsonInteger(balance.accountIndex, name);
    if (accountIndex >= keys.count) throw new ShapeError(`${name} has an unknown account index`);
    balances.push({
      accountIndex,
      amount: readBaseUnits(readJsonRecord(balance.uiTokenAmount, name).amount, name),
      owner: isAbsent(balance.owner) ? null : readJsonText(balance.owner, name),
    });
  }
  // Nodes list balances in the order of the accounts' indexes, but nothing guarantees that.
  if (isAscending(balances)) return balances;
  balances.sort((a, b) => a.accountIndex - b.accountIndex);
  if (!isAscending(balances)) throw new ShapeError(`${name} lists an account twice`);
  return balances;
}

function isAscending(balances: readonly Balance[]): boolean {
  let last = -1;
  for (const { accountIndex } of balances) {
    if (accountIndex <= last) return false;
    last = accountIndex;
  }
  return true;
}

const BASE_UNITS_PATTERN = /^\d{1,20}$/;
const MAX_BASE_UNITS = 2n ** 64n - 1n;

function readBaseUnits(value: unknown, name: string): bigint {
  const digits = readJsonText(value, name);
  const amount = BASE_UNITS_PATTERN.test(digits) ? BigInt(digits) : null;
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
  /** Ordered by account index. Empty if the transaction failed. */
  readonly changes: readonly BalanceChange[];
}

export class UndecodableTransactionError extends Error {
  override readonly name = 'UndecodableTransactionError';
}

/**
 * Reads the result of `getTransaction` (encoding `base64` or `json`). Balances are the amounts that the node
 * recorded before and after the transaction. If no balance is recorded before or after it, the account was empty
 * at that time. Amounts do not include withheld transfer fees. Logs and `uiAmount` are not read: anyone can
 * write logs, nodes truncate them, and `uiAmount` is rounded.
 *
 * @throws {UndecodableTransactionError} if a required member is missing, has the wrong type or is malformed
 */
export function decodeTransaction(result: unknown, mint: string): DecodedTransaction {
  try {
    return decode(readJsonRecord(result, 'the transaction'), mint);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new UndecodableTransactionError(error.message, { cause: error });
  }
}

function decode(result: JsonRecord, mint: string): DecodedTransaction {
  const meta = readJsonRecord(result.meta, 'meta');
  const { transaction } = result;
  const { signature, accounts, instructions } = Array.isArray(transaction)
    ? readEncoded(transaction, meta)
    : readJson(readJsonRecord(transaction, 'transaction'), meta);
  const hasFailed = !isAbsent(meta.err);
  return {
    signature,
    slot: readJsonInteger(result.slot, 'slot'),
    blockTime: isAbsent(result.blockTime) ? null : readJsonInteger(result.blockTime, 'blockTime') * 1_000,
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
  const base64 = readJsonText(encoded, 'the encoded transaction');
  const bytes = Buffer.from(base64, 'base64');
  // `Buffer.from` skips characters outside base64.
  if (bytes.toString('base64') !== base64) throw new ShapeError('the transaction is not base64');
  const wire = readWireTransaction(bytes);
  const { writable, readonly } = readLoadedAddresses(meta);
  if (writable.length !== wire.loadedWritableCount || readonly.length !== wire.loadedReadonlyCount) {
    throw new ShapeError('the number of loaded addresses does not match the lookups of the message');
  }
  return {
    signature: encodeBase58(wire.signature),
    accounts: keysFromBytes(wire.keys, [...writable, ...readonly]),
    instructions: wire.instructions,
  };
}

function readJson(transaction: JsonRecord, meta: JsonRecord): SignedTransaction {
  const message = readJsonRecord(transaction.message, 'message');
  const { writable, readonly } = readLoadedAddresses(meta);
  return {
    signature: readJsonText(readJsonList(transaction.signatures, 'signatures')[0], 'the first signature'),
    accounts: keysFromText([...readAddresses(message.accountKeys, 'accountKeys'), ...writable, ...readonly]),
    instructions: { json: readJsonList(message.instructions, 'instructions') },
  };
}

/** Old transactions have no loaded addresses, and old nodes do not return them. */
function readLoadedAddresses(meta: JsonRecord) {
  if (isAbsent(meta.loadedAddresses)) return { writable: [], readonly: [] };
  const { writable, readonly } = readJsonRecord(meta.loadedAddresses, 'loadedAddresses');
  return {
    writable: readAddresses(writable, 'loaded writable'),
    readonly: readAddresses(readonly, 'loaded readonly'),
  };
}

function readAddresses(value: unknown, name: string): readonly string[] {
  return readJsonList(value, name).map((address) => readJsonText(address, name));
}
