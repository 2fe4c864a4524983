import { noJitterGenerator } from 'cockatiel';

const BASE_MS = 250;
export const LONGEST_BACKOFF_MS = 5_000;

/**
 * Milliseconds to wait after the given number of failures in a row (from 1): exponential with full jitter, so
 * that clients which failed together do not return together. Source: AWS Architecture Blog, "Exponential
 * Backoff And Jitter". The jitter is drawn here because cockatiel's own draws from `Math.random` alone.
 */
export function backoffDelay(
  failures: number,
  random: () => number,
  { baseMs = BASE_MS, longestMs = LONGEST_BACKOFF_MS }: { baseMs?: number; longestMs?: number } = {},
): number {
  const options = { generator: noJitterGenerator, initialDelay: baseMs, maxDelay: longestMs, exponent: 2 };
  const [ceiling] = noJitterGenerator(failures - 1, options);
  return Math.ceil(random() * ceiling);
}
