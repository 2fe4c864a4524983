import { setTimeout } from 'node:timers/promises';
import { type StreamHub, sourceReads } from '../live/stream-hub.ts';
import type { IndexFollower } from './index-follower.ts';
import type { LiveSnapshot } from './live-snapshot.ts';

/** Polls the index once and updates the answers and the streams. Never throws. */
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

/** Repeats a step with a pause after each. Stopping waits for the running step. */
export function repeat(step: () => Promise<void>, pauseMs: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      await step();
      // Aborting ends the pause with an error.
      await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
