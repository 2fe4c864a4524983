/** Milliseconds that the wait after the first try lasts at most, and any wait. */
const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 6 * 3_600_000;
/** Each wait may be so many times as long as the one before. */
const GROWTH = 3;

/** Tries of a message that count, after the last of which it is given up: about a day altogether, half that on average. */
export const MOST_ATTEMPTS = 12;

/** The longest wait (ms) after a number of tries (from 1 on). */
export function longestWait(attempts: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * GROWTH ** (Math.max(1, attempts) - 1));
}

/**
 * How long to wait after a number of tries, in whole milliseconds: anything from nothing to the longest, so that many
 * messages that failed together are not tried together ("full jitter").
 *
 * @param random from 0 to below 1
 */
export function retryWait(attempts: number, random: number): number {
  return Math.floor(longestWait(attempts) * random);
}
