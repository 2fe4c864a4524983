import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWallets, type Holding, HoldingsError } from './count-wallets.ts';

const holding = (address: string, owner: string, amount: bigint): Holding => ({ address, owner, amount });

const VAULT = holding('vault', 'vault owner', 50n);
const POOL_VAULT = holding('pool vault', 'pool', 30n);

function count(holdings: readonly Holding[], stakers: readonly string[] = [], changes: object = {}): number {
  const all = [VAULT, POOL_VAULT, ...holdings];
  const supply = all.reduce((sum, { amount }) => sum + amount, 0n);
  const { address: vault } = VAULT;
  const { address: poolVault } = POOL_VAULT;
  return countWallets({
    holdings: all,
    vault,
    poolVault,
    supply,
    isPartWithheld: false,
    stakers,
    ...changes,
  });
}

describe('the wallets that hold BD', () => {
  it('are those with an amount, and none whose account is empty', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'bob', 0n)])).toBe(1);
  });

  it('count once, however many accounts they have', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'alice', 2n), holding('c', 'carol', 3n)])).toBe(2);
  });

  it('are not the owners of the vault and of the stake pool, whatever else these hold', () => {
    expect(count([])).toBe(0);
    expect(count([holding('more', 'vault owner', 5n), holding('b', 'pool', 5n)])).toBe(0);
  });

  it('are also those whose BD is all staked, once', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'bob', 0n)], ['bob', 'alice', 'dave'])).toBe(3);
  });

  it('are not counted in a list that lacks an account which is followed', () => {
    const told = { holdings: [POOL_VAULT, holding('a', 'alice', 50n)] };
    expect(() => count([], [], told)).toThrow(HoldingsError);
    expect(() => count([], [], { holdings: [] })).toThrow(HoldingsError);
  });

  it('are not counted in a list that holds less or more than the supply', () => {
    expect(() => count([], [], { supply: 81n })).toThrow(/supply/);
    expect(() => count([], [], { supply: 79n })).toThrow(/supply/);
    expect(() => count([], [], { supply: 79n, isPartWithheld: true })).toThrow(/supply/);
    expect(count([holding('a', 'alice', 1n)], [], { supply: 90n, isPartWithheld: true })).toBe(1);
  });

  it('are never fewer than those that stake', () => {
    const name = fc.constantFrom('alice', 'bob', 'carol', 'dave', 'vault owner', 'pool');
    const holdings = fc.array(fc.tuple(name, fc.bigInt({ min: 0n, max: 3n })));
    fc.assert(
      fc.property(holdings, fc.uniqueArray(name), (held, stakers) => {
        const rows = held.map(([owner, amount], index) => holding(`account ${index}`, owner, amount));
        const counted = count(rows, stakers);
        expect(counted).toBeGreaterThanOrEqual(stakers.length);
        const staking = new Set<string>(stakers);
        const others = new Set(rows.map(({ owner }) => owner).filter((owner) => !staking.has(owner)));
        expect(counted).toBeLessThanOrEqual(stakers.length + others.size);
      }),
    );
  });
});
