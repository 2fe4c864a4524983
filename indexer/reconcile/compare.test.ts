import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventSums } from '../../data/store/ports.ts';
import { type AccountsAtSlot, compare, type HistorySums } from './compare.ts';

const units = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const someUnits = fc.array(units, { maxLength: 6 });
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/** A chain's accounts and the sums of the history that led to them. */
const agreeing = fc
  .record({
    deposits: someUnits,
    withdrawals: someUnits,
    open: someUnits,
    ended: someUnits,
    sentToPool: someUnits,
  })
  .map(({ deposits, withdrawals, open, ended, sentToPool }) => {
    const staked = total([...open, ...ended]);
    const unstaked = total(ended);
    const accounts: AccountsAtSlot = {
      slot: 7,
      vaultBalance: total(deposits) - total(withdrawals),
      poolVaultBalance: total(open) + total(sentToPool),
      totalStaked: total(open),
      entries: [
        ...open.map((amount) => ({ amount, closedAt: null })),
        ...ended.map((amount) => ({ amount, closedAt: 1 })),
      ],
    };
    const vault: EventSums = {
      totalIn: total(deposits),
      totalOut: total(withdrawals),
      staked: 0n,
      unstaked: 0n,
    };
    const poolVault = { totalIn: staked + total(sentToPool), totalOut: unstaked, staked, unstaked };
    const sums: HistorySums = { vault, poolVault, unreadCount: 0 };
    return { accounts, sums };
  });

describe('accounts held against the sum of events', () => {
  it('agree where the history led to them, whatever was sent to the pool beside it', () => {
    fc.assert(
      fc.property(agreeing, ({ accounts, sums }) => {
        expect(compare(accounts, sums)).toEqual([]);
      }),
    );
  });

  it('differ in the vault by exactly what an event lacks, doubles or made up', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        for (const side of ['totalIn', 'totalOut'] as const) {
          const vault = { ...sums.vault, [side]: sums.vault[side] + amount };
          const [difference, ...others] = compare(accounts, { ...sums, vault });
          expect(others).toEqual([]);
          expect(difference?.what).toBe('vault.balance');
          const gap = (difference?.indexed ?? 0n) - (difference?.onChain ?? 0n);
          expect(gap).toBe(side === 'totalIn' ? amount : -amount);
        }
      }),
    );
  });

  it('differ in the pool where a stake is missing, in balance and in total', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        const { poolVault } = sums;
        const missing = {
          ...poolVault,
          totalIn: poolVault.totalIn - amount,
          staked: poolVault.staked - amount,
        };
        expect(compare(accounts, { ...sums, poolVault: missing }).map(({ what }) => what)).toEqual([
          'stake-pool.vault-balance',
          'stake-pool.total-staked',
        ]);
      }),
    );
  });

  it('differ where the open entries are not the total of their pool', () => {
    fc.assert(
      fc.property(agreeing, fc.bigInt({ min: 1n, max: 2n ** 64n }), ({ accounts, sums }, amount) => {
        const entries = [...accounts.entries, { amount, closedAt: null }];
        const differences = compare({ ...accounts, entries }, sums);
        expect(differences.map(({ what }) => what)).toEqual(['stake-pool.open-entries']);
      }),
    );
  });

  it('never agree while a transaction up to the slot could not be read, since the sums may lack what it moved', () => {
    fc.assert(
      fc.property(agreeing, fc.integer({ min: 1, max: 1_000 }), ({ accounts, sums }, unreadCount) => {
        expect(compare(accounts, { ...sums, unreadCount })).toEqual([
          { what: 'history.unread-transactions', onChain: BigInt(unreadCount), indexed: 0n },
        ]);
      }),
    );
  });
});
