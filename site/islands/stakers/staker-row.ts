import { type StakerBadge, stakerBadge } from '../../../data/model/tiers.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { EXACT_DECIMALS, exactUnits } from '../table/exact-units.ts';

/** A wallet that stakes, as the list of active stakers shows it. Times are Unix ms. */
export interface StakerRow {
  readonly wallet: string;
  /** BD, decimal text, exact. */
  readonly amount: string;
  /** The same, to be ordered by. */
  readonly units: bigint;
  readonly badge: StakerBadge | null;
  readonly startedAt: number;
  readonly unlocksAt: number;
  /** The transaction that opened its newest stake. */
  readonly signature: string | null;
}

export function stakerRows(stakers: FigureBodies['/api/staking/transfers']['stakers']): readonly StakerRow[] {
  return stakers.map(({ wallet, amount, startDate, unlockDate, signature }) => {
    const units = exactUnits(amount);
    return {
      wallet,
      amount,
      units,
      badge: stakerBadge(units, EXACT_DECIMALS),
      startedAt: Date.parse(startDate),
      unlocksAt: Date.parse(unlockDate),
      signature,
    };
  });
}

/** How far up the badges one stands, for ordering; null for none. */
export function badgeRank(badge: StakerBadge | null, badges: readonly StakerBadge[]): number | null {
  return badge === null ? null : badges.indexOf(badge);
}
