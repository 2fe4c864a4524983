import type { StreamHub } from '../live/stream-hub.ts';
import { sourceReads } from '../live/stream-hub.ts';
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
    const change = snapshot.rebuild(follower.facts, now);
    if (change) hub.publish(change);
  }
  hub.beat(sourceReads(follower.facts.index));
}

/** Repeats a step with a pause after each. Stopping waits for the running step. */
export function repeat(step: () => Promise<void>, pauseMs: number): { stop(): Promise<void> } {
  let stopped = false;
  let wake: (() => void) | undefined;
  const run = async () => {
    while (!stopped) {
      await step();
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const running = run();
  return {
    stop: () => {
      stopped = true;
      wake?.();
      return running;
    },
  };
}
