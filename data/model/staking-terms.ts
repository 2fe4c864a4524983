import { scaledDecimal } from './amounts.ts';

/** The address of Streamflow's staking program on Solana (https://docs.streamflow.finance). */
export const STAKING_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';

/** A stake is locked for this many days. Staking again with the same wallet restarts the lock. */
export const LOCK_DAYS = 180;
/** Percent per year, as stated by the project: neither measured nor compounded. */
export const STATED_YIELD_PERCENT = '88.7';

/**
 * The reward for one lock period if the stated yield were paid in full: stake × yield × lock days ÷ 365, in base units of BD,
 * rounded down. It is not a promise.
 */
export function statedReward(staked: bigint): bigint {
  const perMille = scaledDecimal(STATED_YIELD_PERCENT, 1);
  return (staked * perMille * BigInt(LOCK_DAYS)) / (1_000n * 365n);
}

type LockState =
  | { readonly kind: 'locked'; readonly days: number; readonly hours: number; readonly minutes: number }
  | { readonly kind: 'unlocked' };

/** The time left until the unlock. Arguments are Unix milliseconds. */
export function lockState(unlocksAt: number, now: number): LockState {
  const remainingMs = unlocksAt - now;
  if (remainingMs <= 0) return { kind: 'unlocked' };
  const minutes = Math.floor(remainingMs / 60_000);
  return {
    kind: 'locked',
    days: Math.floor(minutes / 1_440),
    hours: Math.floor((minutes % 1_440) / 60),
    minutes: minutes % 60,
  };
}

/** How much of a lock's duration has passed, in percent from 0 to 100. A lock without a duration is always at 100. */
export function lockProgress(startedAt: number, unlocksAt: number, now: number): number {
  if (unlocksAt <= startedAt) return 100;
  return Math.min(100, Math.max(0, ((now - startedAt) / (unlocksAt - startedAt)) * 100));
}
