import type { ChainSnapshot } from '../../data/store/chain-rows.ts';
import type { Difference, EventSums } from '../../data/store/ports.ts';

/** The accounts as they stood at one slot; of the stake entries, what they hold and whether they are open. */
export type AccountsAtSlot = Pick<
  ChainSnapshot,
  'slot' | 'vaultBalance' | 'poolVaultBalance' | 'totalStaked'
> & {
  readonly entries: readonly Pick<ChainSnapshot['entries'][number], 'amount' | 'closedAt'>[];
};

/** What the indexed history says of the accounts, up to one slot and with it. */
export interface HistorySums {
  readonly vault: EventSums;
  readonly poolVault: EventSums;
  /** Transactions up to the slot that could not be read: the sums lack what they moved. */
  readonly unreadCount: number;
}

/**
 * Holds the accounts at a slot against the sums of the events up to it, and the pool's total against its open entries.
 * @returns what is not equal; nothing where all agree
 */
export function compare(
  accounts: AccountsAtSlot,
  { vault, poolVault, unreadCount }: HistorySums,
): readonly Difference[] {
  const openStakes = accounts.entries
    .filter(({ closedAt }) => closedAt === null)
    .reduce((sum, { amount }) => sum + amount, 0n);
  const checks: readonly Difference[] = [
    { what: 'vault.balance', onChain: accounts.vaultBalance, indexed: vault.totalIn - vault.totalOut },
    {
      what: 'stake-pool.vault-balance',
      onChain: accounts.poolVaultBalance,
      indexed: poolVault.totalIn - poolVault.totalOut,
    },
    {
      what: 'stake-pool.total-staked',
      onChain: accounts.totalStaked,
      indexed: poolVault.staked - poolVault.unstaked,
    },
    { what: 'stake-pool.open-entries', onChain: accounts.totalStaked, indexed: openStakes },
    { what: 'history.unread-transactions', onChain: BigInt(unreadCount), indexed: 0n },
  ];
  return checks.filter(({ onChain, indexed }) => onChain !== indexed);
}
