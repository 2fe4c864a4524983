import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratioText } from './amounts.ts';
import { concentrationOf, UNLOCK_WEEK_COUNT, unlockSchedule } from './stake-distribution.ts';

const DAY_MS = 86_400_000;
/** A Wednesday, 12:00 UTC. */
const NOW = Date.UTC(2026, 10, 25, 12);
const MONDAY = Date.UTC(2026, 10, 23);
const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const anyStake = fc.record({
  amount,
  unlocksAt: fc.oneof(
    fc.integer({ min: -40 * DAY_MS, max: 300 * DAY_MS }).map((distance) => NOW + distance),
    fc.constantFrom(
      NOW,
      NOW + 1,
      MONDAY,
      MONDAY + 7 * DAY_MS - 1,
      MONDAY + 7 * DAY_MS,
      MONDAY + UNLOCK_WEEK_COUNT * 7 * DAY_MS,
    ),
  ),
});

describe('the unlock schedule', () => {
  it('begins with the Monday of this week, and excludes stakes that are already unlocked', () => {
    const { unlocked, weeks, later, nextChangeAt } = unlockSchedule(
      [
        { amount: 1n, unlocksAt: NOW },
        { amount: 2n, unlocksAt: NOW + 1 },
        { amount: 4n, unlocksAt: MONDAY + 7 * DAY_MS },
        { amount: 8n, unlocksAt: MONDAY + UNLOCK_WEEK_COUNT * 7 * DAY_MS - 1 },
        { amount: 16n, unlocksAt: MONDAY + UNLOCK_WEEK_COUNT * 7 * DAY_MS },
      ],
      NOW,
    );
    expect([unlocked, later, nextChangeAt]).toEqual([1n, 16n, NOW + 1]);
    expect(weeks).toHaveLength(UNLOCK_WEEK_COUNT);
    expect(weeks[0]).toEqual({ from: MONDAY, amount: 2n, stakes: 1 });
    expect(weeks[1]).toEqual({ from: MONDAY + 7 * DAY_MS, amount: 4n, stakes: 1 });
    expect(weeks.at(-1)).toMatchObject({ amount: 8n, stakes: 1 });
  });

  it('adds up to the total, matches a plain model in each week, and does not change before `nextChangeAt`', () => {
    fc.assert(
      fc.property(fc.array(anyStake), fc.nat(6 * DAY_MS), (allStakes, elapsedMs) => {
        const schedule = unlockSchedule(allStakes, NOW);
        const sum = (chosen: typeof allStakes) => chosen.reduce((total, one) => total + one.amount, 0n);
        const { unlocked, weeks, later, nextChangeAt } = schedule;
        expect(weeks.reduce((total, week) => total + week.amount, unlocked + later)).toBe(sum(allStakes));
        expect(unlocked).toBe(sum(allStakes.filter(({ unlocksAt }) => unlocksAt <= NOW)));
        for (const { from, amount: weekAmount, stakes } of weeks) {
          const inWeek = allStakes.filter(
            ({ unlocksAt }) => unlocksAt > NOW && unlocksAt >= from && unlocksAt < from + 7 * DAY_MS,
          );
          expect([weekAmount, stakes]).toEqual([sum(inWeek), inWeek.length]);
        }
        const laterNow = Math.min(NOW + elapsedMs, nextChangeAt - 1);
        expect(unlockSchedule(allStakes, laterNow)).toEqual(schedule);
      }),
    );
  });
});

describe('the concentration of stakes', () => {
  it.each([
    [[], null],
    [[5n], '0.0000'],
    [[5n, 5n, 5n], '0.0000'],
    [[3n, 1n], '0.2500'],
    [[1n, 0n, 0n, 0n], '0.7500'],
    [[0n, 0n], null],
  ])('of %s is %s', (stakes, gini) => {
    expect(concentrationOf(stakes).gini).toBe(gini);
  });

  it('is the mean difference of all pairs over twice the mean; `topStake` adds up the ten largest', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 25 }), (unsorted) => {
        const stakes = unsorted.toSorted((one, other) => (one < other ? 1 : one > other ? -1 : 0));
        const total = stakes.reduce((sum, one) => sum + one, 0n);
        const differences = stakes.flatMap((one) =>
          stakes.map((other) => (one > other ? one - other : other - one)),
        );
        const distance = differences.reduce((sum, one) => sum + one, 0n);
        const { gini, topStake } = concentrationOf(stakes);
        expect(gini).toBe(ratioText(distance, 2n * BigInt(stakes.length) * total, 4));
        expect(topStake).toBe(stakes.slice(0, 10).reduce((sum, one) => sum + one, 0n));
      }),
    );
  });
});
