import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupStakers, nextStakingDay, type StakeOfWallet, stakingDays } from './stakers.ts';

const DAY_MS = 86_400_000;

function sampleStake(changes: Partial<StakeOfWallet>): StakeOfWallet {
  return {
    wallet: 'ada',
    nonce: 0,
    amount: 1n,
    createdAt: 0,
    unlocksAt: 180 * DAY_MS,
    closedAt: null,
    openedBy: null,
    ...changes,
  };
}

const anyStake: fc.Arbitrary<StakeOfWallet> = fc.record({
  wallet: fc.constantFrom('ada', 'bob', 'eve', 'kai'),
  nonce: fc.nat(50),
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  createdAt: fc.integer({ min: 0, max: 10 }).map((day) => day * DAY_MS),
  unlocksAt: fc.integer({ min: 0, max: 400 }).map((day) => day * DAY_MS),
  closedAt: fc.option(fc.nat(), { nil: null }),
  openedBy: fc.option(fc.stringMatching(/^[a-z]{5}$/), { nil: null }),
});
const anyStakes = fc.uniqueArray(anyStake, {
  maxLength: 30,
  selector: ({ wallet, nonce }) => `${wallet} ${nonce}`,
});

describe('the list of stakers', () => {
  it('has each wallet once, with all open entries, locked from its newest stake to its latest unlock', () => {
    const first = sampleStake({ amount: 5n, unlocksAt: 200 * DAY_MS, openedBy: 'one' });
    const newer = sampleStake({
      amount: 7n,
      nonce: 1,
      createdAt: 10 * DAY_MS,
      unlocksAt: 190 * DAY_MS,
      openedBy: 'two',
    });
    expect(groupStakers([newer, first])).toEqual([
      {
        wallet: 'ada',
        staked: 12n,
        entryCount: 2,
        lockedAt: 10 * DAY_MS,
        unlocksAt: 200 * DAY_MS,
        openedBy: 'two',
      },
    ]);
  });

  it('treats the stake with the higher nonce as the newer of two opened at the same time', () => {
    const stakes = [
      sampleStake({ nonce: 3, openedBy: 'third' }),
      sampleStake({ nonce: 2, openedBy: 'second' }),
    ];
    expect(groupStakers(stakes)[0]?.openedBy).toBe('third');
  });

  it('has no opening transaction for a wallet if only an older stake has one', () => {
    const withOpening = sampleStake({ openedBy: 'one' });
    expect(groupStakers([withOpening, sampleStake({ nonce: 1, createdAt: DAY_MS })])[0]?.openedBy).toBeNull();
  });

  it('drops a wallet when its last open entry ends, and keeps it while another is open', () => {
    expect(groupStakers([sampleStake({ closedAt: 5 })])).toEqual([]);
    expect(
      groupStakers([sampleStake({ closedAt: 5, createdAt: DAY_MS }), sampleStake({ nonce: 1 })]),
    ).toMatchObject([{ entryCount: 1, staked: 1n, lockedAt: 0 }]);
  });

  it('adds up to the open entries, regardless of their order', () => {
    fc.assert(
      fc.property(anyStakes, (stakes) => {
        const stakers = groupStakers(stakes);
        const open = stakes.filter(({ closedAt }) => closedAt === null);
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
        expect(sum(stakers.map(({ staked }) => staked))).toBe(sum(open.map(({ amount }) => amount)));
        expect(stakers.reduce((total, { entryCount }) => total + entryCount, 0)).toBe(open.length);
        const wallets = [...new Set(open.map(({ wallet }) => wallet))];
        expect(stakers.map(({ wallet }) => wallet).toSorted()).toEqual(wallets.toSorted());
        expect(groupStakers(stakes.toReversed())).toEqual(stakers);
        for (const [index, staker] of stakers.entries()) {
          const own = open.filter(({ wallet }) => wallet === staker.wallet);
          expect(staker.lockedAt).toBe(Math.max(...own.map(({ createdAt }) => createdAt)));
          expect(staker.unlocksAt).toBe(Math.max(...own.map(({ unlocksAt }) => unlocksAt)));
          const next = stakers[index + 1];
          if (next) expect(staker.staked >= next.staked).toBe(true);
        }
      }),
    );
  });
});

describe('the days staked', () => {
  it('are whole days since the lock began', () => {
    expect([0, DAY_MS - 1, DAY_MS, 180 * DAY_MS].map((age) => stakingDays(1_000, 1_000 + age))).toEqual([
      0, 0, 1, 180,
    ]);
  });

  it('are 0 if a difference between clocks puts the start of the lock in the future', () => {
    expect(stakingDays(DAY_MS, 0)).toBe(0);
  });

  it('increase at the time that nextStakingDay returns, not before', () => {
    fc.assert(
      fc.property(fc.nat(400 * DAY_MS), fc.nat(800 * DAY_MS), (lockedAt, now) => {
        const next = nextStakingDay(lockedAt, now);
        expect(next).toBeGreaterThan(now);
        expect(stakingDays(lockedAt, next - 1)).toBe(stakingDays(lockedAt, now));
        expect(stakingDays(lockedAt, next)).toBe(stakingDays(lockedAt, now) + 1);
      }),
    );
  });
});
