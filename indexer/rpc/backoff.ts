const BASE_MS = 250;
const LONGEST_MS = 5_000;

/**
 * Milliseconds to wait after the given number of failures in a row (from 1): exponential with full jitter, so
 * that clients which failed together do not return together. Source: AWS Architecture Blog, "Exponential
 * Backoff And Jitter".
 */
export function backoffDelay(
  failures: number,
  random: () => number,
  { baseMs = BASE_MS, longestMs = LONGEST_MS }: { baseMs?: number; longestMs?: number } = {},
): number {
  const ceiling = Math.min(longestMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.ceil(random() * ceiling);
}
