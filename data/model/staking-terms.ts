import { scaledDecimal } from './amounts.ts';

/** The staking program on Solana: Streamflow's (https://docs.streamflow.finance). */
export const STAKING_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';

/** A stake is locked for this many days. Staking again with the same wallet restarts the lock. */
export const LOCK_DAYS = 180;
/** In percent a year, as the project sets it: not measured, not compounded. */
export const STATED_YIELD_PERCENT = '88.7';

/**
 * Base units that one lock would earn if the stated yield were paid in full, rounded down: stake × yield × lock ÷ 365.
 * It counts tokens, not dollars, and is not a promise.
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

/** How much of a lock has passed, in percent from 0 to 100. A lock without a duration counts as passed. */
export function lockProgress(startedAt: number, unlocksAt: number, now: number): number {
  if (unlocksAt <= startedAt) return 100;
  return Math.min(100, Math.max(0, ((now - startedAt) / (unlocksAt - startedAt)) * 100));
}
