import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import { type AccountKeys, textKeys, wireKeys } from './account-keys.ts';
import { type BalanceChange, balanceChanges } from './balance-changes.ts';
import { base58Text } from './base58.ts';
import { type KnownCalls, NO_CALLS, readKnownCalls } from './instructions.ts';
import { readWireTransaction, type WireInstruction } from './wire-transaction.ts';

export interface DecodedTransaction extends KnownCalls {
  readonly signature: string;
  readonly slot: number;
  /** Unix milliseconds; null where the node does not know. */
  readonly blockTime: number | null;
  readonly hasFailed: boolean;
  readonly accounts: AccountKeys;
  /** Of the token accounts of the mint, by account index. Empty where the transaction failed. */
  readonly changes: readonly BalanceChange[];
}

/** The node's answer cannot be read as a transaction with its balances. */
export class UndecodableTransactionError extends Error {
  override readonly name = 'UndecodableTransactionError';
}

/**
 * Reads the result of `getTransaction` (encoding `base64` or `json`) as balance changes of a mint's token accounts: the
 * amounts that the node recorded before and after, where an account that is missing on one side held nothing. Tokens
 * that a transfer fee withholds are no part of any amount. Logs and `uiAmount` are not read: logs can be written by
 * anyone and are cut off, `uiAmount` is a rounded number.
 *
 * @throws {UndecodableTransactionError} where a member that is needed is missing, of another type or not well-formed
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
  const { signature, accounts, instructions } = readSigned(result.transaction, meta);
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

function readSigned(transaction: unknown, meta: JsonRecord): SignedTransaction {
  return Array.isArray(transaction)
    ? readEncoded(transaction, meta)
    : readJson(record(transaction, 'transaction'), meta);
}

function readEncoded([encoded, encoding]: readonly unknown[], meta: JsonRecord): SignedTransaction {
  if (encoding !== 'base64') throw new ShapeError('the transaction is not base64');
  const base64 = text(encoded, 'the encoded transaction');
  const bytes = Buffer.from(base64, 'base64');
  // Decoding passes over what is no base64.
  if (bytes.toString('base64') !== base64) throw new ShapeError('the transaction is not base64');
  const wire = readWireTransaction(bytes);
  const { writable, readonly } = loadedAddresses(meta);
  if (writable.length !== wire.loadedWritable || readonly.length !== wire.loadedReadonly) {
    throw new ShapeError('the loaded addresses are not those that the message looks up');
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

/** Absent where the transaction is older than lookup tables, or the node is. */
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
