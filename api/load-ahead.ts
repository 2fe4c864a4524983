import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds after the start. A portal that is restarted repeatedly spends nothing on this. */
const AFTER_MS = 3_000;

/**
 * Loads what the portal starts without, in the background. Each takes 20 to 120 ms of the event loop, in which nobody gets
 * an answer, so the first visitor who needs it should not be the one who causes that.
 * @param loads each is called once the one before has finished
 * @param signal stops the loading
 */
export async function loadAhead(
  loads: readonly (() => Promise<unknown>)[],
  signal: AbortSignal,
  afterMs = AFTER_MS,
): Promise<void> {
  await setTimeout(afterMs, undefined, { signal, ref: false });
  for (const load of loads) {
    if (signal.aborted) return;
    await load();
    // Answers what arrived meanwhile.
    await setImmediate();
  }
}
