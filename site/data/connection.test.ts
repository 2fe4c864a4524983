import { afterEach, describe, expect, it } from 'vitest';
import { sampleHealth } from '../shell/health/testing/sample-health.ts';
import { $network, recordHealth, recordUnreachable, setStreamState } from './connection.ts';

const HEALTHY = sampleHealth({ status: 'healthy', errorCount: 2 });

afterEach(() => {
  $network.set(null);
  setStreamState('connecting');
});

describe('the network’s state', () => {
  it('follows the report', () => {
    for (const status of ['healthy', 'degraded', 'offline'] as const) {
      recordHealth({ ...HEALTHY, status });
      expect($network.get()).toMatchObject({ status, isReachable: true, errorCount: 2 });
    }
  });

  it('is offline after a failed read, adds it to the error count, and keeps the last report', () => {
    recordUnreachable();
    expect($network.get()).toEqual({ status: 'offline', isReachable: false, errorCount: 1, health: null });
    recordHealth(HEALTHY);
    recordUnreachable();
    recordUnreachable();
    expect($network.get()).toEqual({ status: 'offline', isReachable: false, errorCount: 4, health: HEALTHY });
  });

  it.each([
    ['healthy', 'degraded'],
    ['degraded', 'degraded'],
    ['offline', 'offline'],
  ] as const)('with a report of %s is %s while the stream is down', (status, expectedStatus) => {
    recordHealth({ ...HEALTHY, status });
    setStreamState('reconnecting');
    expect($network.get()?.status).toBe(expectedStatus);
    setStreamState('live');
    expect($network.get()?.status).toBe(status);
  });

  it('is unknown before the first read', () => {
    setStreamState('reconnecting');
    expect($network.get()).toBeNull();
  });
});
