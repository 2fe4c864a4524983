import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensToBaseUnits } from './amounts.ts';
import {
  CARD_TIERS,
  cardTier,
  newCardLimits,
  nextCardTier,
  stakerBadge,
  TIER_TERMS,
  tierRank,
} from './tiers.ts';

describe.each([0, 6, 9])('for a mint with %i decimals,', (decimals) => {
  it.each([
    [1_500_000n, null, 'Duckling'],
    [5_000_000n, 'Duckling', 'Banker'],
    [7_500_000n, 'Banker', 'Raven'],
  ] as const)('at exactly %s BD, the card tier changes from %s to %s', (minimum, below, from) => {
    const edge = tokensToBaseUnits(minimum, decimals);
    expect(cardTier(edge - 1n, decimals)).toBe(below);
    expect(cardTier(edge, decimals)).toBe(from);
    expect(cardTier(edge + 1n, decimals)).toBe(from);
  });

  it.each([
    [1_500_000n, null, 'Silver'],
    [5_000_000n, 'Silver', 'Gold'],
    [7_500_000n, 'Gold', 'Platinum'],
    [10_000_000n, 'Platinum', 'Diamond'],
  ] as const)('at exactly %s BD, the badge changes from %s to %s', (minimum, below, from) => {
    const edge = tokensToBaseUnits(minimum, decimals);
    expect(stakerBadge(edge - 1n, decimals)).toBe(below);
    expect(stakerBadge(edge, decimals)).toBe(from);
    expect(stakerBadge(edge + 1n, decimals)).toBe(from);
  });
});

describe('the next tier', () => {
  it.each([
    [0n, 'Duckling', 1_500_000_000_000n],
    [1_499_999_999_999n, 'Duckling', 1n],
    [1_500_000_000_000n, 'Banker', 3_500_000_000_000n],
    [4_999_999_999_999n, 'Banker', 1n],
    [5_000_000_000_000n, 'Raven', 2_500_000_000_000n],
    [7_499_999_999_999n, 'Raven', 1n],
  ] as const)('after a stake of %s base units is %s, which needs %s more', (staked, tier, missing) => {
    expect(nextCardTier(staked, 6)).toEqual({ tier, missing, minimum: staked + missing });
  });

  it('is null at the highest tier', () => {
    expect(nextCardTier(7_500_000_000_000n, 6)).toBeNull();
  });
});

describe('tiers', () => {
  it('are null without a stake, and the highest for the largest possible stake', () => {
    expect(cardTier(0n, 6)).toBeNull();
    expect(stakerBadge(0n, 6)).toBeNull();
    expect(cardTier(2n ** 64n - 1n, 6)).toBe('Raven');
    expect(stakerBadge(2n ** 64n - 1n, 6)).toBe('Diamond');
  });

  it('never fall when more is staked', () => {
    const anyStake = fc.bigInt({ min: 0n, max: tokensToBaseUnits(20_000_000n, 6) });
    const rank = (staked: bigint) => tierRank(cardTier(staked, 6) ?? 'None');
    fc.assert(
      fc.property(anyStake, anyStake, (staked, more) => {
        expect(rank(staked + more)).toBeGreaterThanOrEqual(rank(staked));
      }),
    );
  });

  it('have the published limits, and no identity check for the lowest', () => {
    expect(TIER_TERMS).toMatchObject([
      { tier: 'Duckling', dailyLimitUsd: 2_000, monthlyLimitUsd: 60_000, kyc: 'none' },
      { tier: 'Banker', dailyLimitUsd: 5_000, monthlyLimitUsd: 150_000, kyc: 'if-required' },
      { tier: 'Raven', dailyLimitUsd: 100_000, monthlyLimitUsd: 3_000_000, kyc: 'if-required' },
    ]);
  });

  it('give a new card a monthly limit equal to the tier’s daily limit', () => {
    expect(CARD_TIERS.map(newCardLimits)).toEqual([
      { dailyLimitUsd: 2_000, monthlyLimitUsd: 2_000 },
      { dailyLimitUsd: 5_000, monthlyLimitUsd: 5_000 },
      { dailyLimitUsd: 100_000, monthlyLimitUsd: 100_000 },
    ]);
  });

  it('rank from none to the highest', () => {
    expect((['None', 'Duckling', 'Banker', 'Raven'] as const).map(tierRank)).toEqual([0, 1, 2, 3]);
  });
});
