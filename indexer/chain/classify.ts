import type { EventKind } from '../../data/model/chain-events.ts';
import type { BalanceChange, DecodedTransaction } from './decode.ts';

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
}

/**
 * What a transaction did to a watched account, or null where it did nothing to it: it failed, or merely names
 * the account. Anyone can name the account in a transaction of theirs, so naming alone is no event. A
 * transaction that moves nothing but opens, closes or hands over the account is one (`other`, delta 0).
 *
 * The balance decides; instructions only give it a word. The pool's vault moves by `stake` and `unstake`
 * where the staking program was called so, else in a way with no word (`other`): tokens sent straight to it
 * are no stake.
 */
export function classify(transaction: DecodedTransaction, watched: WatchedAccount): Movement | null {
  const change = transaction.changes.find(({ account }) => account === watched.address);
  if (!change) return null;
  const { delta } = change;
  if (delta === 0n) return isStanding(change) ? null : { kind: 'other', wallet: null, delta };
  const wallet = counterparty(transaction.changes, change);
  return { kind: kindOf(delta, watched.role, transaction.stakeInstructions), wallet, delta };
}

function isStanding({ existedBefore, existsAfter, ownerBefore, ownerAfter }: BalanceChange): boolean {
  return existedBefore && existsAfter && ownerBefore === ownerAfter;
}

function kindOf(
  delta: bigint,
  role: WatchedAccount['role'],
  called: DecodedTransaction['stakeInstructions'],
): EventKind {
  const isInflow = delta > 0n;
  if (role === 'vault') return isInflow ? 'deposit' : 'withdraw';
  const word = isInflow ? 'stake' : 'unstake';
  return called.has(word) ? word : 'other';
}

function walletOf({ delta, ownerBefore, ownerAfter }: BalanceChange): string | null {
  return delta < 0n ? (ownerBefore ?? ownerAfter) : (ownerAfter ?? ownerBefore);
}

/**
 * The wallet on the other side: of the wallets whose token accounts moved the opposite way, the one that
 * moved exactly as much, else the one that moved most; the first in the transaction where several did.
 */
function counterparty(changes: readonly BalanceChange[], watched: BalanceChange): string | null {
  const moved = new Map<string, bigint>();
  for (const change of changes) {
    const wallet = walletOf(change);
    const isOpposite = change.delta !== 0n && change.delta < 0n !== watched.delta < 0n;
    if (wallet !== null && isOpposite) moved.set(wallet, (moved.get(wallet) ?? 0n) + change.delta);
  }
  let found: { readonly wallet: string; readonly amount: bigint } | null = null;
  for (const [wallet, delta] of moved) {
    if (delta === -watched.delta) return wallet;
    const amount = delta < 0n ? -delta : delta;
    if (!found || amount > found.amount) found = { wallet, amount };
  }
  return found?.wallet ?? null;
}
