import { ratioText } from './amounts.ts';
import { dayOf, dayStart, mondayOf } from './reports.ts';
import type { StakeOfWallet } from './stakers.ts';

/** The number of weeks in an unlock schedule, including the current one. */
export const UNLOCK_WEEK_COUNT = 30;
export const TOP_STAKER_COUNT = 10;

const WEEK_MS = 7 * 86_400_000;

type Lock = Pick<StakeOfWallet, 'amount' | 'unlocksAt'>;

/** Open stakes by the time at which they unlock, in base units. The amounts add up to the total stake. */
interface UnlockSchedule {
  readonly unlocked: bigint;
  /** Weeks from Monday to Sunday (UTC). The current week excludes stakes that are already unlocked. */
  readonly weeks: readonly { readonly from: number; readonly amount: bigint; readonly stakes: number }[];
  /** The amount that unlocks after the last week. */
  readonly later: bigint;
  /** When (Unix ms) the schedule next changes, even if all stakes stay the same: at the next unlock or the next Monday. */
  readonly nextChangeAt: number;
}

export function unlockSchedule(openStakes: Iterable<Lock>, now: number): UnlockSchedule {
  const firstMonday = dayStart(mondayOf(dayOf(now)));
  const weeks = Array.from({ length: UNLOCK_WEEK_COUNT }, (_, week) => ({
    from: firstMonday + week * WEEK_MS,
    amount: 0n,
    stakes: 0,
  }));
  let [unlocked, later, nextChangeAt] = [0n, 0n, firstMonday + WEEK_MS];
  for (const { amount, unlocksAt } of openStakes) {
    if (unlocksAt <= now) {
      unlocked += amount;
      continue;
    }
    nextChangeAt = Math.min(nextChangeAt, unlocksAt);
    const week = weeks[Math.floor((unlocksAt - firstMonday) / WEEK_MS)];
    if (week === undefined) later += amount;
    else {
      week.amount += amount;
      week.stakes += 1;
    }
  }
  return { unlocked, weeks, later, nextChangeAt };
}

interface Concentration {
  /** The combined stake of the largest stakers, in base units. */
  readonly topStake: bigint;
  /**
   * From 0 (all wallets stake the same) to almost 1 (one wallet stakes almost everything), with four decimals; null without
   * stakes.
   */
  readonly gini: string | null;
}

/**
 * How unequal stakes are, computed with integers.
 * Gini = (2 Σ rank × stake − (n + 1) Σ stake) ÷ (n Σ stake), where the smallest of n stakes has rank 1.
 * @param stakes base units, largest first
 */
export function concentrationOf(stakes: readonly bigint[]): Concentration {
  const count = BigInt(stakes.length);
  let [sum, rankedSum, topStake] = [0n, 0n, 0n];
  for (const [index, stake] of stakes.entries()) {
    sum += stake;
    rankedSum += (count - BigInt(index)) * stake;
    if (index < TOP_STAKER_COUNT) topStake += stake;
  }
  return { topStake, gini: ratioText(2n * rankedSum - (count + 1n) * sum, count * sum, 4) };
}
