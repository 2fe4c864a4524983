import { describe, expect, it } from 'vitest';
import { MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import { healthyEndpoint, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { networkHealthBody, networkHealthFingerprint } from './health.ts';

function health(activeFlags: readonly boolean[], ageMs: number | null) {
  const endpoints = activeFlags.map((isActive, number) =>
    healthyEndpoint(`${number}.example`, {
      active: isActive,
      state: isActive ? 'active' : 'distrusted',
      slotLag: 3,
      errorCount: 2,
    }),
  );
  const endpointsReportedAt = ageMs === null ? null : TEST_START - ageMs;
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
    ['offline', 'the report is in the future', [true], -5_001, 0],
    ['offline', 'no endpoint answers', [false, false], 0, 0],
    ['offline', 'there is no endpoint', [], 0, 0],
    ['offline', 'the indexer never reported', [], null, 0],
  ])('is %s if %s', (status, _case, active, age, activeEndpoints) => {
    expect(health(active, age)).toMatchObject({ status, activeEndpoints, totalEndpoints: active.length });
  });

  it.each([
    [128, 'healthy'],
    [129, 'degraded'],
  ])('with an active endpoint that is %d slots behind, is %s', (slotLag, status) => {
    const endpoints = [healthyEndpoint('one.example'), healthyEndpoint('two.example', { slotLag })];
    expect(networkHealthBody({ ...SAMPLE_INDEX, endpoints }, 'solana', TEST_START)).toMatchObject({ status });
  });

  it.each([
    [60_000, 'healthy', 60],
    [60_001, 'degraded', 60],
    [-3_600_000, 'degraded', -3_600],
    [null, 'healthy', null],
  ])(
    'with a clock difference of %s ms between host and chain (null: unknown), is %s',
    (clockDifference, status, seconds) => {
      const chain = SAMPLE_INDEX.chain && { ...SAMPLE_INDEX.chain, clockDifference };
      expect(networkHealthBody({ ...SAMPLE_INDEX, chain }, 'solana', TEST_START)).toMatchObject({
        status,
        clockDifferenceSeconds: seconds,
      });
    },
  );

  it.each([
    [MAX_HISTORY_LAG_MS, 'healthy'],
    [MAX_HISTORY_LAG_MS + 1, 'degraded'],
  ])('with histories that are %d ms behind the accounts, is %s', (lagMs, status) => {
    const index = { ...SAMPLE_INDEX, historyReadAt: TEST_START - lagMs };
    expect(networkHealthBody(index, 'solana', TEST_START)).toMatchObject({ status });
  });

  it('sums the failed requests, and has no update time without a report', () => {
    expect(health([true, false], 0).errorCount).toBe(4);
    expect(health([], null).lastUpdate).toBeNull();
  });

  it('lists each endpoint as the indexer reported it', () => {
    const [, distrusted] = health([true, false], 0).endpoints;
    const { creditsPerDay: _notPublic, ...reported } = healthyEndpoint('1.example', {
      slotLag: 3,
      errorCount: 2,
    });
    expect(distrusted).toEqual({ ...reported, active: false, state: 'distrusted' });
    expect(health([true], 60_001).endpoints).toMatchObject([{ active: false, state: null, slot: 4_242 }]);
  });

  it('shows neither latency nor lag from an old report, and no lag if no endpoint answers', () => {
    const endpointAt = (age: number, isActive = true) => {
      const endpoints = [healthyEndpoint('one.example', { active: isActive })];
      const [row] = networkHealthBody({ ...SAMPLE_INDEX, endpoints }, 'solana', TEST_START + age).endpoints;
      return row;
    };
    expect(endpointAt(60_000)).toMatchObject({ latencyMs: 12.5, slotLag: 0 });
    expect(endpointAt(60_001)).toMatchObject({ latencyMs: null, slotLag: null });
    expect(endpointAt(-5_001)).toMatchObject({ latencyMs: null, slotLag: null });
    expect(endpointAt(0, false)).toMatchObject({ latencyMs: 12.5, slotLag: null });
  });

  it('is degraded while the chain stalls, even if every endpoint answers', () => {
    const statusAt = (age: number) => {
      const index = { ...SAMPLE_INDEX, endpointsReportedAt: TEST_START + age };
      return networkHealthBody(index, 'solana', TEST_START + age).status;
    };
    const statuses = ['healthy', 'healthy', 'degraded', 'degraded'];
    expect([0, 10_000, 10_001, 100_000].map(statusAt)).toEqual(statuses);
  });

  it('changes when an endpoint becomes distrusted, but not with its slot or request count', () => {
    const body = health([true, true], 0);
    const fingerprintWith = (changes: Partial<(typeof body.endpoints)[number]>) =>
      networkHealthFingerprint({ ...body, endpoints: body.endpoints.map((row) => ({ ...row, ...changes })) });
    expect(fingerprintWith({ slot: 71, requestCount: 10 })).toEqual(fingerprintWith({}));
    expect(fingerprintWith({ state: 'distrusted' })).not.toEqual(fingerprintWith({}));
  });

  it('does not change with the clock until the report ages', () => {
    const fingerprintAt = (age: number) => networkHealthFingerprint(health([true], age));
    expect(fingerprintAt(1_000)).toEqual(fingerprintAt(0));
    expect(fingerprintAt(31_000)).not.toEqual(fingerprintAt(0));
  });
});
