import { count, isAbsent, type JsonRecord, list, record, ShapeError, text } from '../rpc/json-shape.ts';
import type { AccountKeys } from './account-keys.ts';

/** What a transaction did to one token account of the mint that is followed. */
export interface BalanceChange {
  /** The token account by its index in the transaction. */
  readonly account: number;
  /** The wallet that owned the token account; null where it did not exist, or the node does not say. */
  readonly ownerBefore: string | null;
  readonly ownerAfter: string | null;
  /** Whether the token account existed before and after. */
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
 * The changes of a mint's token accounts, by account index, those that moved nothing included.
 *
 * @throws {ShapeError} where the node recorded no balances, or they cannot be read
 */
export function balanceChanges(meta: JsonRecord, keys: AccountKeys, mint: string): readonly BalanceChange[] {
  const before = balances(meta.preTokenBalances, 'preTokenBalances', keys, mint);
  const after = balances(meta.postTokenBalances, 'postTokenBalances', keys, mint);
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

/** The balances of one side, by account index. */
function balances(value: unknown, name: string, keys: AccountKeys, mint: string): readonly Balance[] {
  const found: Balance[] = [];
  for (const entry of list(value, name)) {
    const balance = record(entry, name);
    if (text(balance.mint, name) !== mint) continue;
    const account = count(balance.accountIndex, name);
    if (account >= keys.count) throw new ShapeError(`${name} names no account`);
    found.push({
      account,
      amount: baseUnits(record(balance.uiTokenAmount, name).amount, name),
      owner: isAbsent(balance.owner) ? null : text(balance.owner, name),
    });
  }
  // Nodes tell them in this order; nothing promises it.
  if (isAscending(found)) return found;
  found.sort((a, b) => a.account - b.account);
  if (!isAscending(found)) throw new ShapeError(`${name} names an account twice`);
  return found;
}

function isAscending(found: readonly Balance[]): boolean {
  let last = -1;
  for (const { account } of found) {
    if (account <= last) return false;
    last = account;
  }
  return true;
}

const BASE_UNITS = /^\d{1,20}$/;
const MOST_BASE_UNITS = 2n ** 64n - 1n;

function baseUnits(value: unknown, name: string): bigint {
  const digits = text(value, name);
  const amount = BASE_UNITS.test(digits) ? BigInt(digits) : null;
  if (amount === null || amount > MOST_BASE_UNITS) throw new ShapeError(`${name} tells no base units`);
  return amount;
}
