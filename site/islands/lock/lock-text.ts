import { lockProgress, lockState } from '../../../data/model/staking-terms.ts';

/** What is left of a lock, to the minute: `'171 d 4 h 12 min'`, then `'Unlocked'`. Times are Unix ms. */
export function lockText(unlocksAt: number, now: number): string {
  const state = lockState(unlocksAt, now);
  return state.kind === 'unlocked' ? 'Unlocked' : `${state.days} d ${state.hours} h ${state.minutes} min`;
}

/** Whole percent of a lock that has passed; 100 only once it is over. */
export function wholeProgress(startedAt: number, unlocksAt: number, now: number): number {
  return Math.floor(lockProgress(startedAt, unlocksAt, now));
}
