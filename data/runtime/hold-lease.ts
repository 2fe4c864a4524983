import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeldLease, LeaseStore } from '../store/lease-port.ts';

/** Milliseconds for which a lease is valid. A program that dies is replaced after them. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 2_500;
/** Milliseconds between two attempts to take a lease that another program holds. */
const TAKE_EVERY_MS = 500;

interface LeaseOptions {
  readonly leases: LeaseStore;
  /** What only one program may do at a time. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called once if another program holds the lease. */
  readonly onStandby: () => void;
  /** Called once if the lease is lost, and may not be used any more. */
  readonly onLost: () => void;
}

/**
 * Waits until this program gets a lease, and renews it until it is released.
 * @throws the signal's reason once it is aborted, or what the store throws
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
  const { fence } = lease;
  const stopRenewing = keepRenewing(options, lease);
  return {
    fence,
    async release() {
      stopRenewing();
      await leases.release(name, { fence });
    },
  };
}

/**
 * Runs work while this program holds a lease, unless another program holds it. After a lost lease the work goes on, so it must
 * allow for another program that does the same.
 * @returns null, with nothing run, while another program holds the lease
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
    // If that fails, the lease expires.
    await leases.release(name, lease).catch(() => {});
  }
}

/** @returns a function that stops it */
function keepRenewing(
  { leases, name, onLost }: Pick<LeaseOptions, 'leases' | 'name' | 'onLost'>,
  lease: HeldLease,
): () => void {
  let validUntil = performance.now() + LEASE_MS;
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    // After an error the lease may still be valid, and the next attempt may succeed.
    const isHeld = isRenewing ? null : await attempt();
    if (isHeld === true) validUntil = askedAt + LEASE_MS;
    if (isHeld !== false && performance.now() < validUntil) return;
    clearInterval(timer);
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
  return () => clearInterval(timer);
}
