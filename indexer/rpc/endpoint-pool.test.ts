// @module-tag slow
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  endpointsAt,
  type FakeServer,
  type Responder,
  replyWith,
  respondWithReplies,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import { slowDownClock } from '../testing/slow-clock.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { genesisHashCall, slotCall } from './solana-calls.ts';

const neverAborted = new AbortController().signal;
const CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OTHER_CHAIN = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

const node = (slot: number, genesisHash = CHAIN): Responder =>
  respondWithResults(({ method }) => (method === 'getGenesisHash' ? genesisHash : slot));
const down = respondWithStatus(503);
const failing = (code: number) => respondWithReplies(() => ({ error: { code, message: 'as scripted' } }));

let first: FakeServer;
let second: FakeServer;
/** The pool's backoff is short, because its jitter is always the lowest. */
let pool: EndpointPool;
const failures: string[] = [];

beforeEach(async () => {
  first = await startFakeServer(node(1));
  second = await startFakeServer(node(2));
  failures.length = 0;
  pool = createEndpointPool({
    endpoints: endpointsAt(first.url, second.url),
    random: () => 0.001,
    onFailure: (name, { failure }) => failures.push(`${name} ${failure}`),
  });
  return () => Promise.all([first.close(), second.close()]);
});

const slotNow = async () => resultOf((await pool.batch([slotCall('confirmed')], neverAborted))[0]);
const healthOf = (server: FakeServer) => pool.health().find(({ name }) => server.url.endsWith(name));

describe('an endpoint pool', () => {
  it('stays with the first endpoint while it answers', async () => {
    for (let times = 0; times < 5; times += 1) expect(await slotNow()).toBe(1);
    // The second endpoint gets one request for its slot, which is compared with the slot of the first endpoint.
    await expect.poll(() => second.batches).toHaveLength(1);
  });

  it('moves to the next if one fails, stays there, and reports the failure', async () => {
    first.answerWith(down);
    expect(await slotNow()).toBe(2);
    expect(await slotNow()).toBe(2);
    // `first` gets one request for the call. If its backoff has already ended, it gets another one, which compares slots.
    await expect.poll(() => healthOf(first)?.errorCount).toBe(first.batches.length);
    expect(first.batches.length).toBeLessThanOrEqual(2);
    expect(new Set(failures)).toEqual(new Set([`${new URL(first.url).host} server`]));
    expect(healthOf(first)).toMatchObject({ active: false, lastError: 'HTTP 503' });
    expect(healthOf(second)).toMatchObject({ active: true, errorCount: 0, slot: 2, lastError: null });
  });

  it('returns to a recovered endpoint if the other fails', async () => {
    first.answerWith(down);
    await slotNow();
    first.answerWith(node(3));
    second.answerWith(down);
    expect(await slotNow()).toBe(3);
    expect(healthOf(first)?.active).toBe(true);
  });

  it('returns the error of a call that keeps failing, and the answers to the other calls', async () => {
    const moody = respondWithReplies(({ method }) =>
      method === 'getSlot' ? { result: 5 } : { error: { code: -32603, message: 'internal error' } },
    );
    first.answerWith(moody);
    second.answerWith(moody);
    expect(await pool.batch([slotCall('confirmed'), genesisHashCall()], neverAborted)).toMatchObject([
      { ok: true, value: 5 },
      { ok: false, error: { name: 'RetryableRpcError', code: -32603 } },
    ]);
    // The answered call is sent once. The failing call is sent a few times, to the two endpoints in turn.
    expect(first.batches.map((calls) => calls.length)).toEqual([2, 1, 1]);
    const [comparison, ...work] = second.batches;
    expect(comparison?.map(({ method }) => method)).toEqual(['getSlot']);
    expect(work.map((calls) => calls.length)).toEqual([1, 1, 1]);
    expect(healthOf(first)).toMatchObject({ active: true, errorCount: 3 });
    expect(await slotNow()).toBe(5);
    expect(first.batches).toHaveLength(4);
  });

  it('gives up on a batch that fails repeatedly at every endpoint', async () => {
    first.answerWith(down);
    second.answerWith(down);
    expect(await pool.batch([slotCall('confirmed')], neverAborted)).toMatchObject([
      { ok: false, error: { name: 'RetryableRpcError', failure: 'server' } },
    ]);
    expect(failures).toHaveLength(6);
  });

  it('excludes an endpoint on a different chain, and never uses its answers', async () => {
    pool.pinChain(CHAIN);
    first.answerWith(node(1, OTHER_CHAIN));
    expect(await slotNow()).toBe(2);
    expect(first.batches.flat().map(({ method }) => method)).toEqual(['getGenesisHash']);
    expect(healthOf(first)).toMatchObject({
      active: false,
      lastError: expect.stringContaining('a different chain'),
    });
    second.answerWith(node(2, OTHER_CHAIN));
    const pinned = createEndpointPool({ endpoints: endpointsAt(first.url, second.url) });
    pinned.pinChain(CHAIN);
    await expect(pinned.batch([slotCall('confirmed')], neverAborted)).rejects.toMatchObject({
      failure: 'distrusted',
    });
  });

  it('names, for each call, the endpoint that answered it or was tried last', async () => {
    first.answerWith(down);
    const [, other] = [first, second].map(({ url }) => new URL(url).host);
    expect(await pool.batch([slotCall('confirmed')], neverAborted)).toMatchObject([
      { ok: true, endpointName: other },
    ]);
    second.answerWith(down);
    const [reply] = await pool.batch([slotCall('confirmed')], neverAborted);
    expect(reply).toMatchObject({ ok: false, endpointName: failures.at(-1)?.split(' ')[0] });
  });

  it('tries another endpoint before it retries the same one, even if the pause is short', async () => {
    first.answerWith(failing(-32603));
    const hasty = createEndpointPool({ endpoints: endpointsAt(first.url, second.url), random: () => 0 });
    expect(await hasty.batch([genesisHashCall()], neverAborted)).toMatchObject([{ ok: true, value: CHAIN }]);
    expect(first.batches).toHaveLength(1);
  });

  it('answers an empty batch without a request', async () => {
    expect(await pool.batch([], neverAborted)).toEqual([]);
    expect(first.batches).toHaveLength(0);
  });

  it('measures idle endpoints, so that their health is known', async () => {
    await pool.measureIdleEndpoints(neverAborted);
    expect(pool.health()).toMatchObject([
      { active: true, slot: 1 },
      { active: true, slot: 2 },
    ]);
    const requests = first.batches.length;
    await pool.measureIdleEndpoints(neverAborted);
    expect(first.batches).toHaveLength(requests);
  });
});

describe('probing endpoints for their chain', () => {
  beforeEach(slowDownClock);

  it('finds the chain of each endpoint, or the reason why it has none', async () => {
    const gone = await startFakeServer(node(1));
    const page = await startFakeServer((_, response) => response.end('<title>hello</title>'));
    const locked = await startFakeServer(respondWithStatus(401));
    await gone.close();
    const mixed = createEndpointPool({ endpoints: endpointsAt(first.url, gone.url, page.url, locked.url) });
    expect(await mixed.probe(neverAborted)).toMatchObject([
      { kind: 'solana', genesisHash: CHAIN },
      { kind: 'unreachable' },
      { kind: 'not-solana' },
      { kind: 'refused' },
    ]);
    await page.close();
    await locked.close();
  });

  it('retries while an endpoint temporarily answers with a web page', async () => {
    let requests = 0;
    first.answerWith((calls, response, request) => {
      requests += 1;
      if (requests > 8) node(1)(calls, response, request);
      else response.end('<title>Be right back</title>');
    });
    expect((await pool.probe(neverAborted))[0]).toMatchObject({ kind: 'solana', genesisHash: CHAIN });
  });
});

describe('probing a failing endpoint', () => {
  beforeAll(() => speedUpTime(10).restore);

  it('counts mismatched replies as a temporary failure, because they are JSON-RPC', async () => {
    first.answerWith((_, response) => replyWith(response, []));
    expect((await pool.probe(neverAborted))[0]).toMatchObject({ kind: 'unreachable' });
  });

  it('does not exclude an endpoint for truncated answers, however many', async () => {
    first.answerWith((_, response) => response.end('[{"jsonrpc":"2.0","resu'));
    expect((await pool.probe(neverAborted))[0]).toMatchObject({ kind: 'unreachable' });
  });

  it.each([
    ['truncated, then invalid', ['[{"jsonrpc":"2.0","resu', 'odd']],
    ['a page, then invalid', ['<title>Be right back</title>', 'odd']],
  ])('does not exclude an endpoint for alternating bad answers: %s', async (_how, bodies) => {
    let requests = 0;
    first.answerWith((calls, response, request) => {
      // Each body answers four requests in a row. A probe judges an endpoint only if every attempt gets the same error.
      const body = bodies[Math.floor(requests / 4) % 2] ?? '';
      requests += 1;
      if (body === 'odd') respondWithResults(() => 'odd')(calls, response, request);
      else response.end(body);
    });
    expect((await pool.probe(neverAborted))[0]).toMatchObject({ kind: 'unreachable' });
    expect((await pool.probe(neverAborted))[0]).toMatchObject({ kind: 'unreachable' });
  });

  it('excludes no endpoint that is too slow to be judged in time', async () => {
    first.answerWith((_, response) => setTimeout(() => response.end('<title>hello</title>'), 60));
    const hasty = createEndpointPool({ endpoints: endpointsAt(first.url), timeoutMs: 300 });
    expect(await hasty.probe(neverAborted)).toMatchObject([{ kind: 'unreachable' }]);
  });
});
