import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseStore } from '../store/lease-port.ts';
import { holdLease } from './hold-lease.ts';

/**
 * A store with one lease. `takeResults`: the results of the first attempts to take the lease. Later attempts succeed.
 * `renewWith` replaces `renew`.
 */
function fakeLeases(takeResults: readonly boolean[] = [true]) {
  const remainingResults = [...takeResults];
  const calls: string[] = [];
  let renewal: () => Promise<boolean> = async () => true;
  const leases: LeaseStore = {
    async take() {
      calls.push('take');
      return (remainingResults.shift() ?? true) ? { fence: 7, holder: 'this' } : null;
    },
    renew() {
      calls.push('renew');
      return renewal();
    },
    async release() {
      calls.push('release');
    },
  };
  const renewWith = (answer: typeof renewal): void => {
    renewal = answer;
  };
  return { leases, calls, renewWith };
}

function hold(leases: LeaseStore, signal = new AbortController().signal) {
  const [onStandby, onLost] = [vi.fn(), vi.fn()];
  return { onStandby, onLost, pendingLease: holdLease({ leases, name: 'a', signal, onStandby, onLost }) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a lease', () => {
  it('is awaited until it is free, or until the waiting program stops', async () => {
    const { leases, calls } = fakeLeases([false, false, true]);
    const { pendingLease, onStandby } = hold(leases);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await pendingLease).fence).toBe(7);
    expect(calls).toEqual(['take', 'take', 'take']);
    expect(onStandby).toHaveBeenCalledTimes(1);

    const stopping = new AbortController();
    const waiting = hold(fakeLeases([false, false]).leases, stopping.signal).pendingLease;
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is renewed until it is released', async () => {
    const { leases, calls } = fakeLeases();
    const lease = await hold(leases).pendingLease;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.filter((call) => call === 'renew').length).toBeGreaterThan(20);
    await lease.release();
    calls.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual([]);
  });

  it('is lost immediately when another program has taken it', async () => {
    const { leases, renewWith } = fakeLeases();
    const { pendingLease, onLost } = hold(leases);
    await pendingLease;
    renewWith(async () => false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no connection'))],
    ['gets no answer', () => new Promise<boolean>(() => {})],
  ])('survives a short outage, but is lost if it expires while its renewal %s', async (_case, renewal) => {
    const { leases, renewWith } = fakeLeases();
    const { pendingLease, onLost } = hold(leases);
    await pendingLease;
    renewWith(renewal);
    await vi.advanceTimersByTimeAsync(7_500);
    expect(onLost).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['is reported lost once while it is held', async () => {}, 1],
    [
      'is not reported lost after its release',
      (lease: Awaited<ReturnType<typeof holdLease>>) => lease.release(),
      0,
    ],
  ])('%s, if a renewal hangs and then fails', async (_case, act, count) => {
    const { leases, renewWith } = fakeLeases();
    const { pendingLease, onLost } = hold(leases);
    const lease = await pendingLease;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    renewWith(() => promise);
    await vi.advanceTimersByTimeAsync(2_500);
    await act(lease);
    await vi.advanceTimersByTimeAsync(30_000);
    resolve(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(onLost).toHaveBeenCalledTimes(count);
  });
});
