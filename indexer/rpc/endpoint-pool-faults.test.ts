// @module-tag slow
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../ledger/seeded-random.ts';
import {
  endpointsAt,
  type FakeServer,
  type ReceivedCall,
  type Responder,
  replyWith,
  respondWithReplies,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import { createEndpointPool } from './endpoint-pool.ts';
import type { RpcCall } from './json-rpc.ts';
import { readJsonInteger } from './json-shape.ts';
import { slotCall } from './solana-calls.ts';

const CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const OTHER_CHAIN = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** Longer than a normal answer takes on a busy machine. */
const TIMEOUT_MS = 3_000;

const doubleCall = (value: number): RpcCall<number> => ({
  method: 'getTransaction',
  params: [value],
  read: (result) => readJsonInteger(result, 'the double'),
});
const resultOf = ({ method, params }: ReceivedCall): unknown => {
  if (method === 'getGenesisHash') return CHAIN;
  return method === 'getSlot' ? 1_000 : Number(params[0]) * 2;
};
const healthy = respondWithResults(resultOf);
const withError = (code: number) =>
  respondWithReplies((call, index) =>
    index % 2 === 0 ? { error: { code, message: 'as scripted' } } : { result: resultOf(call) },
  );
const LONG_RATE_LIMIT = respondWithStatus(429, { 'retry-after': '20' });

/** Failures that another endpoint can compensate for. */
const FAULTS: readonly Responder[] = [
  respondWithStatus(503),
  respondWithStatus(401),
  respondWithStatus(429),
  LONG_RATE_LIMIT,
  () => {},
  (_, response) => response.destroy(),
  (_, response) => response.end('[{"jsonrpc":"2.0","id":1,"resu'),
  // A missing reply, ids that were never sent, and results of the wrong shape.
  (calls, response) => {
    replyWith(
      response,
      calls.slice(1).map((call) => ({ id: call.id, result: resultOf(call) })),
    );
  },
  respondWithReplies((call) => ({ id: call.id + 5_000, result: resultOf(call) })),
  respondWithResults(() => ({ is: 'nothing' })),
];
const otherChainNode = respondWithResults(({ method }) => (method === 'getGenesisHash' ? OTHER_CHAIN : 7));
const CODES = [-32429, -32004, -32005, -32007, -32009, -32011, -32014, -32016, -32019, -32603];
const ANSWERS: readonly Responder[] = [...FAULTS, ...CODES.map(withError)];

const servers: FakeServer[] = [];
beforeAll(async () => {
  for (let index = 0; index < 3; index += 1) servers.push(await startFakeServer(healthy));
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

const poolOf = (usedServers: readonly FakeServer[], seed: number) => {
  const random = seededRandom(seed);
  const pool = createEndpointPool({
    endpoints: endpointsAt(...usedServers.map(({ url }) => url)),
    timeoutMs: TIMEOUT_MS,
    // Jitter that shortens each pause to at most a fiftieth.
    random: () => random.next() / 50,
  });
  return { pool, random };
};

describe('a pool over failing endpoints', () => {
  beforeAll(() => speedUpTime(10).restore);

  it('gives every call its own answer while one endpoint works', async () => {
    const fewCalls = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.nat(2),
        fc.boolean(),
        fewCalls,
        async (seed, healthyIndex, isPinned, sizes) => {
          const { pool, random } = poolOf(servers, seed);
          // An endpoint on a different chain is only recognized if the chain is pinned.
          if (isPinned) pool.pinChain(CHAIN);
          for (const [index, server] of servers.entries()) {
            const isElsewhere = isPinned && random.next() < 0.2;
            const misbehave: Responder = (...request) => random.pick([healthy, ...ANSWERS])(...request);
            server.answerWith(index === healthyIndex ? healthy : isElsewhere ? otherChainNode : misbehave);
          }
          const signal = AbortSignal.timeout(60_000);
          let value = 0;
          const batches = sizes.map((size) => Array.from({ length: size }, () => (value += 1)));
          await Promise.all(
            batches.map(async (values) => {
              const answers = await pool.batch<number[]>(values.map(doubleCall), signal);
              expect(answers.map((reply) => (reply.ok ? reply.value : reply.error))).toEqual(
                values.map((value) => value * 2),
              );
            }),
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  it('settles every batch if none works, and answers again once they recover', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { pool, random } = poolOf(servers.slice(0, 2), seed);
        const shortFaults = FAULTS.filter((answer) => answer !== LONG_RATE_LIMIT);
        const failing = [withError(-32429), withError(-32005), ...shortFaults];
        for (const server of servers) server.answerWith((...request) => random.pick(failing)(...request));
        const signal = AbortSignal.timeout(60_000);
        const values = [1, 2, 3];
        const settled = await Promise.all(
          Array.from({ length: 6 }, () => pool.batch<number[]>(values.map(doubleCall), signal)),
        );
        expect(settled.every(({ length }) => length === values.length)).toBe(true);
        for (const server of servers) server.answerWith(healthy);
        // Enough calls to reveal a limit that never recovers or a circuit breaker that never closes.
        const answered = await Promise.all(
          Array.from({ length: 4 }, () => pool.batch<number[]>(values.map(doubleCall), signal)),
        );
        const answeredValues = answered.map((batch) => batch.map((reply) => reply.ok && reply.value));
        expect(answeredValues).toEqual(answered.map(() => values.map((value) => value * 2)));
      }),
      { numRuns: 2 },
    );
  });
});

describe('a program that stops', () => {
  const reason = new Error('stopping');
  /** Timers that keep the program alive. */
  const timerCount = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

  it('aborts its request immediately, and leaves no timer and no connection', async () => {
    const [server] = servers;
    if (!server) throw new Error('no server');
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    server.answerWith((_calls, _response, request) => {
      request.socket.once('close', () => closed.resolve());
      arrived.resolve();
    });
    const timersBefore = timerCount();
    const pool = createEndpointPool({ endpoints: endpointsAt(server.url) });
    const controller = new AbortController();
    const waiting = pool.batch([slotCall('confirmed')], controller.signal);
    await arrived.promise;
    const timersDuring = timerCount();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await closed.promise;
    // Timers of other test files may end in the meantime.
    expect(timerCount()).toBeLessThan(timersDuring);
    expect(timerCount()).toBeLessThanOrEqual(timersBefore);
  });

  it.each<[string, Responder]>([
    ['is in backoff after a failure', respondWithStatus(503)],
    ['requires a pause', respondWithStatus(429, { 'retry-after': '30' })],
    ['does not have the block yet', withError(-32004)],
  ])('immediately stops waiting for an endpoint that %s', async (_what, answer) => {
    const [server] = servers;
    if (!server) throw new Error('no server');
    server.answerWith(answer);
    const timersBefore = timerCount();
    const failed = Promise.withResolvers<void>();
    const pool = createEndpointPool({
      endpoints: endpointsAt(server.url),
      random: () => 1,
      onFailure: () => failed.resolve(),
    });
    const controller = new AbortController();
    const waiting = pool.batch([slotCall('confirmed')], controller.signal);
    await failed.promise;
    await setImmediate();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    // Timers of other test files may end in the meantime.
    expect(timerCount()).toBeLessThanOrEqual(timersBefore);
    await expect(pool.batch([slotCall('confirmed')], controller.signal)).rejects.toBe(reason);
    await expect(pool.requestFromEach([slotCall('confirmed')], controller.signal)).rejects.toBe(reason);
  });
});
