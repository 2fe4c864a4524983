// @module-tag slow
import { beforeEach, describe, expect, it } from 'vitest';
import {
  endpointsAt,
  type FakeServer,
  type Responder,
  replyWith,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { createBatchLimit } from './endpoint-limits.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import type { RpcCall } from './json-rpc.ts';
import { readJsonInteger } from './json-shape.ts';

const neverAborted = new AbortController().signal;

const doubleCall = (value: number): RpcCall<number> => ({
  method: 'getTransaction',
  params: [value],
  read: (result) => readJsonInteger(result, 'the double'),
});
const doubleCalls = (length: number) => Array.from({ length }, (_, value) => doubleCall(value));
const expectedDoubles = (length: number) => Array.from({ length }, (_, value) => value * 2);
const healthy = respondWithResults(({ params }) => Number(params[0]) * 2);

const oneError =
  (code: number): Responder =>
  (_, response) =>
    replyWith(response, { jsonrpc: '2.0', id: null, error: { code, message: 'batch size exceeded' } });
const HTTP_413 = respondWithStatus(413);
const REFUSALS: readonly (readonly [string, Responder])[] = [
  ['HTTP 413', HTTP_413],
  ['HTTP 400', respondWithStatus(400)],
  ['one error -32600', oneError(-32600)],
  ['one error -32602', oneError(-32602)],
  ['one error -32000', oneError(-32000)],
];
/** The error message that Helius sends. */
const PLAN_MESSAGE =
  'Batch requests are only available for paid plans. Please upgrade if you would like to gain access';
const answersUpTo =
  (limit: number, refuse: Responder): Responder =>
  (calls, response, request) =>
    (calls.length > limit ? refuse : healthy)(calls, response, request);

let clock: number;
let first: FakeServer;
let second: FakeServer;
let failures: string[];
let pool: EndpointPool;
beforeEach(async () => {
  clock = 0;
  failures = [];
  first = await startFakeServer(healthy);
  second = await startFakeServer(healthy);
  pool = poolOf(first);
  return () => Promise.all([first.close(), second.close()]);
});

function poolOf(...servers: readonly FakeServer[]): EndpointPool {
  return createEndpointPool({
    endpoints: endpointsAt(...servers.map(({ url }) => url)),
    onFailure: (_, { failure }) => failures.push(failure),
    now: () => clock,
    random: () => 0,
  });
}
const send = async (calls: number) =>
  (await pool.batch<readonly number[]>(doubleCalls(calls), neverAborted)).map(resultOf);
const sizesAt = (server: FakeServer) => server.batches.map(({ length }) => length);

describe('the batch limit', () => {
  it('is half of the first rejected batch, and doubles each minute', () => {
    const limit = createBatchLimit(() => clock);
    expect(limit.allowedCalls(1_000)).toBe(1_000);
    limit.noteRejected(100, 'size');
    expect([limit.allowedCalls(49), limit.allowedCalls(50), limit.allowedCalls(1_000)]).toEqual([49, 50, 50]);
    clock = 59_999;
    expect(limit.allowedCalls(1_000)).toBe(50);
    clock = 60_000;
    expect(limit.allowedCalls(1_000)).toBe(100);
    clock = 180_000;
    expect(limit.allowedCalls(1_000)).toBe(400);
    limit.noteRejected(101, 'size');
    expect(limit.allowedCalls(1_000)).toBe(50);
  });

  it('is restored if a single call is rejected too, because then the size was not the reason', () => {
    let clock = 0;
    const limit = createBatchLimit(() => clock);
    for (const calls of [3, 1]) limit.noteRejected(calls, 'size');
    expect(limit.allowedCalls(100)).toBe(100);
    limit.noteRejected(80, 'size');
    clock += 10_000;
    for (const calls of [40, 20, 10, 5, 2, 1]) limit.noteRejected(calls, 'size');
    expect(limit.allowedCalls(100)).toBe(40);
  });

  it('is halved once for concurrent rejections, and is never below one', () => {
    const limit = createBatchLimit(() => clock);
    for (let times = 0; times < 5; times += 1) limit.noteRejected(100, 'size');
    expect(limit.allowedCalls(100)).toBe(50);
    for (const calls of [3, 2, 2]) limit.noteRejected(calls, 'size');
    expect(limit.allowedCalls(100)).toBe(1);
  });
});

describe('an endpoint that rejects long batches', () => {
  it.each([
    ...REFUSALS.map(([how, refuse]) => [how, 10, refuse] as const),
    ['HTTP 413', 1, HTTP_413],
  ] as const)(
    '(%s) soon gets no more calls at once than it accepts (%d), and stays healthy',
    async (_how, max, refuse) => {
      first.answerWith(answersUpTo(max, refuse));
      expect(await send(100)).toEqual(expectedDoubles(100));
      expect(pool.health()).toMatchObject([
        { active: true, state: 'active', errorCount: 0, lastError: null },
      ]);
      expect(failures).toEqual([]);
      first.batches.length = 0;
      expect(await send(100)).toEqual(expectedDoubles(100));
      expect(Math.max(...sizesAt(first))).toBeLessThanOrEqual(max);
    },
  );

  it('counts as failed if it rejects a single call too', async () => {
    first.answerWith(HTTP_413);
    pool = poolOf(first, second);
    expect(await send(8)).toEqual(expectedDoubles(8));
    expect(sizesAt(first)).toEqual([8, 4, 2, 1]);
    expect(sizesAt(second)).toEqual([8]);
    expect(pool.health()).toMatchObject([
      { active: false, state: 'backoff', errorCount: 1 },
      { active: true, errorCount: 0 },
    ]);
    expect(failures).toHaveLength(1);
  });
});

/**
 * Responses of providers that accept only single calls. Each row has a name, the response to an array, and the reported
 * reason.
 */
const ARRAY_REFUSALS: readonly (readonly [string, Responder, string])[] = [
  [
    "Helius' free plan (HTTP 403 with -32403)",
    (_, response) => {
      response.statusCode = 403;
      replyWith(response, { jsonrpc: '2.0', error: { code: -32403, message: PLAN_MESSAGE } });
    },
    `HTTP 403: ${PLAN_MESSAGE}`,
  ],
  [
    'one error -32403',
    (_, response) => replyWith(response, { error: { code: -32403, message: PLAN_MESSAGE } }),
    PLAN_MESSAGE,
  ],
  ['HTTP 500', respondWithStatus(500, {}, 'Internal Server Error'), 'HTTP 500: Internal'],
  [
    'an answer to the first call',
    ([call], response) => replyWith(response, { jsonrpc: '2.0', id: call?.id, result: 0 }),
    'not a list of replies',
  ],
];

describe.each(ARRAY_REFUSALS)('an endpoint that refuses arrays (%s)', (_how, refuse, reason) => {
  it('gets single calls and stays healthy, and the reason for its refusal is reported', async () => {
    first.answerWith(answersUpTo(1, refuse));
    expect(await send(5)).toEqual(expectedDoubles(5));
    expect(await send(5)).toEqual(expectedDoubles(5));
    expect(sizesAt(first)).toEqual([5, ...Array(10).fill(1)]);
    expect(failures).toEqual(['too-large']);
    expect(pool.health()).toMatchObject([{ active: true, state: 'active', errorCount: 0 }]);
    expect(pool.health()[0]?.lastError).toContain(reason);
  });
});

describe('a refusal of an array', () => {
  const refuse = respondWithStatus(403, {}, 'invalid api key');

  it('leads to single calls for 5 minutes, then for 10', async () => {
    first.answerWith(answersUpTo(1, refuse));
    const sizes: number[][] = [];
    for (const minutes of [0, 4, 1, 9, 1]) {
      clock += minutes * 60_000;
      first.batches.length = 0;
      await send(2);
      sizes.push(sizesAt(first));
    }
    const singles = [1, 1];
    const tried = [2, 1, 1];
    expect(sizes).toEqual([tried, singles, tried, singles, tried]);
  });

  it('means a wrong key if a single call is refused too', async () => {
    first.answerWith(refuse);
    pool = poolOf(first, second);
    expect(await send(8)).toEqual(expectedDoubles(8));
    expect(sizesAt(first)).toEqual([8, 1]);
    expect(pool.health()[0]).toMatchObject({ state: 'backoff', lastError: 'HTTP 403: invalid api key' });
    first.answerWith(healthy);
    first.batches.length = 0;
    await pool.requestFromEach<readonly number[]>(doubleCalls(8), neverAborted);
    expect(sizesAt(first)).toEqual([8]);
  });

  it('counts as a failure at first if an array was answered before, and leads to single calls if repeated', async () => {
    pool = poolOf(first, second);
    await send(4);
    first.answerWith(answersUpTo(1, respondWithStatus(500)));
    await send(4);
    expect(pool.health()[0]).toMatchObject({ state: 'backoff', errorCount: 1 });
    first.batches.length = 0;
    await pool.requestFromEach<readonly number[]>(doubleCalls(4), neverAborted);
    expect(sizesAt(first)).toEqual([4, 1, 1, 1, 1]);
  });

  it('stays in force if single calls are refused later', async () => {
    first.answerWith(answersUpTo(1, refuse));
    pool = poolOf(first, second);
    await send(2);
    first.answerWith(refuse);
    first.batches.length = 0;
    await send(2);
    await pool.requestFromEach<readonly number[]>(doubleCalls(2), neverAborted);
    expect(new Set(sizesAt(first))).toEqual(new Set([1]));
  });
});

describe('endpoints with different batch limits', () => {
  it('answer every call without a failure, even if all reject the first batch', async () => {
    first.answerWith(answersUpTo(10, respondWithStatus(413)));
    second.answerWith(answersUpTo(7, oneError(-32600)));
    pool = poolOf(first, second);
    const answers = await Promise.all([send(100), send(100), send(30), send(5)]);
    expect(answers).toEqual([
      expectedDoubles(100),
      expectedDoubles(100),
      expectedDoubles(30),
      expectedDoubles(5),
    ]);
    expect(failures).toEqual([]);
  });

  it('each get all calls if their answers are compared', async () => {
    first.answerWith(answersUpTo(2, respondWithStatus(413)));
    pool = poolOf(first, second);
    const answers = await pool.requestFromEach<readonly number[]>(doubleCalls(5), neverAborted);
    for (const { replies } of answers) expect(replies.map(resultOf)).toEqual(expectedDoubles(5));
    expect(sizesAt(first)).toEqual([5, 2, 2, 1]);
    expect(sizesAt(second)).toEqual([5]);
  });

  it('get no more batches once they have failed', async () => {
    let answered = 0;
    first.answerWith((calls, ...rest) => {
      answered += calls.length === 2 ? 1 : 0;
      const answer = answered > 1 ? respondWithStatus(503) : answersUpTo(2, respondWithStatus(413));
      answer(calls, ...rest);
    });
    const [answers] = await pool.requestFromEach<readonly number[]>(doubleCalls(5), neverAborted);
    expect(answers?.replies.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    expect(sizesAt(first)).toEqual([5, 2, 2]);
  });

  it('get no request after the time limit', async () => {
    first.answerWith((...request) => {
      clock += 400;
      answersUpTo(1, respondWithStatus(413))(...request);
    });
    const [answers] = await pool.requestFromEach<readonly number[]>(doubleCalls(3), neverAborted, 1_000);
    expect(answers?.replies).toMatchObject([
      { ok: true, value: 0 },
      { ok: true, value: 2 },
      { ok: false, error: { failure: 'timeout' } },
    ]);
    expect([sizesAt(first), pool.health()[0]?.errorCount]).toEqual([[3, 1, 1], 0]);
  });
});
