import { tokensToBaseUnits } from './amounts.ts';

/** By ascending minimum. */
export const CARD_TIERS = ['Duckling', 'Banker', 'Raven'] as const;
export type CardTier = (typeof CARD_TIERS)[number];

/** 1 for the lowest tier; 0 without a tier. */
export function tierRank(tier: CardTier | 'None'): number {
  return tier === 'None' ? 0 : CARD_TIERS.indexOf(tier) + 1;
}

/** By ascending minimum. */
export const STAKER_BADGES = ['Silver', 'Gold', 'Platinum', 'Diamond'] as const;
export type BadgeName = (typeof STAKER_BADGES)[number];

export interface TierTerms {
  readonly tier: CardTier;
  /** Whole BD that must be staked. */
  readonly minimumStakeBd: bigint;
  /** Whole US dollars. */
  readonly dailyLimitUsd: number;
  readonly monthlyLimitUsd: number;
  readonly newCardMonthlyLimitUsd: number;
  readonly kyc: 'none' | 'if-required';
}

/** Whole BD that must be staked for any card. */
export const MINIMUM_STAKE_BD = 1_500_000n;

/** By ascending minimum. */
export const TIER_TERMS: readonly TierTerms[] = [
  {
    tier: 'Duckling',
    minimumStakeBd: MINIMUM_STAKE_BD,
    dailyLimitUsd: 2_000,
    monthlyLimitUsd: 60_000,
    newCardMonthlyLimitUsd: 2_000,
    kyc: 'none',
  },
  {
    tier: 'Banker',
    minimumStakeBd: 5_000_000n,
    dailyLimitUsd: 5_000,
    monthlyLimitUsd: 150_000,
    newCardMonthlyLimitUsd: 5_000,
    kyc: 'if-required',
  },
  {
    tier: 'Raven',
    minimumStakeBd: 7_500_000n,
    dailyLimitUsd: 100_000,
    monthlyLimitUsd: 3_000_000,
    newCardMonthlyLimitUsd: 100_000,
    kyc: 'if-required',
  },
];

/** The maximum number of cards per issuer. Some closed cards still count: see `CardStore`. */
export const MAX_CARDS = 250;
/** In percent of the amount topped up. */
export const TOP_UP_FEE_PERCENT = '4.5';

export function tierTerms(tier: CardTier): TierTerms {
  const terms = TIER_TERMS.find((candidate) => candidate.tier === tier);
  if (!terms) throw new RangeError(`There is no card tier ${tier}.`);
  return terms;
}

/** The limits of a new card in whole US dollars. They never exceed the tier's limits. */
export function newCardLimits(tier: CardTier): CardLimits {
  const { dailyLimitUsd, monthlyLimitUsd, newCardMonthlyLimitUsd } = tierTerms(tier);
  return { dailyLimitUsd, monthlyLimitUsd: Math.min(newCardMonthlyLimitUsd, monthlyLimitUsd) };
}

export interface CardLimits {
  /** Whole US dollars. */
  readonly dailyLimitUsd: number;
  readonly monthlyLimitUsd: number;
}

/** The limits that the holder chose. For a limit that the holder did not choose (null): the limit of a new card. */
export function cardLimits({
  tier,
  dailyLimitUsd,
  monthlyLimitUsd,
}: { readonly tier: CardTier } & { readonly [Name in keyof CardLimits]: number | null }): CardLimits {
  const defaultLimits = newCardLimits(tier);
  return {
    dailyLimitUsd: dailyLimitUsd ?? defaultLimits.dailyLimitUsd,
    monthlyLimitUsd: monthlyLimitUsd ?? defaultLimits.monthlyLimitUsd,
  };
}

export function isWithinTier({ dailyLimitUsd, monthlyLimitUsd }: CardLimits, tier: CardTier): boolean {
  const terms = tierTerms(tier);
  return dailyLimitUsd <= terms.dailyLimitUsd && monthlyLimitUsd <= terms.monthlyLimitUsd;
}

/** By ascending minimum. A badge is only a label. */
export const BADGE_TERMS: readonly { readonly badge: BadgeName; readonly minimumStakeBd: bigint }[] = [
  { badge: 'Silver', minimumStakeBd: 1_500_000n },
  { badge: 'Gold', minimumStakeBd: 5_000_000n },
  { badge: 'Platinum', minimumStakeBd: 7_500_000n },
  { badge: 'Diamond', minimumStakeBd: 10_000_000n },
];

/** The card tier that a stake (base units) earns; null below the lowest minimum. */
export function cardTier(staked: bigint, decimals: number): CardTier | null {
  return (
    TIER_TERMS.findLast((terms) => staked >= tokensToBaseUnits(terms.minimumStakeBd, decimals))?.tier ?? null
  );
}

export function higherTier(earned: CardTier | 'None', whitelisted: CardTier | null): CardTier | null {
  return CARD_TIERS.findLast((tier) => tier === earned || tier === whitelisted) ?? null;
}

/** The next higher tier, its minimum, and how much more stake it needs (base units); null at the highest tier. */
export function nextCardTier(
  staked: bigint,
  decimals: number,
): { readonly tier: CardTier; readonly minimum: bigint; readonly missing: bigint } | null {
  const next = TIER_TERMS.find(({ minimumStakeBd }) => staked < tokensToBaseUnits(minimumStakeBd, decimals));
  if (!next) return null;
  const minimum = tokensToBaseUnits(next.minimumStakeBd, decimals);
  return { tier: next.tier, minimum, missing: minimum - staked };
}

/** The badge for a stake (base units) in the list of stakers; null below the lowest minimum. */
export function stakerBadge(staked: bigint, decimals: number): BadgeName | null {
  return (
    BADGE_TERMS.findLast((rule) => staked >= tokensToBaseUnits(rule.minimumStakeBd, decimals))?.badge ?? null
  );
}
