import { describe, expect, it } from 'vitest';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { networkHealthBody, networkHealthNews, nextHealthChange } from './health.ts';

function health(active: readonly boolean[], age: number | null) {
  const endpoints = active.map((isActive, number) => ({
    name: `${number}.example`,
    active: isActive,
    latencyMs: null,
    slot: null,
    errorCount: 2,
    lastError: null,
  }));
  const endpointsReportedAt = age === null ? null : TEST_START - age;
  return networkHealthBody({ ...SAMPLE_INDEX, endpoints, endpointsReportedAt }, 'solana', TEST_START);
}

describe('the network’s health', () => {
  it.each([
    ['healthy', 'all endpoints answer', [true, true], 0, 2],
    ['healthy', 'the report is 30 s old', [true], 30_000, 1],
    ['degraded', 'the report is older than 30 s', [true], 30_001, 1],
    ['degraded', 'some endpoints answer', [true, false], 0, 1],
    ['degraded', 'the report is 60 s old', [true], 60_000, 1],
    ['offline', 'the report is older than 60 s', [true, true], 60_001, 0],
    ['offline', 'the report is of the future', [true], -5_001, 0],
    ['offline', 'no endpoint answers', [false, false], 0, 0],
    ['offline', 'there is no endpoint', [], 0, 0],
    ['offline', 'the indexer never reported', [], null, 0],
  ])('is %s where %s', (status, _case, active, age, activeEndpoints) => {
    expect(health(active, age)).toMatchObject({ status, activeEndpoints, totalEndpoints: active.length });
  });

  it('adds up the failed requests, and names no update where there was none', () => {
    expect(health([true, false], 0).errorCount).toBe(4);
    expect(health([], null).lastUpdate).toBeNull();
  });

  it('makes no news of the clock', () => {
    expect(networkHealthNews(health([true], 1_000))).toEqual(networkHealthNews(health([true], 0)));
    expect(networkHealthNews(health([true], 31_000))).not.toEqual(networkHealthNews(health([true], 0)));
  });

  it('changes by time after 30 and after 60 seconds without a report', () => {
    expect(nextHealthChange(TEST_START, TEST_START)).toBe(TEST_START + 30_001);
    expect(nextHealthChange(TEST_START, TEST_START + 30_001)).toBe(TEST_START + 60_001);
    expect(nextHealthChange(TEST_START, TEST_START + 60_001)).toBeNull();
    expect(nextHealthChange(null, TEST_START)).toBeNull();
    expect(nextHealthChange(TEST_START, TEST_START - 60_000)).toBe(TEST_START - 5_000);
  });
});
