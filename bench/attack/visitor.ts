import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Latencies, LoadOrder } from '../api/steady-load.ts';

/** How many times a second the visitor reads the figure. */
const PER_SECOND = 50;

/** A visitor's reads in about a second. */
export interface VisitorSecond {
  /** By the process's monotonic clock. */
  readonly startedAt: number;
  readonly failed: number;
  /** Milliseconds of each read. */
  readonly times: readonly number[];
}

/** Reads a cached figure at a constant rate, in a separate process, until it is stopped. */
export function startVisitor(url: string): { stop(): Promise<readonly VisitorSecond[]> } {
  const client = fork(new URL('../api/steady-load.ts', import.meta.url));
  let isOver = false;
  const reading = (async () => {
    const seconds: VisitorSecond[] = [];
    while (!isOver) {
      const startedAt = performance.now();
      const order: LoadOrder = { url, perSecond: PER_SECOND, seconds: 1 };
      client.send(order);
      const [{ failed, times }]: [Latencies] = await (once(client, 'message') as Promise<[Latencies]>);
      seconds.push({ startedAt, failed, times });
    }
    client.disconnect();
    return seconds;
  })();
  return {
    stop() {
      isOver = true;
      return reading;
    },
  };
}
