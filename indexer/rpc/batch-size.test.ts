import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointsAt } from '../testing/endpoints-at.ts';
import {
  type Answer,
  type HostileServer,
  replyWith,
  results,
  startHostileServer,
} from '../testing/hostile-server.ts';
import { createBatchSize } from './batch-size.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import type { RpcCall } from './json-rpc.ts';
import { count } from './json-shape.ts';

const never = new AbortController().signal;

const double = (value: number): RpcCall<number> => ({
  method: 'getTransaction',
  params: [value],
  read: (result) => count(result, 'the double'),
});
const doubles = (length: number) => Array.from({ length }, (_, value) => double(value));
const doubled = (length: number) => Array.from({ length }, (_, value) => value * 2);
const sound = results(({ params }) => Number(params[0]) * 2);

const status =
  (code: number): Answer =>
  (_, response) =>
    response.writeHead(code).end('too many calls');
const oneError =
  (code: number): Answer =>
  (_, response) =>
    replyWith(response, { jsonrpc: '2.0', id: null, error: { code, message: 'batch size exceeded' } });
const REFUSALS: readonly (readonly [string, Answer])[] = [
  ['HTTP 413', status(413)],
  ['HTTP 400', status(400)],
  ['one error -32600', oneError(-32600)],
  ['one error -32602', oneError(-32602)],
  ['one error -32000', oneError(-32000)],
];
/** Answers requests of at most so many calls, and refuses longer ones. */
const atMost =
  (calls: number, refuse: Answer): Answer =>
  (asked, response, request) =>
    (asked.length > calls ? refuse : sound)(asked, response, request);

let clock: number;
let first: HostileServer;
let second: HostileServer;
let failures: string[];
let pool: EndpointPool;
beforeEach(async () => {
  clock = 0;
  failures = [];
  first = await startHostileServer(sound);
  second = await startHostileServer(sound);
  pool = poolOf(first);
});
afterEach(async () => {
  await first.close();
  await second.close();
});

function poolOf(...servers: readonly HostileServer[]): EndpointPool {
  return createEndpointPool({
    endpoints: endpointsAt(...servers.map(({ url }) => url)),
    onFailure: (_, { fault }) => failures.push(fault),
    now: () => clock,
    random: () => 0,
  });
}
const ask = async (calls: number) =>
  (await pool.batch<readonly number[]>(doubles(calls), never)).map(resultOf);
const sizesAt = (server: HostileServer) => server.batches.map(({ length }) => length);

describe('the size of a batch', () => {
  it('has no limit before a request is refused, half of that then, and twice as much with each minute', () => {
    const size = createBatchSize(() => clock);
    expect(size.allowed(1_000)).toBe(1_000);
    size.refused(100);
    expect([size.allowed(49), size.allowed(50), size.allowed(1_000)]).toEqual([49, 50, 50]);
    clock = 59_999;
    expect(size.allowed(1_000)).toBe(50);
    clock = 60_000;
    expect(size.allowed(1_000)).toBe(100);
    clock = 180_000;
    expect(size.allowed(1_000)).toBe(400);
    size.refused(101);
    expect(size.allowed(1_000)).toBe(50);
  });

  it('was not the reason where a single call is refused too: the limit is what it was before', () => {
    let clock = 0;
    const size = createBatchSize(() => clock);
    for (const calls of [3, 1]) size.refused(calls);
    expect(size.allowed(100)).toBe(100);
    size.refused(80);
    clock += 10_000;
    for (const calls of [40, 20, 10, 5, 2, 1]) size.refused(calls);
    expect(size.allowed(100)).toBe(40);
  });

  it('is never less than one, and is halved once for requests that were under way together', () => {
    const size = createBatchSize(() => clock);
    for (let times = 0; times < 5; times += 1) size.refused(100);
    expect(size.allowed(100)).toBe(50);
    for (const calls of [3, 2, 2]) size.refused(calls);
    expect(size.allowed(100)).toBe(1);
  });
});

describe.each(REFUSALS)('an endpoint that refuses long batches by %s', (_how, refuse) => {
  it.each([1, 10, 50])('is sent what it takes, here %d calls, and is no worse for it', async (most) => {
    first.answerWith(atMost(most, refuse));
    expect(await ask(100)).toEqual(doubled(100));
    expect(pool.health()).toMatchObject([{ active: true, state: 'active', errorCount: 0, lastError: null }]);
    expect(failures).toEqual([]);
    first.batches.length = 0;
    expect(await ask(100)).toEqual(doubled(100));
    expect(Math.max(...sizesAt(first))).toBeLessThanOrEqual(most);
  });

  it('has failed where it refuses a single call too', async () => {
    first.answerWith(refuse);
    pool = poolOf(first, second);
    expect(await ask(8)).toEqual(doubled(8));
    expect(sizesAt(first)).toEqual([8, 4, 2, 1]);
    expect(sizesAt(second)).toEqual([8]);
    expect(pool.health()).toMatchObject([
      { active: false, state: 'resting', errorCount: 1 },
      { active: true, errorCount: 0 },
    ]);
    expect(failures).toHaveLength(1);
  });
});

describe('endpoints that take batches of different sizes', () => {
  it('answer everything, also where none takes what is sent, and batches go at once', async () => {
    first.answerWith(atMost(10, status(413)));
    second.answerWith(atMost(7, oneError(-32600)));
    pool = poolOf(first, second);
    const answers = await Promise.all([ask(100), ask(100), ask(30), ask(5)]);
    expect(answers).toEqual([doubled(100), doubled(100), doubled(30), doubled(5)]);
    expect(failures).toEqual([]);
  });

  it('are sent longer ones again after a while', async () => {
    first.answerWith(atMost(10, status(413)));
    await ask(16);
    first.answerWith(sound);
    first.batches.length = 0;
    await ask(16);
    expect(sizesAt(first)).toEqual([8, 8]);
    clock += 60_000;
    await ask(16);
    expect(sizesAt(first)).toEqual([8, 8, 16]);
  });

  it('are each asked all the calls where their answers are compared', async () => {
    first.answerWith(atMost(2, status(413)));
    pool = poolOf(first, second);
    const answers = await pool.askEach<readonly number[]>(doubles(5), never);
    for (const { replies } of answers) expect(replies.map(resultOf)).toEqual(doubled(5));
    expect(sizesAt(first)).toEqual([5, 2, 2, 1]);
    expect(sizesAt(second)).toEqual([5]);
  });

  it('are not asked for the rest when they have failed', async () => {
    let answered = 0;
    first.answerWith((calls, response, request) => {
      answered += calls.length === 2 ? 1 : 0;
      const answer = answered > 1 ? status(503) : atMost(2, status(413));
      answer(calls, response, request);
    });
    const [answers] = await pool.askEach<readonly number[]>(doubles(5), never);
    expect(answers?.replies.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    expect(sizesAt(first)).toEqual([5, 2, 2]);
  });

  it('are asked no longer than there is time', async () => {
    first.answerWith((calls, response, request) => {
      clock += 400;
      atMost(1, status(413))(calls, response, request);
    });
    const [answers] = await pool.askEach<readonly number[]>(doubles(3), never, 1_000);
    expect(answers?.replies).toMatchObject([
      { ok: true, value: 0 },
      { ok: true, value: 2 },
      { ok: false, error: { fault: 'timeout' } },
    ]);
    expect([sizesAt(first), pool.health()[0]?.errorCount]).toEqual([[3, 1, 1], 0]);
  });
});
