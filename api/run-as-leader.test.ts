import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LeaseStore } from '../data/store/lease-port.ts';
import { runAsLeader } from './run-as-leader.ts';

function singleLeaseStore(): LeaseStore {
  let fence = 0;
  let holder: string | null = null;
  return {
    take: async (_name, replica) => {
      if (holder !== null && holder !== replica) return null;
      holder = replica;
      fence += 1;
      return { fence, holder: replica };
    },
    renew: async (_name, lease) => holder !== null && lease.fence === fence,
    release: async (_name, lease) => {
      if (lease.fence === fence) holder = null;
    },
  };
}

it('jobs run in one replica, and move to another when that one stops', async () => {
  const leases = singleLeaseStore();
  const log = pino({ level: 'silent' });
  const runningReplicas: string[] = [];
  const startReplica = (name: string) => {
    const stop = runAsLeader({
      leases,
      name: 'jobs',
      log,
      start: () => {
        runningReplicas.push(name);
        return async () => void runningReplicas.splice(runningReplicas.indexOf(name), 1);
      },
    });
    onTestFinished(stop);
    return stop;
  };
  const stopOne = startReplica('one');
  await vi.waitFor(() => expect(runningReplicas).toEqual(['one']), { timeout: 60_000 });
  startReplica('other');
  await stopOne();
  await vi.waitFor(() => expect(runningReplicas).toEqual(['other']), { timeout: 60_000 });
});

it('jobs that cannot start release the lease, so that another replica can run them', async () => {
  const leases = singleLeaseStore();
  const log = pino({ level: 'silent' });
  const options = { leases, name: 'jobs', log };
  let isStarted = false;
  onTestFinished(
    runAsLeader({
      ...options,
      start: () => {
        throw new Error('no port');
      },
    }),
  );
  onTestFinished(
    runAsLeader({
      ...options,
      start: () => {
        isStarted = true;
        return async () => {};
      },
    }),
  );
  await vi.waitFor(() => expect(isStarted).toBe(true), { timeout: 60_000 });
});
