import type { TokenBalance, VersionedTransactionResponse } from '@solana/web3.js';

interface Holding {
  readonly amount: bigint;
  readonly owner: string | null;
}

/** A token account as a transaction found it and left it. */
export interface BalanceChange {
  readonly address: string;
  /** Null where it was not there. */
  readonly was: Holding | null;
  /** Null where it is not there any more. */
  readonly is: Holding | null;
  /** Base units, signed. */
  readonly change: bigint;
}

/** What became of a mint's token accounts that the transaction names. */
export function balanceChanges(
  { meta }: VersionedTransactionResponse,
  mint: string,
  addressAt: (index: number) => string | undefined,
): readonly BalanceChange[] {
  const held = (balances: readonly TokenBalance[] | null | undefined): ReadonlyMap<string, Holding> =>
    new Map(
      (balances ?? [])
        .filter((balance) => balance.mint === mint)
        .map(({ accountIndex, uiTokenAmount, owner }) => [
          addressAt(accountIndex) ?? '',
          { amount: BigInt(uiTokenAmount.amount), owner: owner ?? null },
        ]),
    );
  const before = held(meta?.preTokenBalances);
  const after = held(meta?.postTokenBalances);
  return [...new Set([...before.keys(), ...after.keys()])].map((address) => {
    const was = before.get(address) ?? null;
    const is = after.get(address) ?? null;
    return { address, was, is, change: (is?.amount ?? 0n) - (was?.amount ?? 0n) };
  });
}

/** The wallet that the moved tokens of an account belonged to, or belong to. */
export function walletOf({ was, is, change }: BalanceChange): string | null {
  return change < 0n ? (was?.owner ?? is?.owner ?? null) : (is?.owner ?? was?.owner ?? null);
}

/** Amounts that wallets moved, base units, signed, by wallet. */
export type Moved = readonly (readonly [wallet: string | null, change: bigint])[];

/** The sum of each wallet. */
export function sums(moved: Moved): Moved {
  const total = (parts: Moved) => parts.reduce((sum, [, change]) => sum + change, 0n);
  return [...Map.groupBy(moved, ([wallet]) => wallet)].map(([wallet, parts]) => [wallet, total(parts)]);
}

/** The wallet that moved the other way: exactly as much, else the most; of equals the first by its text. */
export function otherSide(moved: Moved, change: bigint): string | null {
  const size = change < 0n ? -change : change;
  const opposite = moved.filter(([, part]) => part !== 0n && part > 0n !== change > 0n);
  const ranked = sums(opposite)
    .flatMap(([wallet, part]) => (wallet === null ? [] : [{ wallet, moved: part < 0n ? -part : part }]))
    .toSorted((one, other) => {
      if ((one.moved === size) !== (other.moved === size)) return one.moved === size ? -1 : 1;
      if (one.moved !== other.moved) return one.moved > other.moved ? -1 : 1;
      return one.wallet < other.wallet ? -1 : 1;
    });
  return ranked[0]?.wallet ?? null;
}
