// @module-tag slow
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { slotCall } from './solana-calls.ts';

const neverAborted = new AbortController().signal;
/** A healthy endpoint answers within this many milliseconds, even on a busy machine. */
const WITHIN_MS = 5_000;

const nodeAt = (number: number): Responder => respondWithResults(() => number);
const failing = respondWithStatus(500);
const silent: Responder = () => {};

let first: FakeServer;
let second: FakeServer;
let pool: EndpointPool;
beforeAll(() => speedUpTime(10).restore);
beforeEach(async () => {
  first = await startFakeServer(nodeAt(1_000));
  second = await startFakeServer(nodeAt(1_001));
  pool = createEndpointPool({ endpoints: endpointsAt(first.url, second.url) });
  return () => Promise.all([first.close(), second.close()]);
});

const nameOf = (server: FakeServer) => new URL(server.url).host;
const request = async () => {
  const [reply] = await pool.requestWithoutPenalty([slotCall('confirmed')], neverAborted, WITHIN_MS);
  return reply;
};

it('a request to each endpoint waits for one at its rate limit, but not for one in backoff', async () => {
  const answers = [respondWithStatus(429), nodeAt(1_000), nodeAt(1_000), respondWithStatus(503)];
  first.answerWith((...request) => answers.shift()?.(...request));
  pool = createEndpointPool({ endpoints: endpointsAt(first.url), random: () => 0.9 });
  await pool.batch([slotCall('confirmed')], neverAborted);
  const replies = async () => {
    const [answer] = await pool.requestFromEach([slotCall('confirmed')], neverAborted, WITHIN_MS);
    return answer?.replies;
  };
  expect(await replies()).toMatchObject([{ ok: true, value: 1_000 }]);
  expect(await replies()).toMatchObject([{ ok: false, error: { failure: 'server' } }]);
  expect(await replies()).toMatchObject([{ ok: false, error: { failure: 'backoff' } }]);
});

describe('a request without penalty', () => {
  it('takes the first answer, without a request to another endpoint', async () => {
    expect(await request()).toEqual({ ok: true, value: 1_000, endpointName: nameOf(first) });
    expect(second.batches).toEqual([]);
  });

  it.each([
    ['fails', failing],
    ['is silent', silent],
  ])('goes to the next endpoint if one %s, and leaves its record unchanged', async (_case, answer) => {
    const before = pool.health();
    first.answerWith(answer);
    expect(await request()).toEqual({ ok: true, value: 1_001, endpointName: nameOf(second) });
    expect(pool.health()).toEqual(before);
    first.answerWith(nodeAt(1_002));
    const [next] = await pool.batch([slotCall('confirmed')], neverAborted);
    expect(next).toEqual({ ok: true, value: 1_002, endpointName: nameOf(first) });
  });

  it.each([403, 413])(
    'is sent one call at a time if the endpoint refuses arrays with HTTP %d',
    async (status) => {
      first.answerWith((calls, ...rest) =>
        (calls.length > 1 ? respondWithStatus(status) : nodeAt(1_000))(calls, ...rest),
      );
      const calls = [slotCall('confirmed'), slotCall('finalized')] as const;
      expect(await pool.requestWithoutPenalty(calls, neverAborted, WITHIN_MS)).toEqual(
        calls.map(() => ({ ok: true, value: 1_000, endpointName: nameOf(first) })),
      );
      expect(second.batches).toEqual([]);
    },
  );

  it('returns the last error if no endpoint answers', async () => {
    first.answerWith(failing);
    second.answerWith(silent);
    const reply = await request();
    expect(() => reply && resultOf(reply)).toThrow(`no answer within ${WITHIN_MS} ms`);
    expect(reply?.endpointName).toBe(nameOf(second));
  });

  it('skips distrusted endpoints', async () => {
    pool.distrust(nameOf(first), 'it lied');
    expect(await request()).toMatchObject({ endpointName: nameOf(second) });
    pool.distrust(nameOf(second), 'its answer is wrong too');
    await expect(request()).rejects.toMatchObject({ failure: 'distrusted' });
    expect(first.batches).toEqual([]);
  });

  it('skips endpoints in backoff', async () => {
    first.answerWith(respondWithStatus(500, { 'retry-after': '600' }));
    await pool.batch([slotCall('confirmed')], neverAborted);
    first.batches.length = 0;
    first.answerWith(nodeAt(1_000));
    expect(pool.health()[0]?.state).toBe('backoff');
    expect(await request()).toMatchObject({ endpointName: nameOf(second) });
    expect(first.batches).toEqual([]);
  });

  it('returns no refusal while an endpoint that did not refuse may answer later', async () => {
    second.answerWith(respondWithStatus(410));
    first.answerWith(respondWithStatus(500, { 'retry-after': '600' }));
    expect(await request()).toMatchObject({ ok: false, error: { failure: 'server' } });
    second.answerWith(nodeAt(1_001));
    await pool.batch([slotCall('confirmed')], neverAborted);
    second.answerWith(respondWithStatus(410));
    expect(await request()).toMatchObject({ ok: false, error: { failure: 'backoff' } });
    first.answerWith(respondWithStatus(410));
    pool = createEndpointPool({ endpoints: endpointsAt(first.url, second.url) });
    expect(await request()).toMatchObject({ ok: false, error: { failure: 'refused' } });
  });

  it('waits for an endpoint at its rate limit', async () => {
    let requests = 0;
    first.answerWith((...request) => {
      requests += 1;
      (requests === 1 ? respondWithStatus(429) : nodeAt(1_000))(...request);
    });
    pool = createEndpointPool({ endpoints: endpointsAt(first.url), random: () => 0 });
    await pool.batch([slotCall('confirmed')], neverAborted);
    expect(await request()).toMatchObject({ ok: true, value: 1_000 });
  });

  it('skips endpoints with an unverified chain', async () => {
    pool.pinChain('a chain');
    const reply = await request();
    expect(reply).toMatchObject({ ok: false, endpointName: '', error: { failure: 'backoff' } });
    expect([...first.batches, ...second.batches]).toEqual([]);
  });
});
