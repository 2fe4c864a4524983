import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountOfLink,
  halfOf,
  parseTypedAmount,
  solText,
  stakeOutlook,
  tiersAbove,
  worthUsd,
} from './stake-amount.ts';

describe('a typed amount', () => {
  it.each([
    [' 1,500,000.25 ', '1500000.25'],
    ['0.000001', '0.000001'],
    ['1500000.0000000000000000001', '1500000.0000000000000000001'],
  ])('%j is read as %s, to the last digit', (typed, amount) => {
    expect(parseTypedAmount(typed)).toBe(amount);
  });

  it.each(['', '0', '0.00', '-1', '1e6', '1,5', '1.500.000', '.5', '1500000 BD', 'all', '9'.repeat(41)])(
    '%j is invalid',
    (typed) => {
      expect(parseTypedAmount(typed)).toBeNull();
    },
  );
});

/** Amounts in base units, often close to the minimum of a tier or to the distance between two tiers. */
const units = fc.oneof(
  fc.bigInt({ min: 0n, max: 12_000_000_000_000n }),
  fc
    .tuple(fc.constantFrom(1_500_000n, 3_500_000n, 5_000_000n, 7_500_000n), fc.integer({ min: -2, max: 2 }))
    .map(([bd, off]) => bd * 1_000_000n + BigInt(off)),
);
/** An amount in base units of a mint with six decimals, as decimal text. Computed without the code under test. */
function textOfUnits(amount: bigint): string {
  const digits = String(amount).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
function unitsOf(decimalText: string): bigint {
  const [whole = '', fraction = ''] = decimalText.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
/** The tier for a stake, according to the table in the specification. */
function tierAt(staked: bigint): string | null {
  if (staked >= 7_500_000_000_000n) return 'Raven';
  if (staked >= 5_000_000_000_000n) return 'Banker';
  return staked >= 1_500_000_000_000n ? 'Duckling' : null;
}

describe('the tiers that a stake has not reached', () => {
  it('are reached by adding the missing amount, but not by one base unit less', () => {
    fc.assert(
      fc.property(units, units, (staked, available) => {
        for (const { tier, amountToTier } of tiersAbove(textOfUnits(staked), textOfUnits(available))) {
          expect(tierAt(staked + unitsOf(amountToTier))).toBe(tier);
          expect(tierAt(staked + unitsOf(amountToTier) - 1n)).not.toBe(tier);
        }
      }),
    );
  });

  it('are within reach if and only if staking the whole balance reaches them, and are then listed first', () => {
    const ranks = [null, 'Duckling', 'Banker', 'Raven'];
    fc.assert(
      fc.property(units, units, (staked, available) => {
        const tiers = tiersAbove(textOfUnits(staked), textOfUnits(available));
        const reachedCount = ranks.indexOf(tierAt(staked + available)) - ranks.indexOf(tierAt(staked));
        expect(tiers.map(({ shortfall }) => shortfall === null)).toEqual(
          tiers.map((_, index) => index < reachedCount),
        );
        for (const { tier, shortfall } of tiers.slice(reachedCount)) {
          expect(tierAt(staked + available + unitsOf(shortfall ?? ''))).toBe(tier);
          expect(tierAt(staked + available + unitsOf(shortfall ?? '') - 1n)).not.toBe(tier);
        }
      }),
    );
  });

  it('are all listed while the balance is unknown, and none is listed at the highest tier', () => {
    expect(tiersAbove('1499999.999999', null).map(({ amountToTier }) => amountToTier)).toEqual([
      '0.000001',
      '3500000.000001',
      '6000000.000001',
    ]);
    expect(tiersAbove('0', null).map(({ shortfall }) => shortfall)).toEqual([null, null, null]);
    expect(tiersAbove('7500000', '0')).toEqual([]);
  });
});

describe('the outlook of a stake', () => {
  it('has the tier for the total stake, the amount to the next tier, and the exact stated reward', () => {
    fc.assert(
      fc.property(units, units, units, (amount, staked, available) => {
        const outlook = stakeOutlook(textOfUnits(amount), textOfUnits(staked), textOfUnits(available));
        expect(outlook?.tier).toBe(tierAt(staked + amount));
        expect(outlook?.isTooMuch).toBe(amount > available);
        const missing = [1_500_000n, 5_000_000n, 7_500_000n]
          .map((minimum) => minimum * 1_000_000n - staked - amount)
          .find((units) => units > 0n);
        const amountToTier = outlook?.nextTier?.amountToTier;
        expect(amountToTier === undefined ? undefined : unitsOf(amountToTier)).toBe(missing);
        // 88.7 % × 180 ÷ 365, rounded down to 18 decimal places.
        const [whole = '', fraction = ''] = (outlook?.reward ?? '').split('.');
        const reward = BigInt(whole + fraction.padEnd(18, '0'));
        const exactReward = amount * 10n ** 12n * 887n * 180n;
        expect(reward * 365_000n <= exactReward && exactReward < (reward + 1n) * 365_000n).toBe(true);
      }),
    );
  });

  it('has an undefined tier if the stake is unknown, and never exceeds an unknown balance', () => {
    expect(stakeOutlook('1500000', null, null)).toStrictEqual({
      reward: '656136.986301369863013698',
      tier: undefined,
      nextTier: undefined,
      isTooMuch: false,
    });
    expect(stakeOutlook('1', '0', '0')?.tier).toBeNull();
  });

  it('is null for an amount with more decimals than any mint has', () => {
    expect(stakeOutlook('0.0000000000000000001', '0', '0')).toBeNull();
    expect(stakeOutlook('1.50000000000000000000', '0', null)).not.toBeNull();
  });
});

it('a fee is shown with all its digits', () => {
  expect(['5000', '0'].map(solText)).toEqual(['0.000005 SOL', '0 SOL']);
});

it.each([
  ['?amount=1500000', '1500000'],
  ['?a=1&amount=0.5', '0.5'],
  ['?amount=1,500,000', '1500000'],
  ['?amount=-1', ''],
  ['?amount=<b>', ''],
  ['', ''],
])('a link with %j has the amount %j', (search, amount) => {
  expect(amountOfLink(search)).toBe(amount);
});

it.each([
  ['2000001.5', '1000000'],
  ['3', '1'],
  ['1.999999', null],
  ['0', null],
])('half of %s BD, in whole BD: %s', (balance, half) => {
  expect(halfOf(balance)).toBe(half);
});

it('an amount is worth amount × price, rounded to the cent', () => {
  expect(worthUsd('1500000', '0.0001137')).toBe('170.55');
  expect(worthUsd('0.000001', '0.0001137')).toBe('0.00');
  fc.assert(
    fc.property(units, fc.bigInt({ min: 0n, max: 10n ** 12n }), (amount, price) => {
      const worth = worthUsd(textOfUnits(amount), `0.${String(price).padStart(12, '0').slice(-12)}`);
      const cents = BigInt(worth.replace('.', ''));
      const exactWorth = amount * (price % 10n ** 12n);
      // Half a cent. `exactWorth` has 18 decimals: 6 from the amount and 12 from the price.
      const halfCent = 10n ** 16n / 2n;
      expect(exactWorth - cents * 10n ** 16n <= halfCent && cents * 10n ** 16n - exactWorth <= halfCent).toBe(
        true,
      );
    }),
  );
});
