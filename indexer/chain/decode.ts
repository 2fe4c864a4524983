import bs58 from 'bs58';
import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import { STAKE_PROGRAM } from './addresses.ts';

/** What a transaction did to one token account of the mint that is followed. */
export interface BalanceChange {
  /** The token account. */
  readonly account: string;
  /** The wallet that owned the token account; null where it did not exist, or the node does not say. */
  readonly ownerBefore: string | null;
  readonly ownerAfter: string | null;
  /** Whether the token account existed before and after. */
  readonly existedBefore: boolean;
  readonly existsAfter: boolean;
  /** Base units, signed. */
  readonly delta: bigint;
}

/** Instructions of the staking program that give a movement its word. */
export type StakeInstruction = 'stake' | 'unstake';

export interface DecodedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Unix milliseconds; null where the node does not know. */
  readonly blockTime: number | null;
  readonly hasFailed: boolean;
  /** In the order of the transaction's accounts. Empty where the transaction failed. */
  readonly changes: readonly BalanceChange[];
  readonly stakeInstructions: ReadonlySet<StakeInstruction>;
}

/** The node's answer cannot be read as a transaction with its balances. */
export class UndecodableTransactionError extends Error {
  override readonly name = 'UndecodableTransactionError';
}

/**
 * Reads the result of `getTransaction` (encoding `json`) as balance changes of a mint's token accounts: the
 * amounts that the node recorded before and after, where an account that is missing on one side held nothing.
 * Logs and `uiAmount` are not read: logs can be written by anyone and are cut off, `uiAmount` is a rounded
 * number.
 *
 * @throws {UndecodableTransactionError} where a member that is needed is missing or of another type
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
  const transaction = record(result.transaction, 'transaction');
  const message = record(transaction.message, 'message');
  const head = {
    signature: text(list(transaction.signatures, 'signatures')[0], 'the first signature'),
    slot: count(result.slot, 'slot'),
    blockTime: isAbsent(result.blockTime) ? null : count(result.blockTime, 'blockTime') * 1_000,
  };
  if (!isAbsent(meta.err)) return { ...head, hasFailed: true, changes: [], stakeInstructions: new Set() };
  const keys = accountKeys(message, meta);
  return {
    ...head,
    hasFailed: false,
    changes: balanceChanges(meta, keys, mint),
    stakeInstructions: stakeInstructions(message, meta, keys),
  };
}

/**
 * Every account by its index: those in the message, then those that lookup tables loaded, writable before
 * read-only.
 */
function accountKeys(message: JsonRecord, meta: JsonRecord): readonly unknown[] {
  const named = list(message.accountKeys, 'accountKeys');
  if (isAbsent(meta.loadedAddresses)) return named;
  const { writable, readonly } = record(meta.loadedAddresses, 'loadedAddresses');
  return [...named, ...list(writable, 'loaded writable'), ...list(readonly, 'loaded readonly')];
}

interface Side {
  readonly amount: bigint;
  readonly owner: string | null;
}

function balanceChanges(meta: JsonRecord, keys: readonly unknown[], mint: string): readonly BalanceChange[] {
  const before = balancesByIndex(meta.preTokenBalances, 'preTokenBalances', mint);
  const after = balancesByIndex(meta.postTokenBalances, 'postTokenBalances', mint);
  const indexes = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  return indexes.map((index) => {
    const pre = before.get(index);
    const post = after.get(index);
    return {
      account: text(keys[index], `account ${index}`),
      ownerBefore: pre?.owner ?? null,
      ownerAfter: post?.owner ?? null,
      existedBefore: pre !== undefined,
      existsAfter: post !== undefined,
      delta: (post?.amount ?? 0n) - (pre?.amount ?? 0n),
    };
  });
}

const BASE_UNITS = /^\d{1,20}$/;

function balancesByIndex(value: unknown, name: string, mint: string): ReadonlyMap<number, Side> {
  const sides = new Map<number, Side>();
  for (const entry of list(value, name)) {
    const balance = record(entry, name);
    if (text(balance.mint, `${name} mint`) !== mint) continue;
    const index = count(balance.accountIndex, `${name} accountIndex`);
    const amount = text(record(balance.uiTokenAmount, `${name} uiTokenAmount`).amount, `${name} amount`);
    if (!BASE_UNITS.test(amount)) throw new ShapeError(`${name} amount is not base units`);
    if (sides.has(index)) throw new ShapeError(`${name} names account ${index} twice`);
    sides.set(index, {
      amount: BigInt(amount),
      owner: isAbsent(balance.owner) ? null : text(balance.owner, `${name} owner`),
    });
  }
  return sides;
}

/** First eight bytes of the instructions that move a pool's vault. Source: the IDL of @streamflow/staking. */
const STAKE_INSTRUCTIONS: readonly (readonly [StakeInstruction, Uint8Array])[] = [
  ['stake', Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108)],
  ['unstake', Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225)],
  // `unstake_as_worker`: anyone may end a stake whose pool unstakes by itself.
  ['unstake', Uint8Array.of(18, 36, 224, 241, 46, 185, 228, 142)],
];

function stakeInstructions(
  message: JsonRecord,
  meta: JsonRecord,
  keys: readonly unknown[],
): ReadonlySet<StakeInstruction> {
  const found = new Set<StakeInstruction>();
  const programIndex = keys.indexOf(STAKE_PROGRAM);
  if (programIndex === -1) return found;
  const inner = isAbsent(meta.innerInstructions) ? [] : list(meta.innerInstructions, 'innerInstructions');
  const instructions = [
    ...list(message.instructions, 'instructions'),
    ...inner.flatMap((group) => list(record(group, 'innerInstructions').instructions, 'inner instructions')),
  ];
  for (const entry of instructions) {
    const { programIdIndex, data } = record(entry, 'an instruction');
    if (programIdIndex !== programIndex) continue;
    const name = stakeInstructionOf(text(data, "an instruction's data"));
    if (name) found.add(name);
  }
  return found;
}

function stakeInstructionOf(data: string): StakeInstruction | undefined {
  const bytes = bs58.decodeUnsafe(data);
  if (!bytes) throw new ShapeError("an instruction's data is not base58");
  return STAKE_INSTRUCTIONS.find(([, start]) => start.every((byte, index) => bytes[index] === byte))?.[0];
}
