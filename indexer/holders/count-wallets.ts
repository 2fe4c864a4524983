/** What a token account holds, and whose it is. */
export interface Holding {
  /** The token account. */
  readonly address: string;
  readonly owner: string;
  /** Base units. */
  readonly amount: bigint;
}

/** Every token account of the mint at one slot, and what else is known of that slot. */
export interface HoldingsAtSlot {
  readonly holdings: readonly Holding[];
  /** The token accounts of the vault and of the stake pool: their owners are no wallets of holders. */
  readonly vault: string;
  readonly poolVault: string;
  /** Base units ever minted and not burnt. */
  readonly supply: bigint;
  /** Whether accounts may hold less than the supply together: Token-2022 may withhold fees beside the amounts. */
  readonly isPartWithheld: boolean;
  /** Wallets with an open stake: what is staked lies in the stake pool's account, and is theirs. */
  readonly stakers: Iterable<string>;
}

/** The token accounts told are not all of them, or not those of the slot. */
export class HoldingsError extends Error {
  override readonly name = 'HoldingsError';
}

/**
 * Wallets that hold BD: the owners of token accounts with an amount, each once, and the wallets that stake.
 * @throws {HoldingsError} where the list cannot be whole: no count is better than one that is too low
 */
export function countWallets(told: HoldingsAtSlot): number {
  const { holdings, vault, poolVault, supply, isPartWithheld, stakers } = told;
  const owners = [vault, poolVault].map((address) => {
    const account = holdings.find((holding) => holding.address === address);
    if (!account) throw new HoldingsError('The token accounts told lack one that is followed.');
    return account.owner;
  });
  const held = holdings.reduce((sum, { amount }) => sum + amount, 0n);
  if (held > supply || (held < supply && !isPartWithheld)) {
    throw new HoldingsError('The token accounts told do not hold the supply of the mint together.');
  }
  const wallets = new Set(holdings.filter(({ amount }) => amount > 0n).map(({ owner }) => owner));
  for (const owner of owners) wallets.delete(owner);
  for (const staker of stakers) wallets.add(staker);
  return wallets.size;
}
