import { describe, expect, it, onTestFinished } from 'vitest';
import * as PATHS from '../../data/contract/paths.ts';
import { MAX_HISTORY_LAG_MS } from '../../data/model/value-state.ts';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { FakeIndex, healthyEndpoint, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask, openStream } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

async function start(index = new FakeIndex()): Promise<TestPortal> {
  const portal = await startTestPortal({ index });
  onTestFinished(() => portal.close());
  return portal;
}

/** Reads the metrics. @returns their values by name and labels, as in `portal_events{account="vault"}`. */
async function scrape(portal: TestPortal): Promise<ReadonlyMap<string, number>> {
  const { status, body, headers } = await ask(portal.port, '/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

describe('readiness', () => {
  it('is 200 while nothing is missing, otherwise 503 with the missing parts, and is not cached', async () => {
    const portal = await start();
    expect(await ask(portal.port, '/readyz')).toMatchObject({
      status: 200,
      body: '{"ready":true,"missing":[],"warnings":[]}',
      headers: { 'cache-control': 'no-store' },
    });
    await portal.pollAt(TEST_START + 60_001);
    const stale = await ask(portal.port, '/readyz');
    expect(stale.status).toBe(503);
    expect(JSON.parse(stale.body)).toMatchObject({ ready: false, missing: [{ what: 'snapshot' }] });
    expect((await ask(portal.port, '/healthz')).status).toBe(200);
  });

  it('is 503 while the index cannot be read, then 200 again even if the index has not changed', async () => {
    const portal = await start();
    portal.index.readError = new StoreUnavailableError('/srv/index.db is damaged');
    await portal.pollAt(TEST_START);
    const answer = await ask(portal.port, '/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).not.toContain('/srv');
    portal.index.readError = null;
    await portal.pollAt(TEST_START);
    expect((await ask(portal.port, '/readyz')).status).toBe(200);
  });
});

describe('the metrics', () => {
  it('describe the index, its endpoints and the last reconciliation', async () => {
    const index = new FakeIndex({
      ...SAMPLE_INDEX,
      endpoints: [
        healthyEndpoint('one.example', { slot: 4_250, errorCount: 3, creditsPerDay: 70_000 }),
        healthyEndpoint('two.example', { active: false, latencyMs: null, slotLag: 8 }),
      ],
    });
    index.storedStatistics = {
      events: { vault: 5, 'stake-pool': 7 },
      provisionalEvents: 2,
      quarantined: 1,
      alarms: 4,
      cursorSlot: 4_200,
    };
    const portal = await start(index);
    await portal.pollAt(TEST_START + 2_500);
    const samples = await scrape(portal);
    expect(Object.fromEntries(samples)).toMatchObject({
      portal_slot_lag: 8,
      portal_indexed_slot: 4_242,
      portal_cursor_slot: 4_200,
      'portal_events{account="vault"}': 5,
      'portal_events{account="stake-pool"}': 7,
      portal_provisional_events: 2,
      portal_quarantined_transactions: 1,
      portal_alarms: 4,
      portal_history_read: 1,
      portal_snapshot_age_seconds: 2.5,
      portal_quote_age_seconds: 2.5,
      portal_reconciliation_timestamp_seconds: TEST_START / 1_000 - 60,
      portal_reconciliation_agrees: 1,
      portal_reconciliation_differences: 0,
      'portal_endpoint_up{endpoint="one.example"}': 1,
      'portal_endpoint_up{endpoint="two.example"}': 0,
      'portal_endpoint_latency_seconds{endpoint="one.example"}': 0.0125,
      'portal_endpoint_errors{endpoint="one.example"}': 3,
      'portal_endpoint_credits_per_day{endpoint="one.example"}': 70_000,
      'portal_endpoint_slot_lag{endpoint="two.example"}': 8,
      'portal_queue_depth{queue="quarantine"}': 1,
      'portal_queue_depth{queue="recheck"}': 2,
      'portal_queue_depth{queue="wallet-reads"}': 0,
    });
    expect(samples.has('portal_endpoint_latency_seconds{endpoint="two.example"}')).toBe(false);
    const buildSample = `portal_build_info{version="0.0.0-test",node="${process.versions.node}"}`;
    expect(samples.get(buildSample)).toBe(1);
  });

  it('leave out values from an old report of the indexer or an overdue reconciliation', async () => {
    const portal = await start();
    await portal.pollAt(TEST_START + 60_001);
    const staleSamples = await scrape(portal);
    const reportedNames = [...staleSamples.keys()].filter((name) =>
      /slot_lag|latency|endpoint_(requests|errors)/.test(name),
    );
    expect(reportedNames).toEqual([]);
    expect(staleSamples.get('portal_endpoint_up{endpoint="one.example"}')).toBe(0);
    expect(staleSamples.get('portal_reconciliation_agrees')).toBe(1);
    await portal.pollAt(TEST_START + 900_000);
    expect((await scrape(portal)).has('portal_reconciliation_agrees')).toBe(false);
  });

  it('no longer report the history as read once it falls behind the accounts', async () => {
    const index = new FakeIndex();
    index.commit({ historyReadAt: TEST_START - MAX_HISTORY_LAG_MS - 1 });
    expect((await scrape(await start(index))).get('portal_history_read')).toBe(0);
  });

  it('compute the slot lag without endpoints that are distrusted or do not answer', async () => {
    const distrusted = healthyEndpoint('two.example', { active: false, state: 'distrusted', slot: 1e9 });
    const silent = healthyEndpoint('three.example', { active: false, slot: 9_000 });
    const lagOf = async (...endpoints: ReturnType<typeof healthyEndpoint>[]) =>
      (await scrape(await start(new FakeIndex({ ...SAMPLE_INDEX, endpoints })))).get('portal_slot_lag');
    expect(await lagOf(healthyEndpoint('one.example', { slot: 4_250 }), distrusted)).toBe(8);
    expect(await lagOf(distrusted)).toBeUndefined();
    expect(await lagOf(silent)).toBeUndefined();
  });

  it('show a reconciliation difference, and no longer show a removed endpoint', async () => {
    const portal = await start();
    await scrape(portal);
    const differences = [{ what: 'vault.balance', onChain: 1n, indexed: 2n }];
    portal.index.commit({
      reconciliation: { slot: 1, at: TEST_START, differences },
      endpoints: [healthyEndpoint('three.example')],
    });
    await portal.pollAt(TEST_START);
    const samples = await scrape(portal);
    expect(samples.get('portal_reconciliation_agrees')).toBe(0);
    expect(samples.get('portal_reconciliation_differences')).toBe(1);
    const upNames = [...samples.keys()].filter((name) => name.startsWith('portal_endpoint_up'));
    expect(upNames).toEqual(['portal_endpoint_up{endpoint="three.example"}']);
  });

  it('leave out unknown values instead of showing 0', async () => {
    const index = new FakeIndex(EMPTY_INDEX_SNAPSHOT);
    const portal = await start(index);
    index.readError = new StoreUnavailableError('gone');
    const names = [...(await scrape(portal)).keys()];
    expect(names).toEqual([
      'portal_store_writable',
      'portal_disk_free_bytes',
      'portal_disk_reserve_bytes',
      'portal_documents_paused',
      'portal_event_streams',
      'portal_queue_depth{queue="wallet-reads"}',
      expect.stringMatching(/^portal_build_info/),
    ]);
  });

  it('count requests by kind of route and status, and open streams', async () => {
    const portal = await start();
    const figure = await ask(portal.port, '/api/vault/live-balance');
    const headers = { 'If-None-Match': figure.headers.etag ?? '' };
    await ask(portal.port, '/api/vault/live-balance', { headers });
    for (const path of ['/api/vault/live-balance?t=1', '/api/nope?figure', '/nowhere', '/healthz'])
      await ask(portal.port, path);
    const stream = await openStream(portal.port, '/api/live');
    const openSamples = await scrape(portal);
    expect(openSamples.get('portal_event_streams')).toBe(1);
    stream.close();
    await portal.waitForStreams(0);
    const samples = Object.fromEntries(await scrape(portal));
    expect(samples).toMatchObject({
      'portal_http_requests_total{route="figure",status="200"}': 2,
      'portal_http_requests_total{route="figure",status="304"}': 1,
      'portal_http_requests_total{route="call",status="404"}': 1,
      'portal_http_requests_total{route="page",status="404"}': 1,
      'portal_http_requests_total{route="operations",status="200"}': 2,
      'portal_http_requests_total{route="stream",status="200"}': 1,
      portal_event_streams: 0,
    });
  });

  it('time requests by call path, or by kind of route if the path is unknown', async () => {
    const portal = await start();
    for (const path of [`${PATHS.history}?figure=stakes`, '/api/nope', '/api/nope?2', '/nowhere', '/else'])
      await ask(portal.port, path);
    (await openStream(portal.port, '/api/live')).close();
    await portal.waitForStreams(0);
    const samples = [...(await scrape(portal))];
    const timedRoutes = samples.flatMap(([name, value]) => {
      const [, route] = /^portal_http_request_duration_seconds_count\{route="(.*)"\}$/.exec(name) ?? [];
      return route === undefined ? [] : [[route, value]];
    });
    expect(Object.fromEntries(timedRoutes)).toEqual({ [PATHS.history]: 1, call: 2, page: 2 });
  });

  it('count requests that a rate limit refused', async () => {
    const portal = await startTestPortal({ rateLimits: { calls: 1 } });
    onTestFinished(() => portal.close());
    for (const path of ['/api/nope', '/api/nope', '/api/nope']) await ask(portal.port, path);
    expect((await scrape(portal)).get('portal_rate_limited_total{limit="calls"}')).toBe(2);
  });

  it('are not served through a proxy', async () => {
    const portal = await start();
    for (const headers of [
      { 'X-Forwarded-For': '203.0.113.1' },
      { Forwarded: 'for=203.0.113.1' },
      { Via: '1.1 gateway' },
    ]) {
      const refused = await ask(portal.port, '/metrics', { headers });
      const [header] = Object.keys(headers);
      expect(refused.status, header).toBe(404);
      expect(refused.body, header).not.toContain('portal_');
      expect(refused.body, header).toBe((await ask(portal.port, '/nowhere')).body);
    }
  });
});
