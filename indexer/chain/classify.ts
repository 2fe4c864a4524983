import type { EventKind } from '../../data/model/chain-events.ts';
import type { BalanceChange } from './balance-changes.ts';
import type { DecodedTransaction } from './decode.ts';
import type { StakeCall } from './stake-instructions.ts';

/** A token account that is followed. */
export interface WatchedAccount {
  readonly address: string;
  readonly role: 'vault' | 'stake-pool-vault';
}

export interface Movement {
  readonly kind: EventKind;
  /** The counterparty's wallet, of a stake or unstake the one that the entry belongs to; null where none can be named. */
  readonly wallet: string | null;
  /** Base units, signed. */
  readonly delta: bigint;
  /** The stake entry that was opened or ended, where it is known to be just one. */
  readonly stakeEntry: string | null;
}

/**
 * What a transaction did to a watched account; nothing where it failed, or merely names the account. Anyone can name the
 * account in a transaction of theirs, so naming alone is no event; nor is moving tokens in and out again in one
 * transaction, which leaves every balance as it was. A transaction that moves nothing but opens, closes or hands over
 * the account is one (`other`, delta 0).
 *
 * The balance decides; instructions only give it words. Each call of the staking program that moved the pool's vault is a
 * movement of its own, in the order they were made, and what they leave unexplained is one without a word (`other`):
 * tokens sent straight to it are no stake, also where they are sent along with one. All together make the change of the
 * balance.
 */
export function classify(transaction: DecodedTransaction, watched: WatchedAccount): readonly Movement[] {
  const index = transaction.accounts.indexOf(watched.address);
  const change = transaction.changes.find(({ account }) => account === index);
  if (!change) return [];
  const calls = watched.role === 'vault' ? [] : transaction.stakeCalls.filter(({ vault }) => vault === index);
  return calls.length === 0
    ? withoutCalls(transaction, change, watched)
    : withCalls(transaction, change, calls);
}

function withoutCalls(
  { changes }: DecodedTransaction,
  change: BalanceChange,
  { role }: WatchedAccount,
): readonly Movement[] {
  const { delta } = change;
  if (delta === 0n) {
    return isStanding(change) ? [] : [{ kind: 'other', wallet: null, delta, stakeEntry: null }];
  }
  const word = delta > 0n ? 'deposit' : 'withdraw';
  const kind = role === 'vault' ? word : 'other';
  return [{ kind, wallet: counterparty(changes, change), delta, stakeEntry: null }];
}

function withCalls(
  transaction: DecodedTransaction,
  change: BalanceChange,
  calls: readonly StakeCall[],
): readonly Movement[] {
  const { accounts, changes } = transaction;
  const moved = movedByCalls(calls, change.delta);
  if (!moved) return [taken(transaction, change, calls)];
  const explained = calls.map((call, place) => ({ call, delta: moved[place] ?? 0n }));
  const movements = explained.map(({ call, delta }): Movement => {
    const wallet = accounts.addressAt(call.authority);
    return { kind: call.word, wallet, delta, stakeEntry: accounts.addressAt(call.entry) };
  });
  const rest = change.delta - moved.reduce((sum, delta) => sum + delta, 0n);
  if (rest === 0n) return movements;
  const holders = explained.map(({ call, delta }) => [accounts.addressAt(call.holder), delta] as const);
  const wallet = counterparty(changes, { ...change, delta: rest }, holders);
  return [...movements, { kind: 'other', wallet, delta: rest, stakeEntry: null }];
}

/**
 * What each call moved, signed; null where that cannot be told apart. What a transfer fee took from the only stake did not
 * arrive, so the stake is the smaller by it.
 */
function movedByCalls(calls: readonly StakeCall[], delta: bigint): readonly bigint[] | null {
  const moved = calls.map(({ word, moved: told }) =>
    told === null ? null : word === 'stake' ? told.amount : -told.amount,
  );
  const rest = moved.reduce<bigint>((left, one) => left - (one ?? 0n), delta);
  const unknown = calls.filter((_, place) => moved[place] === null);
  const [only] = unknown;
  if (only) {
    if (unknown.length > 1 || rest === 0n || rest > 0n !== (only.word === 'stake')) return null;
    return moved.map((one) => one ?? rest);
  }
  const known = moved.map((one) => one ?? 0n);
  const [stake, ...more] = calls.filter(({ word }) => word === 'stake');
  const isFee = rest < 0n && more.length === 0 && stake?.moved?.mayHaveFee;
  return isFee ? known.map((one, place) => (calls[place] === stake ? one + rest : one)) : known;
}

/** All that moved taken together, where the node does not tell what each call moved. */
function taken(
  { accounts, changes }: DecodedTransaction,
  change: BalanceChange,
  calls: readonly StakeCall[],
): Movement {
  const { delta } = change;
  const word = delta > 0n ? 'stake' : 'unstake';
  const [call, ...more] = delta === 0n ? [] : calls.filter((one) => one.word === word);
  const wallet = delta === 0n ? null : counterparty(changes, change);
  if (!call) return { kind: 'other', wallet, delta, stakeEntry: null };
  if (more.length > 0) return { kind: word, wallet, delta, stakeEntry: null };
  return {
    kind: word,
    wallet: accounts.addressAt(call.authority),
    delta,
    stakeEntry: accounts.addressAt(call.entry),
  };
}

/** Whether a token account was there before and after, and had the same owner. */
export function isStanding({ existedBefore, existsAfter, ownerBefore, ownerAfter }: BalanceChange): boolean {
  return existedBefore && existsAfter && ownerBefore === ownerAfter;
}

function walletOf({ delta, ownerBefore, ownerAfter }: BalanceChange): string | null {
  return delta < 0n ? (ownerBefore ?? ownerAfter) : (ownerAfter ?? ownerBefore);
}

/**
 * The wallet on the other side: of the wallets whose token accounts moved the opposite way, the one that moved exactly
 * as much, else the one that moved most (a transfer fee makes the two sides differ); of equals, the first by its text,
 * so that the order of accounts decides nothing. It is the owner of the tokens, whoever signed: a delegate, or the
 * members of a multisig wallet, move what belongs to another.
 *
 * @param explained what calls moved of the watched account, and whose tokens: that is no part of what is looked for
 */
function counterparty(
  changes: readonly BalanceChange[],
  watched: BalanceChange,
  explained: readonly (readonly [wallet: string, delta: bigint])[] = [],
): string | null {
  const isOpposite = (delta: bigint) => delta !== 0n && delta < 0n !== watched.delta < 0n;
  if (explained.length === 0) {
    // Nearly always there is just one.
    const [only, ...more] = changes.filter(
      ({ account, delta }) => account !== watched.account && isOpposite(delta),
    );
    if (more.length === 0) return only ? walletOf(only) : null;
  }
  const moved = new Map<string, bigint>();
  for (const change of changes) {
    const wallet = walletOf(change);
    if (
      wallet !== null &&
      change.account !== watched.account &&
      (explained.length > 0 || isOpposite(change.delta))
    ) {
      moved.set(wallet, (moved.get(wallet) ?? 0n) + change.delta);
    }
  }
  for (const [wallet, delta] of explained) {
    const known = moved.get(wallet);
    if (known !== undefined) moved.set(wallet, known + delta);
  }
  let found: { readonly wallet: string; readonly amount: bigint; readonly isExact: boolean } | null = null;
  for (const [wallet, delta] of moved) {
    if (!isOpposite(delta)) continue;
    const candidate = { wallet, amount: delta < 0n ? -delta : delta, isExact: delta === -watched.delta };
    if (!found || isBetter(candidate, found)) found = candidate;
  }
  return found?.wallet ?? null;
}

function isBetter(
  left: { readonly wallet: string; readonly amount: bigint; readonly isExact: boolean },
  right: { readonly wallet: string; readonly amount: bigint; readonly isExact: boolean },
): boolean {
  if (left.isExact !== right.isExact) return left.isExact;
  if (left.amount !== right.amount) return left.amount > right.amount;
  return left.wallet < right.wallet;
}
