import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeldLease, LeaseStore } from '../store/lease-port.ts';

/** How long (ms) a lease is valid. If the program that holds it dies, another program can take it over after this time. */
export const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 2_500;
/** How long (ms) a stopping program waits for the store to release the lease. If the store hangs, the lease expires. */
const RELEASE_WITHIN_MS = 2_000;
const TAKE_EVERY_MS = 500;

interface LeaseOptions {
  readonly leases: LeaseStore;
  /** The lease's name, which identifies the work that only one program may do at a time. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called once if this program has to wait because another program holds the lease. */
  readonly onStandby: () => void;
  /** Called at most once, if the lease is lost before this program releases it. The program must then stop the work. */
  readonly onLost: () => void;
}

/**
 * Waits until this program gets the lease, then renews it until it is released.
 * @throws an `AbortError` if the signal aborts during the wait, or an error from the store
 */
export async function holdLease(
  options: LeaseOptions,
): Promise<{ readonly fence: number; release(): Promise<void> }> {
  const { leases, name, signal } = options;
  const holder = randomUUID();
  let lease = await leases.take(name, holder, LEASE_MS);
  if (lease === null) options.onStandby();
  while (lease === null) {
    await pause(TAKE_EVERY_MS, undefined, { signal });
    lease = await leases.take(name, holder, LEASE_MS);
  }
  const heldLease = lease;
  const stopRenewing = keepRenewing(options, heldLease);
  return {
    fence: heldLease.fence,
    async release() {
      stopRenewing();
      const releasing = leases.release(name, heldLease).catch(() => {});
      await Promise.race([releasing, pause(RELEASE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Runs work under a lease. If the lease is lost, the work continues, so another program may do the same work at the same
 * time.
 * @returns null, without running the work, if another program holds the lease
 */
export async function runLeased<T>(
  leases: LeaseStore,
  name: string,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const lease = await leases.take(name, randomUUID(), LEASE_MS);
  if (lease === null) return null;
  const stopRenewing = keepRenewing({ leases, name, onLost: () => {} }, lease);
  try {
    return { value: await work() };
  } finally {
    stopRenewing();
    // If the release fails, the lease expires.
    await leases.release(name, lease).catch(() => {});
  }
}

/** Renews a lease at intervals. @returns a function that stops the renewals */
function keepRenewing(
  { leases, name, onLost }: Pick<LeaseOptions, 'leases' | 'name' | 'onLost'>,
  lease: HeldLease,
): () => void {
  let validUntil = performance.now() + LEASE_MS;
  let isRenewing = false;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  const renew = async (): Promise<void> => {
    const requestedAt = performance.now();
    // Null after an error, or while an earlier attempt is still running. In both cases, the lease may still be valid.
    const isHeld = isRenewing ? null : await attempt();
    if (isHeld === true) validUntil = requestedAt + LEASE_MS;
    if (isOver || (isHeld !== false && performance.now() < validUntil)) return;
    stop();
    onLost();
  };
  const attempt = async (): Promise<boolean | null> => {
    isRenewing = true;
    return leases
      .renew(name, lease, LEASE_MS)
      .catch(() => null)
      .finally(() => {
        isRenewing = false;
      });
  };
  const timer = setInterval(() => void renew(), RENEW_EVERY_MS);
  return stop;
}
