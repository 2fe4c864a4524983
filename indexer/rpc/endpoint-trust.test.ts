// @module-tag slow
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  endpointsAt,
  type FakeServer,
  type Responder,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { multipleAccountsCall, slotCall } from './solana-calls.ts';

const neverAborted = new AbortController().signal;
const CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OTHER_CHAIN = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const MINUTE_MS = 60_000;

const node = (slot: number, genesisHash = CHAIN): Responder =>
  respondWithResults(({ method }) => {
    if (method === 'getGenesisHash') return genesisHash;
    return method === 'getSlot' ? slot : { context: { slot }, value: [] };
  });

let first: FakeServer;
let second: FakeServer;
let clock: { now: number };
let pool: EndpointPool;
const failures: string[] = [];

beforeEach(async () => {
  first = await startFakeServer(node(1_000));
  second = await startFakeServer(node(1_001));
  clock = { now: 0 };
  failures.length = 0;
  pool = poolOf(first.url, second.url);
  return () => Promise.all([first.close(), second.close()]);
});

function poolOf(...urls: readonly string[]): EndpointPool {
  // The clock runs slowly, so that an answer delayed by a busy machine does not look slow. Tests also advance it by minutes.
  const start = performance.now();
  return createEndpointPool({
    endpoints: endpointsAt(...urls),
    random: () => 0.001,
    now: () => clock.now + (performance.now() - start) / 10,
    onFailure: (name, { failure }) => failures.push(`${name} ${failure}`),
  });
}

const slotNow = async () => resultOf((await pool.batch([slotCall('confirmed')], neverAborted))[0]);
const hostOf = (server: FakeServer) => new URL(server.url).host;
const healthOf = (server: FakeServer) => pool.health().find(({ name }) => name === hostOf(server));

describe('an endpoint whose slot goes back', () => {
  it('is distrusted with the reason, and its answer is dropped', async () => {
    await slotNow();
    first.answerWith(node(871));
    expect(await slotNow()).toBe(1_001);
    expect(healthOf(first)).toMatchObject({
      state: 'distrusted',
      active: false,
      lastError: expect.stringMatching(/slot 871 .*slot 1000$/),
    });
    expect(failures).toEqual([`${hostOf(first)} contradiction`]);
    expect(await slotNow()).toBe(1_001);
    expect(first.batches).toHaveLength(2);
  });

  it('is trusted if it goes back no further than two healthy nodes may be apart', async () => {
    await slotNow();
    first.answerWith(node(872));
    expect(await slotNow()).toBe(872);
    expect(healthOf(first)).toMatchObject({ state: 'active', slot: 1_000, slotLag: 128 });
  });

  it('is trusted if it answers an earlier request after a later one', async () => {
    const requestArrived = Promise.withResolvers<void>();
    let answer: (() => void) | undefined;
    first.answerWith((calls, response, request) => {
      answer = () => node(1_000)(calls, response, request);
      requestArrived.resolve();
    });
    const slow = slotNow();
    await requestArrived.promise;
    first.answerWith(node(5_000));
    second.answerWith(node(5_000));
    expect(await slotNow()).toBe(5_000);
    answer?.();
    expect(await slow).toBe(1_000);
    expect(healthOf(first)?.state).toBe('active');
  });
});

describe('an endpoint that is far ahead', () => {
  const FUTURE = 1e9;
  const others: FakeServer[] = [];
  const connectToAll = () => {
    pool = poolOf(first.url, second.url, ...others.map(({ url }) => url));
  };
  beforeEach(async () => {
    for (const slot of [999, 1_002]) others.push(await startFakeServer(node(slot)));
    return () => Promise.all(others.splice(0).map((server) => server.close()));
  });

  it('is distrusted if the others contradict it, even in its first answer', async () => {
    connectToAll();
    first.answerWith(node(FUTURE));
    expect(await slotNow()).toBeLessThan(1_003);
    expect(healthOf(first)).toMatchObject({
      state: 'distrusted',
      active: false,
      lastError: expect.stringMatching(/slot 1000000000,.* 100[012]$/),
    });
    await pool.measureIdleEndpoints(neverAborted);
    expect(pool.health().map(({ state, slotLag }) => [state, (slotLag ?? 0) < 10])).toEqual([
      ['distrusted', true],
      ['active', true],
      ['active', true],
      ['active', true],
    ]);
  });

  it('is trusted if it kept to the slot rate, and another is shown as lagging until it catches up', async () => {
    await pool.measureIdleEndpoints(neverAborted);
    first.answerWith(node(1_300));
    clock.now += 2 * MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    clock.now += MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    clock.now += MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    expect(healthOf(first)).toMatchObject({ state: 'active', slot: 1_300 });
    expect(healthOf(second)).toMatchObject({ state: 'active', slotLag: 299 });
    const batchCount = second.batches.length;
    expect(await slotNow()).toBe(1_300);
    expect(second.batches).toHaveLength(batchCount);
    second.answerWith(node(1_299));
    clock.now += MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    expect(healthOf(second)).toMatchObject({ state: 'active', slotLag: 1 });
  });

  it('is trusted if it advanced with all the others, as after the program was paused', async () => {
    connectToAll();
    await pool.measureIdleEndpoints(neverAborted);
    for (const server of [first, second, ...others]) server.answerWith(node(500_000));
    clock.now += MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    expect(pool.health().map(({ state }) => state)).toEqual(['active', 'active', 'active', 'active']);
  });
});

describe('the only usable endpoint', () => {
  it.each([
    ['far ahead, as after this machine slept', 1e9],
    ['far behind, as after the node restarted', 800],
  ])('is used if its slot is %s', async (_when, slot) => {
    first.answerWith(node(1_000));
    second.answerWith(node(1_000, OTHER_CHAIN));
    pool.pinChain(CHAIN);
    await pool.measureIdleEndpoints(neverAborted);
    first.answerWith(node(slot));
    expect(await slotNow()).toBe(slot);
    expect(healthOf(first)).toMatchObject({
      state: 'active',
      active: true,
      slotLag: Math.max(0, 1_000 - slot),
    });
  });

  it('is retried, and not distrusted, if it ignores the minimum slot', async () => {
    const only = createEndpointPool({ endpoints: endpointsAt(first.url), random: () => 0.001 });
    first.answerWith((...request) => {
      first.answerWith(node(1_001));
      node(1_000)(...request);
    });
    expect(await only.batch([multipleAccountsCall([], 1_001)], neverAborted)).toMatchObject([
      { ok: true, value: { slot: 1_001 } },
    ]);
    expect(only.health()).toMatchObject([{ state: 'active' }]);
  });
});

describe('an endpoint that ignores the minimum slot', () => {
  it('is distrusted, and its answer is dropped', async () => {
    const [reply] = await pool.batch([multipleAccountsCall([], 1_001)], neverAborted);
    expect(reply).toMatchObject({ ok: true, value: { slot: 1_001 }, endpointName: hostOf(second) });
    expect(healthOf(first)).toMatchObject({
      state: 'distrusted',
      lastError: expect.stringMatching(/slot 1000, .*1001/),
    });
  });
});

describe('distrust of an endpoint', () => {
  it('discards its pending answers too', async () => {
    first.answerWith((calls, response, request) => {
      pool.distrust(hostOf(first), 'its balance contradicts the events');
      node(1_000)(calls, response, request);
    });
    expect(await slotNow()).toBe(1_001);
  });

  it('changes nothing if the endpoint does not belong to the pool', () => {
    pool.distrust('nobody.example', 'it is unknown');
    expect(pool.health().map(({ state }) => state)).toEqual(['active', 'active']);
  });
});

describe('endpoints that are all distrusted', () => {
  it('are not used until one is retried, because a missing figure is better than a wrong one', async () => {
    await slotNow();
    await pool.measureIdleEndpoints(neverAborted);
    first.answerWith(node(1));
    second.answerWith(node(2));
    await expect(slotNow()).rejects.toThrow(/slot 1 .*slot 2 /);
    const requests = [first.batches.length, second.batches.length];
    await expect(slotNow()).rejects.toMatchObject({ failure: 'distrusted' });
    expect([first.batches.length, second.batches.length]).toEqual(requests);
    expect(pool.health()).toMatchObject([
      { state: 'distrusted', active: false },
      { state: 'distrusted', active: false },
    ]);
    clock.now += 1.1 * MINUTE_MS;
    expect([1, 2]).toContain(await slotNow());
  });

  it('are checked again, and not used if they are on a different chain', async () => {
    pool.pinChain(CHAIN);
    await slotNow();
    first.answerWith(node(5, OTHER_CHAIN));
    await slotNow();
    clock.now += 1.1 * MINUTE_MS;
    second.answerWith(respondWithStatus(503));
    const replies = await pool.batch([slotCall('confirmed')], neverAborted);
    expect(replies).toMatchObject([{ ok: false }]);
    clock.now += 1_000 * MINUTE_MS;
    expect(healthOf(first)).toMatchObject({
      state: 'distrusted',
      lastError: expect.stringContaining('a different chain'),
    });
  });
});

describe('an endpoint that lags', () => {
  it('loses its work to one that is ahead, and gets it back if that one fails', async () => {
    await slotNow();
    second.answerWith(node(1_060));
    clock.now += MINUTE_MS;
    await pool.measureIdleEndpoints(neverAborted);
    expect(await slotNow()).toBe(1_000);
    expect(healthOf(first)).toMatchObject({ state: 'active', slotLag: 60 });
    expect(await slotNow()).toBe(1_060);
    expect(await slotNow()).toBe(1_060);
    second.answerWith(respondWithStatus(503));
    expect(await slotNow()).toBe(1_000);
  });
});

describe('a request to every endpoint', () => {
  it('returns every answer, including errors, with one batch for each endpoint', async () => {
    second.answerWith(respondWithStatus(503));
    const answers = await pool.requestFromEach([slotCall('confirmed'), slotCall('finalized')], neverAborted);
    expect(answers).toMatchObject([
      {
        endpoint: hostOf(first),
        replies: [
          { ok: true, value: 1_000, endpointName: hostOf(first) },
          { ok: true, value: 1_000, endpointName: hostOf(first) },
        ],
      },
      {
        endpoint: hostOf(second),
        replies: [
          { ok: false, error: { failure: 'server' }, endpointName: hostOf(second) },
          { ok: false, error: { failure: 'server' }, endpointName: hostOf(second) },
        ],
      },
    ]);
    // `second` also gets a request for its slot, which is compared with the first slot from `first`.
    expect(second.batches.map((calls) => calls.length).toSorted()).toEqual([1, 2]);
    expect(first.batches.map((calls) => calls.length)).toEqual([2]);
  });

  it('with a time limit, skips an endpoint in backoff and soon stops waiting for one that hangs', {
    tags: ['slow'],
  }, async () => {
    onTestFinished(speedUpTime(10).restore);
    const hangs = await startFakeServer(() => {});
    const three = createEndpointPool({
      endpoints: endpointsAt(first.url, second.url, hangs.url),
      random: () => 0.001,
      // Longer than the whole test can take.
      timeoutMs: 6_000_000,
    });
    first.answerWith(respondWithStatus(429, { 'retry-after': '600' }));
    await three.batch([slotCall('confirmed')], neverAborted);
    const requests = first.batches.length;
    const answers = await three.requestFromEach([slotCall('finalized')], neverAborted, 10_000);
    expect(answers).toMatchObject([
      { replies: [{ ok: false, error: { failure: 'backoff' } }] },
      { replies: [{ ok: true, value: 1_001 }] },
      { replies: [{ ok: false }] },
    ]);
    expect(first.batches).toHaveLength(requests);
    await hangs.close();
  });

  it('includes a distrusted endpoint, which stays distrusted', async () => {
    pool.distrust(hostOf(first), 'it contradicts the events');
    const answers = await pool.requestFromEach([slotCall('confirmed')], neverAborted);
    expect(answers.map(({ replies: [reply] }) => resultOf(reply))).toEqual([1_000, 1_001]);
    expect(healthOf(first)?.state).toBe('distrusted');
  });

  it('skips an endpoint on a different chain', async () => {
    pool.pinChain(CHAIN);
    first.answerWith(node(1_000, OTHER_CHAIN));
    await slotNow();
    const answers = await pool.requestFromEach([slotCall('confirmed')], neverAborted);
    expect(answers.map(({ endpoint }) => endpoint)).toEqual([hostOf(second)]);
  });
});
