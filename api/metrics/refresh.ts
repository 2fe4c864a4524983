import { setTimeout } from 'node:timers/promises';
import { type StreamHub, sourceReads } from '../live/stream-hub.ts';
import type { IndexFollower } from './index-follower.ts';
import type { LiveSnapshot } from './live-snapshot.ts';

/** Rebuilds the figures if the index changed or a figure aged, and sends changes to the live streams. Never throws. */
export async function refresh(
  { follower, snapshot, hub }: { follower: IndexFollower; snapshot: LiveSnapshot; hub: StreamHub },
  clock: () => number,
): Promise<void> {
  const isChanged = await follower.poll();
  const now = clock();
  if (isChanged || snapshot.isDue(now)) {
    const change = snapshot.rebuild(follower.inputs, now);
    if (change) hub.publish(change);
  }
  hub.beat(sourceReads(follower.inputs.index));
}

interface RepeatLoop {
  /** Ends the current pause, but not before `shortestMs`. During a step, it shortens the next pause instead. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Repeats a step, and pauses after each repetition.
 * @param pauses a pause takes `longestMs`; `wake` shortens it, but not below `shortestMs`
 */
export function repeat(
  step: () => Promise<void>,
  pauses: { readonly shortestMs: number; readonly longestMs: () => number },
): RepeatLoop {
  const stopController = new AbortController();
  let wakeController = new AbortController();
  // Aborting ends a pause with an error.
  const pause = (milliseconds: number, { signal }: AbortController) =>
    setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  const run = async () => {
    while (!stopController.signal.aborted) {
      wakeController = new AbortController();
      await step();
      await pause(pauses.shortestMs, stopController);
      const remainingMs = pauses.longestMs() - pauses.shortestMs;
      if (remainingMs > 0 && !stopController.signal.aborted) await pause(remainingMs, wakeController);
    }
  };
  const running = run();
  return {
    wake: () => wakeController.abort(),
    stop: () => {
      stopController.abort();
      wakeController.abort();
      return running;
    },
  };
}
