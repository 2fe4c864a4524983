// @module-tag slow
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CALLS } from '../../data/contract/calls.ts';
import { liveChange, liveHeartbeat } from '../../data/contract/live.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { ask, type EventStream, openStream } from '../testing/portal-client.ts';
import { manyStakes } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';

const LIVE_PATH = '/api/live';
const BALANCE_PATH = '/api/vault/live-balance';
const PUSHED_PATHS = CALLS.filter(({ live }) => live === true).map(({ path }) => path);
const ANNOUNCED_PATHS = CALLS.filter(({ live }) => live === 'announced').map(({ path }) => path);

const openResources: { close(): void | Promise<void> }[] = [];

afterEach(async () => {
  for (const resource of openResources.splice(0).reverse()) await resource.close();
});

async function start(options: TestPortalChanges = {}): Promise<TestPortal> {
  const portal = await startTestPortal(options);
  openResources.push(portal);
  return portal;
}

async function open(portal: TestPortal, lastEventId?: string, path = LIVE_PATH): Promise<EventStream> {
  const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const stream = await openStream(portal.port, path, headers);
  openResources.push(stream);
  return stream;
}

async function openFrom(portal: TestPortal, address: string): Promise<EventStream> {
  const stream = await openStream(portal.port, LIVE_PATH, { 'X-Forwarded-For': address });
  openResources.push(stream);
  return stream;
}

async function nextChange(stream: EventStream) {
  const { id, data } = await stream.nextOf('change');
  const change = liveChange.parse(data);
  expect(id).toBe(change.version);
  return change;
}

function laterVersion(version: string, changes: number): string {
  const [process, number] = version.split('-');
  return `${process}-${Number(number) + changes}`;
}

describe('the live stream', () => {
  it('starts with the current body of every call that it pushes', async () => {
    const portal = await start();
    const change = await nextChange(await open(portal));
    expect(Object.keys(change.bodies)).toEqual(PUSHED_PATHS);
    expect(change.announced).toEqual(ANNOUNCED_PATHS);
    expect(change.missing).toEqual([]);
    for (const [path, body] of Object.entries(change.bodies)) {
      expect(body).toEqual(JSON.parse((await ask(portal.port, path)).body));
    }
  });

  it('lists calls that have no figure yet as missing', async () => {
    const portal = await start({ index: new FakeIndex({ ...SAMPLE_INDEX, quote: null }) });
    const stream = await open(portal);
    expect(liveHeartbeat.parse((await stream.nextOf('fresh')).data).market).toBeNull();
    const change = await nextChange(stream);
    expect(change.missing).toEqual(['/api/trading/market-data', '/api/token/market-data']);
  });

  it('sends only the bodies that changed', async () => {
    const portal = await start();
    const stream = await open(portal);
    const { version } = await nextChange(stream);
    portal.index.commit({ quote: SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, priceUsd: '0.0002' } });
    await portal.pollAt(TEST_START + 100);
    const change = await nextChange(stream);
    expect(change.version).toBe(laterVersion(version, 1));
    expect(Object.keys(change.bodies)).toEqual(['/api/trading/market-data', '/api/token/market-data']);
  });

  it('announces changed lists of stakers without their bodies, even to clients that reconnect', async () => {
    const portal = await start();
    const stream = await open(portal);
    const { version } = await nextChange(stream);
    portal.index.storedStakes = manyStakes(3);
    portal.index.commitChain({ stakerCount: 3, entryChanges: 11 });
    await portal.pollAt(TEST_START + 100);
    const change = await nextChange(stream);
    expect(change.announced).toEqual(ANNOUNCED_PATHS);
    expect(Object.keys(change.bodies)).not.toEqual(expect.arrayContaining(ANNOUNCED_PATHS));
    expect((await nextChange(await open(portal, version))).announced).toEqual(ANNOUNCED_PATHS);
    expect(JSON.parse((await ask(portal.port, '/api/stakers/enhanced')).body)).toHaveLength(3);
  });

  it('sends a figure again when it becomes old, even if the index does not change', async () => {
    const portal = await start();
    const stream = await open(portal);
    await nextChange(stream);
    await portal.pollAt(TEST_START + 10_001);
    expect((await nextChange(stream)).bodies).toMatchObject({ [BALANCE_PATH]: { state: 'ageing' } });
    await portal.pollAt(TEST_START + 60_001);
    expect((await nextChange(stream)).bodies).toMatchObject({
      [BALANCE_PATH]: { state: 'stale' },
      '/api/network/health': { status: 'offline' },
    });
  });

  it('sends the time of the last read at most once a second, and a heartbeat every ten seconds', async () => {
    const portal = await start();
    const stream = await open(portal);
    const freshTimes: string[] = [];
    await stream.nextOf('fresh');
    for (const age of [1_000, 1_400, 1_999, 2_000, 11_999, 12_000]) {
      portal.index.commitChain({ readAt: TEST_START + Math.min(age, 1_999) });
      await portal.pollAt(TEST_START + age);
    }
    portal.index.commitChain({ vaultBalance: 5n });
    await portal.pollAt(TEST_START + 12_100);
    for (let event = await stream.next(); event !== null; event = await stream.next()) {
      if (event.event === 'change' && JSON.stringify(event.data).includes('"vaultBalance":"0.000005"')) break;
      if (event.event === 'fresh') freshTimes.push(liveHeartbeat.parse(event.data).chain?.asOf ?? '');
    }
    const at = (age: number) => new Date(TEST_START + age).toISOString();
    expect(freshTimes).toEqual([at(1_000), at(1_999), at(1_999)]);
  });

  it('continues its heartbeat when the clock is set back', async () => {
    let wallClockMs = TEST_START;
    let elapsedMs = 0;
    const portal = await start({ now: () => wallClockMs, monotonicNow: () => elapsedMs });
    const stream = await open(portal);
    await stream.nextOf('fresh');
    wallClockMs -= 3_600_000;
    elapsedMs += 10_000;
    await portal.pollAt(0);
    const { data } = await stream.nextOf('fresh');
    expect(liveHeartbeat.parse(data).now).toBe(new Date(wallClockMs).toISOString());
  });

  it('sends the server time before the figures', async () => {
    const stream = await open(await start());
    expect([(await stream.next())?.event, (await stream.next())?.event]).toEqual(['fresh', 'change']);
  });

  it('resumes from the version in the query', async () => {
    const portal = await start();
    const { version } = await nextChange(await open(portal));
    const resume = async (query: string) =>
      nextChange(await open(portal, undefined, `${LIVE_PATH}?${query}`));
    expect(await resume(`since=${version}`)).toEqual({ version, bodies: {}, announced: [], missing: [] });
    portal.index.commitChain({ vaultLamports: 1n });
    await portal.pollAt(TEST_START + 100);
    expect(Object.keys((await resume(`since=${version}`)).bodies)).toEqual([BALANCE_PATH]);
    for (const invalid of ['since=', 'since=x', 'since=1&since=2', 'since[a]=1'])
      expect(Object.keys((await resume(invalid)).bodies), invalid).toHaveLength(PUSHED_PATHS.length);
  });

  it('resumes with all missed changes merged', async () => {
    const portal = await start();
    const first = await open(portal);
    const { version } = await nextChange(first);
    first.close();
    portal.index.commit({ quote: SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, priceUsd: '0.0002' } });
    await portal.pollAt(TEST_START + 100);
    portal.index.commit({ recentEvents: [vaultEvent(3), ...SAMPLE_INDEX.recentEvents] });
    await portal.pollAt(TEST_START + 200);
    const change = await nextChange(await open(portal, version));
    expect(change.version).toBe(laterVersion(version, 2));
    expect(Object.keys(change.bodies).sort()).toEqual([
      '/api/token/market-data',
      '/api/trading/market-data',
      '/api/transactions',
    ]);
  });

  it('sends everything to a client that comes from another replica, or has a version that was never sent or is malformed', async () => {
    const [portal, replica] = [await start(), await start()];
    const { version } = await nextChange(await open(portal));
    for (const [what, target, id] of [
      ['of another replica', replica, version],
      ['never sent', portal, laterVersion(version, 1)],
      ['without the prefix of a process', portal, '1'],
      ['not a version', portal, 'x'],
      ['too long', portal, '1'.repeat(400)],
    ] as const) {
      const change = await nextChange(await open(target, id));
      expect(Object.keys(change.bodies), what).toHaveLength(PUSHED_PATHS.length);
    }
  });

  it('sends everything to a client that missed too many changes', async () => {
    const portal = await start();
    const { version } = await nextChange(await open(portal));
    for (let commit = 1; commit <= 300; commit++) {
      portal.index.commitChain({ vaultBalance: BigInt(commit) });
      await portal.pollAt(TEST_START);
    }
    const change = await nextChange(await open(portal, version));
    expect(Object.keys(change.bodies)).toHaveLength(PUSHED_PATHS.length);
    const recent = await nextChange(await open(portal, laterVersion(version, 299)));
    expect(Object.keys(recent.bodies)).toEqual([
      BALANCE_PATH,
      '/api/vault/metrics',
      '/api/analytics/overview',
    ]);
  });

  it('sends the same change to 200 clients', async () => {
    const portal = await start({ rateLimits: { 'streams-of-network': 200 } });
    const streams = await Promise.all(Array.from({ length: 200 }, () => open(portal)));
    await Promise.all(streams.map(nextChange));
    portal.index.commitChain({ vaultBalance: 7_000_000n });
    await portal.pollAt(TEST_START + 100);
    const changes = await Promise.all(streams.map(nextChange));
    expect(new Set(changes.map((change) => JSON.stringify(change))).size).toBe(1);
    expect(changes[0]?.bodies).toMatchObject({ [BALANCE_PATH]: { vaultBalance: '7' } });
  });

  it('disconnects a client that does not read, and serves the others', async () => {
    const portal = await start();
    const reader = await open(portal);
    const sleeper = connect({ host: '127.0.0.1', port: portal.port });
    sleeper.on('error', () => {});
    openResources.push({ close: () => void sleeper.destroy() });
    sleeper.pause();
    sleeper.write(`GET ${LIVE_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const closed = once(sleeper, 'close');
    await nextChange(reader);
    await portal.waitForStreams(2);
    // The kernel buffers some megabytes before the server's own buffer fills.
    const manyEvents = (number: number) =>
      Array.from({ length: 50 }, (_, row) => vaultEvent(number * 50 + row));
    let wasDisconnected = false;
    for (let commit = 0; commit < 2_000 && !wasDisconnected; commit++) {
      portal.index.commit({ recentEvents: manyEvents(commit) });
      await portal.pollAt(TEST_START);
      await nextChange(reader);
      wasDisconnected = portal.openStreamCount() === 1;
    }
    expect(wasDisconnected).toBe(true);
    sleeper.resume();
    await closed;
  });

  it.each([
    ['IPv4', '203.0.113.7', '203.0.113.250', '203.0.114.7'],
    ['IPv6', '2001:db8:7:1::1', '2001:db8:7:ffff::1', '2001:db8:8:1::1'],
  ])(
    'limits the open streams of one network (%s)',
    async (_version, address, neighbor, otherNetworkAddress) => {
      const portal = await start({ rateLimits: { 'streams-of-network': 2 } });
      const first = await openFrom(portal, address);
      await openFrom(portal, neighbor);
      const headers = { 'X-Forwarded-For': neighbor };
      const rejected = await ask(portal.port, LIVE_PATH, { headers });
      expect(rejected).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
      expect(JSON.parse(rejected.body)).toMatchObject({ success: false, code: 'too-many-streams' });
      expect((await openFrom(portal, otherNetworkAddress)).status).toBe(200);
      first.close();
      await portal.waitForStreams(2);
      expect((await openFrom(portal, address)).status).toBe(200);
    },
  );

  it('limits all streams, and reserves the last quarter for networks that have none open', async () => {
    const portal = await start({ rateLimits: { streams: 8 } });
    const floodStreams = await Promise.all(
      Array.from({ length: 10 }, (_, host) => openFrom(portal, `203.0.113.${host}`)),
    );
    expect(floodStreams.map(({ status }) => status).toSorted()).toEqual([
      ...Array(6).fill(200),
      ...Array(4).fill(503),
    ]);
    await portal.waitForStreams(6);
    for (const visitor of ['198.51.100.1', '192.0.2.1']) {
      expect((await openFrom(portal, visitor)).status).toBe(200);
      expect((await openFrom(portal, visitor)).status).toBe(503);
    }
    const rejected = await ask(portal.port, LIVE_PATH, { headers: { 'X-Forwarded-For': '100.64.0.1' } });
    expect([rejected.status, JSON.parse(rejected.body).code]).toEqual([503, 'streams-full']);
  });

  it('forbids caching and buffering', async () => {
    const { headers } = await open(await start());
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('answers HEAD with its headers and opens no stream', async () => {
    const portal = await start();
    expect(await ask(portal.port, LIVE_PATH, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(portal.openStreamCount()).toBe(0);
  });

  it('rejects pages of other sites', async () => {
    const portal = await start();
    const rejected = await ask(portal.port, LIVE_PATH, { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    expect([rejected.status, JSON.parse(rejected.body).code]).toEqual([403, 'cross-origin']);
  });

  it('ends when the portal closes', async () => {
    const portal = await startTestPortal();
    const stream = await open(portal);
    await nextChange(stream);
    await portal.close();
    while ((await stream.next()) !== null);
    expect(portal.openStreamCount()).toBe(0);
  });
});
