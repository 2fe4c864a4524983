import { noJitterGenerator } from 'cockatiel';

/**
 * @param wakers during the wait, this set contains a function that ends the wait early
 * @throws the signal's reason if it aborts during the wait
 */
export function pause(
  milliseconds: number,
  signal: AbortSignal,
  wakers: Set<() => void> = new Set(),
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const cleanUpThen = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      wakers.delete(wake);
      settle();
    };
    const wake = cleanUpThen(resolve);
    const stop = cleanUpThen(() => reject(signal.reason));
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
    wakers.add(wake);
  });
}

/** Waits, and returns early if the signal aborts. Meant for loops that check the signal themselves. */
export async function pauseOrStop(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, signal).catch(() => {});
}

const BASE_MS = 250;
export const MAX_BACKOFF_MS = 5_000;

/**
 * Milliseconds to wait after a number of failures in a row (from 1): exponential with full jitter, so that clients that
 * failed together do not retry together. Source: AWS Architecture Blog, "Exponential Backoff And Jitter". The jitter is
 * computed here because cockatiel always uses `Math.random`.
 */
export function backoffDelayMs(
  failures: number,
  random: () => number,
  { baseMs = BASE_MS, longestMs = MAX_BACKOFF_MS }: { baseMs?: number; longestMs?: number } = {},
): number {
  const options = { generator: noJitterGenerator, initialDelay: baseMs, maxDelay: longestMs, exponent: 2 };
  const [ceiling] = noJitterGenerator(failures - 1, options);
  return Math.ceil(random() * ceiling);
}

const MAX_SLEEP_MS = 30_000;

/** Lets several callers sleep for a given time, or until the next `wake`. */
export function createInterruptibleSleep() {
  const wakers = new Set<() => void>();
  return {
    /** Sleeps for at most half a minute. @throws the signal's reason if it aborts during the sleep */
    sleep: (milliseconds: number, signal: AbortSignal): Promise<void> =>
      pause(Math.min(MAX_SLEEP_MS, Math.max(1, milliseconds)), signal, wakers),
    wake(): void {
      for (const wake of [...wakers]) wake();
    },
  };
}
