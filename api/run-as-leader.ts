import { setTimeout as pause } from 'node:timers/promises';
import { holdLease } from '../data/runtime/hold-lease.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { LeaseStore } from '../data/store/lease-port.ts';

/** How many milliseconds to wait before another attempt if the leases cannot be read. */
const RETRY_MS = 1_000;

type Stop = () => Promise<void>;

/**
 * Runs jobs while this replica holds the lease, so that only one replica runs them at a time. When this replica stops or
 * dies, another one takes over.
 * @param options.start starts the jobs, and returns a function that stops them
 * @returns a function that stops the jobs, and lets another replica run them
 */
export function runAsLeader(options: {
  readonly leases: LeaseStore;
  readonly name: string;
  readonly start: () => Stop;
  readonly log: Logger;
}): Stop {
  const { leases, name, start, log } = options;
  const stopController = new AbortController();
  const { signal } = stopController;
  const whenStopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  const runOnce = async (): Promise<void> => {
    const leaseLoss = Promise.withResolvers<void>();
    const lease = await holdLease({ leases, name, signal, onStandby: () => {}, onLost: leaseLoss.resolve });
    try {
      const stopJobs = start();
      log.info({ lease: name }, 'this replica now runs the jobs for all replicas');
      await Promise.race([leaseLoss.promise, whenStopped]);
      await stopJobs();
    } finally {
      // If the lease were not released, it would be renewed, and no replica could run the jobs.
      await lease.release();
    }
  };
  const run = async (): Promise<void> => {
    let hasWarned = false;
    while (!signal.aborted) {
      try {
        await runOnce();
        hasWarned = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!hasWarned) log.warn({ err: error, lease: name }, 'the lease for the jobs cannot be read');
        hasWarned = true;
        await pause(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  };
  const running = run();
  return async () => {
    stopController.abort();
    await running;
  };
}
