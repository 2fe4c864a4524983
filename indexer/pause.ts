import { setTimeout as sleep } from 'node:timers/promises';

/** Waits. @throws the signal's reason where it aborts meanwhile */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    // The timer's own error says only that it was aborted.
    signal.throwIfAborted();
    throw error;
  }
}

/** Waits, and returns early where the signal aborts: for loops that look at the signal themselves. */
export async function pauseOrStop(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
