import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Latencies, LoadRequest } from '../api/steady-load.ts';

const PER_SECOND = 50;

/** A visitor's reads during about one second. */
export interface LatencySample {
  /** Milliseconds on the process's monotonic clock. */
  readonly startedAt: number;
  readonly failed: number;
  /** How long each successful read took. */
  readonly latenciesMs: readonly number[];
}

/**
 * Reads a cached figure at a constant rate, in a separate process, until `stop` is called. `stop` rejects if the process has
 * already ended.
 */
export function startVisitor(url: string): { stop(): Promise<readonly LatencySample[]> } {
  const client = fork(new URL('../api/steady-load.ts', import.meta.url));
  const ended = once(client, 'exit').then(([code]): never => {
    throw new Error(`The visitor's process ended with ${code}.`);
  });
  ended.catch(() => {});
  let isOver = false;
  const reading = (async () => {
    const samples: LatencySample[] = [];
    while (!isOver) {
      const startedAt = performance.now();
      const request: LoadRequest = { url, perSecond: PER_SECOND, seconds: 1 };
      client.send(request);
      const [{ failed, latenciesMs }] = await Promise.race([
        once(client, 'message') as Promise<[Latencies]>,
        ended,
      ]);
      samples.push({ startedAt, failed, latenciesMs });
    }
    client.disconnect();
    return samples;
  })();
  // `stop` reports the error.
  reading.catch(() => {});
  return {
    stop() {
      isOver = true;
      return reading;
    },
  };
}
