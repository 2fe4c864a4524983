import type { EventKind } from '../../data/model/chain-events.ts';
import type { BalanceChange } from './balance-changes.ts';
import type { DecodedTransaction } from './decode.ts';
import type { StakeCall, StakeInstruction } from './stake-instructions.ts';

/** A token account that is followed. */
export interface WatchedAccount {
  readonly address: string;
  readonly role: 'vault' | 'stake-pool-vault';
}

export interface Movement {
  readonly kind: EventKind;
  /** The counterparty's wallet; null where none can be named. */
  readonly wallet: string | null;
  /** Base units, signed. */
  readonly delta: bigint;
  /** The stake entry that was opened or ended, where it is a stake or unstake that names just one. */
  readonly stakeEntry: string | null;
}

/**
 * What a transaction did to a watched account, or null where it did nothing to it: it failed, or merely names
 * the account. Anyone can name the account in a transaction of theirs, so naming alone is no event; nor is
 * moving tokens in and out again in one transaction, which leaves every balance as it was. A transaction that moves
 * nothing but opens, closes or hands over the account is one (`other`, delta 0), and so is one that ends a stake and
 * opens another of the same size: nothing moved, but a lock began anew.
 *
 * The balance decides; instructions only give it a word. The pool's vault moves by `stake` and `unstake`
 * where the staking program was called so on this pool, else in a way with no word (`other`): tokens sent straight to
 * it are no stake.
 */
export function classify(transaction: DecodedTransaction, watched: WatchedAccount): Movement | null {
  const index = transaction.accounts.indexOf(watched.address);
  const change = transaction.changes.find(({ account }) => account === index);
  if (!change) return null;
  const { delta } = change;
  const calls = watched.role === 'vault' ? [] : transaction.stakeCalls.filter(({ vault }) => vault === index);
  if (delta === 0n) {
    const isUntouched = isStanding(change) && calls.length === 0;
    return isUntouched ? null : { kind: 'other', wallet: null, delta, stakeEntry: null };
  }
  const wallet = counterparty(transaction.changes, change);
  const isInflow = delta > 0n;
  if (watched.role === 'vault') {
    return { kind: isInflow ? 'deposit' : 'withdraw', wallet, delta, stakeEntry: null };
  }
  const word: StakeInstruction = isInflow ? 'stake' : 'unstake';
  const named = calls.filter((call) => call.word === word);
  if (named.length === 0) return { kind: 'other', wallet, delta, stakeEntry: null };
  return { kind: word, wallet, delta, stakeEntry: entryOf(named, transaction) };
}

function isStanding({ existedBefore, existsAfter, ownerBefore, ownerAfter }: BalanceChange): boolean {
  return existedBefore && existsAfter && ownerBefore === ownerAfter;
}

function entryOf([call, ...more]: readonly StakeCall[], { accounts }: DecodedTransaction): string | null {
  return call && more.length === 0 ? accounts.addressAt(call.entry) : null;
}

function walletOf({ delta, ownerBefore, ownerAfter }: BalanceChange): string | null {
  return delta < 0n ? (ownerBefore ?? ownerAfter) : (ownerAfter ?? ownerBefore);
}

/**
 * The wallet on the other side: of the wallets whose token accounts moved the opposite way, the one that moved exactly
 * as much, else the one that moved most (a transfer fee makes the two sides differ); of equals, the first by its text,
 * so that the order of accounts decides nothing. It is the owner of the tokens, whoever signed: a delegate, or the
 * members of a multisig wallet, move what belongs to another.
 */
function counterparty(changes: readonly BalanceChange[], watched: BalanceChange): string | null {
  const moved = new Map<string, bigint>();
  for (const change of changes) {
    const wallet = walletOf(change);
    const isOpposite = change.delta !== 0n && change.delta < 0n !== watched.delta < 0n;
    if (wallet !== null && isOpposite) moved.set(wallet, (moved.get(wallet) ?? 0n) + change.delta);
  }
  let found: { readonly wallet: string; readonly amount: bigint; readonly isExact: boolean } | null = null;
  for (const [wallet, delta] of moved) {
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
