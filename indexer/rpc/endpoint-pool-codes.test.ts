import { beforeEach, describe, expect, it } from 'vitest';
import {
  endpointsAt,
  type FakeServer,
  type Responder,
  respondWithReplies,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { retryDelayMs } from './batch-progress.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { RetryableRpcError } from './rpc-errors.ts';
import { multipleAccountsCall, signaturesCall, slotCall, transactionCall } from './solana-calls.ts';

const pausesAfter = (code: number) => {
  const failure = new RetryableRpcError('node', 'not now', { code });
  return [1, 2, 3, 10].map((times) => retryDelayMs(failure, times, () => 1));
};

it('a call is retried within a slot if the node will soon have the answer, otherwise after growing pauses', () => {
  expect(pausesAfter(-32014)).toEqual([400, 400, 400, 400]);
  expect(pausesAfter(-32016)).toEqual([400, 400, 400, 400]);
  expect(pausesAfter(-32004)).toEqual([250, 500, 1_000, 5_000]);
  expect(pausesAfter(-32019)).toEqual([250, 500, 1_000, 5_000]);
});

const neverAborted = new AbortController().signal;

/** `errorOf` chooses the error, if any, for each call. */
function node(slot: number, errorOf: (method: string) => object | null = () => null): Responder {
  const resultByMethod: Record<string, unknown> = {
    getSlot: slot,
    getTransaction: { slot },
    getSignaturesForAddress: [],
    getMultipleAccounts: { context: { slot }, value: [] },
  };
  return respondWithReplies(({ method }) => {
    const error = errorOf(method);
    return error ? { error } : { result: resultByMethod[method] };
  });
}
const always = (code: number, data?: object) => (method: string) =>
  method === 'getTransaction' ? { code, message: 'as scripted', data } : null;
const once = (code: number) => {
  let isPending = true;
  return (method: string) => {
    const error = isPending ? always(code)(method) : null;
    isPending = false;
    return error;
  };
};

let first: FakeServer;
let second: FakeServer;
let pool: EndpointPool;

beforeEach(async () => {
  first = await startFakeServer(node(100));
  second = await startFakeServer(node(101));
  pool = createEndpointPool({ endpoints: endpointsAt(first.url, second.url), random: () => 0.001 });
  return () => Promise.all([first.close(), second.close()]);
});

const requestTransaction = async () => (await pool.batch([transactionCall('signature')], neverAborted))[0];
const healthOf = (server: FakeServer) => pool.health().find(({ name }) => server.url.endsWith(name));
const methodsAt = (server: FakeServer) => server.batches.flat().map(({ method }) => method);
const poolOfOne = (server: FakeServer) =>
  createEndpointPool({ endpoints: endpointsAt(server.url), random: () => 0.001 });

describe('a rate limit', () => {
  it.each<[string, Responder]>([
    ['HTTP 429', respondWithStatus(429)],
    ['-32429 for each call', node(100, () => ({ code: -32429, message: 'too many requests' }))],
  ])("by %s moves the work to another endpoint, and lowers this endpoint's rate", async (_what, refusal) => {
    first.answerWith(refusal);
    const calls = Array.from({ length: 200 }, () => slotCall('finalized'));
    expect((await pool.batch(calls, neverAborted)).map(resultOf)).toEqual(calls.map(() => 101));
    expect(healthOf(first)).toMatchObject({ state: 'backoff', errorCount: 1 });
    first.answerWith(node(100));
    second.answerWith(respondWithStatus(503));
    const sentBefore = first.batches.length;
    const answers = await pool.batch(calls.slice(0, 70), neverAborted);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    const sizes = first.batches.slice(sentBefore).map(({ length }) => length);
    // The rate is halved from 200 calls a second, then grows. A batch has at most 0.25 s worth of calls.
    expect(Math.max(...sizes)).toBeLessThan(60);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(70);
  });
});

describe('-32004, a block that is not available yet', () => {
  it('is requested from another endpoint, and again later', async () => {
    first.answerWith(node(100, once(-32004)));
    second.answerWith(node(101, always(-32004)));
    expect(await requestTransaction()).toMatchObject({ ok: true, value: { slot: 100 } });
    expect([first.batches.length, second.batches.length]).toEqual([2, 1]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 1 });
  });
});

describe('-32005, a node that is behind', () => {
  it('puts the endpoint in backoff for all calls, and shows its lag if the node reports it', async () => {
    first.answerWith(node(100, always(-32005, { numSlotsBehind: 412 })));
    const answers = await pool.batch([slotCall('finalized'), transactionCall('signature')], neverAborted);
    expect(answers).toMatchObject([{ value: 100 }, { value: { slot: 101 } }]);
    expect(healthOf(first)).toMatchObject({ state: 'backoff', slotLag: 412 });
  });
});

describe.each([-32007, -32009])('%d, a slot that was skipped or is not stored', (code) => {
  it('is final once every endpoint has reported it', async () => {
    first.answerWith(node(100, always(code)));
    second.answerWith(node(101, always(code)));
    const answers = await pool.batch([transactionCall('signature'), slotCall('finalized')], neverAborted);
    expect(answers).toMatchObject([
      { ok: false, error: { code } },
      { ok: true, value: 100 },
    ]);
    expect(first.batches.map(({ length }) => length)).toEqual([2]);
    expect(second.batches.map(({ length }) => length)).toEqual([1]);
    expect(healthOf(first)?.state).toBe('active');
  });
});

describe('-32011, a node without transaction history', () => {
  it('gets no more history calls, but still gets calls for accounts', async () => {
    first.answerWith(node(100, always(-32011)));
    expect(await requestTransaction()).toMatchObject({ ok: true, value: { slot: 101 } });
    const calls = [
      multipleAccountsCall([]),
      transactionCall('signature'),
      signaturesCall('address', { limit: 1 }),
    ] as const;
    const answers = await pool.batch<readonly unknown[]>(calls, neverAborted);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(answers.map(({ endpointName }) => first.url.endsWith(endpointName))).toEqual([true, false, false]);
    expect(methodsAt(first)).toEqual(['getTransaction', 'getMultipleAccounts']);
    expect(healthOf(first)?.state).toBe('active');
  });

  it('makes history calls fail without a request if it is the only endpoint', async () => {
    const single = poolOfOne(first);
    first.answerWith(node(100, always(-32011)));
    await single.batch([transactionCall('signature')], neverAborted);
    const [history, slot] = await single.batch(
      [signaturesCall('address', { limit: 1 }), slotCall('finalized')],
      neverAborted,
    );
    expect(history).toMatchObject({
      ok: false,
      error: { code: -32011, message: expect.stringContaining('no endpoint keeps transaction history') },
    });
    expect(slot).toMatchObject({ ok: true, value: 100 });
    expect(methodsAt(first)).toEqual(['getTransaction', 'getSlot']);
  });
});

describe.each([
  [-32015, 'an unsupported transaction version'],
  [-32020, 'a cursor that the node does not know'],
])('%d, %s', (code) => {
  it('fails the call, which is sent to no other endpoint', async () => {
    first.answerWith(node(100, always(code)));
    const reply = await requestTransaction();
    expect(reply).toMatchObject({ ok: false, error: { name: 'RpcRequestError', code } });
    expect([first.batches.length, second.batches.length]).toEqual([1, 0]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 0 });
  });
});

describe('-32016, a node that has not reached the requested slot', () => {
  const behindError = (method: string) =>
    method === 'getMultipleAccounts'
      ? { code: -32016, message: 'Minimum context slot', data: { contextSlot: 40 } }
      : null;

  it('does not count as failed, but another endpoint is preferred and the lag is shown', async () => {
    first.answerWith(node(40, behindError));
    expect(await pool.batch([multipleAccountsCall([], 101)], neverAborted)).toMatchObject([
      { ok: true, value: { slot: 101 } },
    ]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 0, lastError: null, slotLag: 61 });
    expect(resultOf((await pool.batch([slotCall('finalized')], neverAborted))[0])).toBe(101);
  });

  it('is retried if there is no other endpoint', async () => {
    let reachedSlot = 40;
    first.answerWith((calls, response, request) => {
      node(reachedSlot, reachedSlot < 101 ? behindError : () => null)(calls, response, request);
      reachedSlot = 101;
    });
    expect(await poolOfOne(first).batch([multipleAccountsCall([], 101)], neverAborted)).toMatchObject([
      { ok: true },
    ]);
    expect(first.batches).toHaveLength(2);
  });

  it('returns an error to the caller if it stays behind', async () => {
    first.answerWith(node(40, behindError));
    expect(await poolOfOne(first).batch([multipleAccountsCall([], 101)], neverAborted)).toMatchObject([
      { ok: false, error: { code: -32016, contextSlot: 40 } },
    ]);
    expect(first.batches).toHaveLength(3);
  });
});

describe('-32019, long-term storage that does not answer', () => {
  it('counts as a failure of the endpoint, and the call goes to another one', async () => {
    first.answerWith(node(100, always(-32019)));
    expect(await requestTransaction()).toMatchObject({ ok: true, value: { slot: 101 } });
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 1 });
  });
});
