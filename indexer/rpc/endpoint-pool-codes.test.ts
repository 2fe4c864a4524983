import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { type Answer, type HostileServer, replyWith, startHostileServer } from '../testing/hostile-server.ts';
import { createEndpointPool, type EndpointPool, resultOf } from './endpoint-pool.ts';
import { RpcRequestError } from './rpc-errors.ts';
import {
  getMultipleAccounts,
  getSignatureStatuses,
  getSignaturesForAddress,
  getSlot,
  getTransaction,
} from './solana-calls.ts';

const never = new AbortController().signal;

/** A node at a slot that gives errors to some methods, told anew for each call. */
function node(slot: number, errorOf: (method: string) => object | null = () => null): Answer {
  const resultTo: Record<string, unknown> = {
    getSlot: slot,
    getTransaction: { slot },
    getSignaturesForAddress: [],
    getSignatureStatuses: { context: { slot }, value: [] },
    getMultipleAccounts: { context: { slot }, value: [] },
  };
  return (calls, response) =>
    replyWith(
      response,
      calls.map(({ id, method }) => {
        const error = errorOf(method);
        return error ? { id, error } : { id, result: resultTo[method] };
      }),
    );
}
const always = (code: number, data?: object) => (method: string) =>
  method === 'getTransaction' ? { code, message: 'as scripted', data } : null;
const once = (code: number) => {
  let isLeft = true;
  return (method: string) => {
    const error = isLeft ? always(code)(method) : null;
    isLeft = false;
    return error;
  };
};

let first: HostileServer;
let second: HostileServer;
let pool: EndpointPool;

beforeEach(async () => {
  first = await startHostileServer(node(100));
  second = await startHostileServer(node(101));
  pool = createEndpointPool({ endpoints: endpointsAt(first.url, second.url), random: () => 0.001 });
});
afterEach(async () => {
  await first.close();
  await second.close();
});

const transaction = async () => (await pool.batch([getTransaction('signature')], never))[0];
const healthOf = (server: HostileServer) => pool.health().find(({ name }) => server.url.endsWith(name));
const methodsAt = (server: HostileServer) => server.batches.flat().map(({ method }) => method);
const alone = (server: HostileServer) =>
  createEndpointPool({ endpoints: endpointsAt(server.url), random: () => 0.001 });

describe('a rate limit', () => {
  it.each<[string, Answer]>([
    ['HTTP 429', (_, response) => response.writeHead(429).end()],
    ['-32429 for each call', node(100, () => ({ code: -32429, message: 'too many requests' }))],
  ])('of %s sends the work elsewhere, and less of it to the endpoint afterwards', async (_what, refusal) => {
    first.answerWith(refusal);
    const calls = Array.from({ length: 200 }, () => getSlot('finalized'));
    expect((await pool.batch(calls, never)).map(resultOf)).toEqual(calls.map(() => 101));
    expect(healthOf(first)).toMatchObject({ state: 'resting', errorCount: 1 });
    first.answerWith(node(100));
    second.answerWith((_, response) => response.writeHead(503).end());
    const sentBefore = first.batches.length;
    const replies = await pool.batch(calls.slice(0, 70), never);
    expect(replies.every(({ ok }) => ok)).toBe(true);
    const sizes = first.batches.slice(sentBefore).map(({ length }) => length);
    // A hundred calls a second are left of 200, growing, and a quarter of a second's of them at once.
    expect(Math.max(...sizes)).toBeLessThan(60);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(70);
  });
});

describe('-32004, a block that is not there yet', () => {
  it('is asked for elsewhere, and later', async () => {
    first.answerWith(node(100, once(-32004)));
    second.answerWith(node(101, always(-32004)));
    expect(await transaction()).toMatchObject({ ok: true, value: { slot: 100 } });
    expect([first.batches.length, second.batches.length]).toEqual([2, 1]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 1 });
  });
});

describe('-32005, a node that is behind', () => {
  it('lets the whole node rest, and shows how far it is behind where it says so', async () => {
    first.answerWith(node(100, always(-32005, { numSlotsBehind: 412 })));
    const replies = await pool.batch([getSlot('finalized'), getTransaction('signature')], never);
    expect(replies).toMatchObject([{ value: 100 }, { value: { slot: 101 } }]);
    expect(healthOf(first)).toMatchObject({ state: 'resting', slotLag: 412 });
  });
});

describe.each([-32007, -32009])('%d, a slot that was skipped or is not stored', (code) => {
  it('is asked for at another endpoint, which may have it', async () => {
    first.answerWith(node(100, always(code)));
    expect(await transaction()).toMatchObject({ ok: true, value: { slot: 101 } });
    expect(healthOf(first)?.state).toBe('active');
  });

  it('is final once every endpoint said so', async () => {
    first.answerWith(node(100, always(code)));
    second.answerWith(node(101, always(code)));
    const replies = await pool.batch([getTransaction('signature'), getSlot('finalized')], never);
    expect(replies).toMatchObject([
      { ok: false, error: { code } },
      { ok: true, value: 100 },
    ]);
    expect(first.batches.map(({ length }) => length)).toEqual([2]);
    expect(second.batches.map(({ length }) => length)).toEqual([1]);
  });
});

describe('-32011, a node without transaction history', () => {
  it('is not asked for history any more, but still for accounts', async () => {
    first.answerWith(node(100, always(-32011)));
    expect(await transaction()).toMatchObject({ ok: true, value: { slot: 101 } });
    const calls = [
      getMultipleAccounts([]),
      getTransaction('signature'),
      getSignaturesForAddress('address', { limit: 1 }),
      getSignatureStatuses([]),
    ] as const;
    const replies = await pool.batch<readonly unknown[]>(calls, never);
    expect(replies.every(({ ok }) => ok)).toBe(true);
    expect(replies.map(({ by }) => first.url.endsWith(by))).toEqual([true, false, false, false]);
    expect(methodsAt(first)).toEqual(['getTransaction', 'getMultipleAccounts']);
    expect(healthOf(first)?.state).toBe('active');
  });

  it('is told at once where no endpoint has any', async () => {
    const single = alone(first);
    first.answerWith(node(100, always(-32011)));
    await single.batch([getTransaction('signature')], never);
    const [history, slot] = await single.batch(
      [getSignaturesForAddress('address', { limit: 1 }), getSlot('finalized')],
      never,
    );
    expect(history).toMatchObject({
      ok: false,
      error: { code: -32011, message: expect.stringContaining('no endpoint keeps transaction history') },
    });
    expect(slot).toMatchObject({ ok: true, value: 100 });
    expect(methodsAt(first)).toEqual(['getTransaction', 'getSlot']);
  });
});

describe('-32014, a block whose status is not known yet', () => {
  it('is asked for again soon', async () => {
    const single = alone(first);
    first.answerWith(node(100, once(-32014)));
    expect(await single.batch([getTransaction('signature')], never)).toMatchObject([{ ok: true }]);
    expect(first.batches).toHaveLength(2);
  });
});

describe('-32015, a transaction of a version that was not asked for', () => {
  it('is a refusal of the request, which says what to do, and is asked for nowhere else', async () => {
    first.answerWith(node(100, always(-32015)));
    const reply = await transaction();
    expect(reply).toMatchObject({
      ok: false,
      error: {
        code: -32015,
        message: expect.stringContaining('has a version that the indexer does not read'),
      },
    });
    expect(reply?.ok === false && reply.error).toBeInstanceOf(RpcRequestError);
    expect([first.batches.length, second.batches.length]).toEqual([1, 0]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 0 });
  });
});

describe('-32016, a node that has not reached the slot asked for', () => {
  const behind = (method: string) =>
    method === 'getMultipleAccounts'
      ? { code: -32016, message: 'Minimum context slot', data: { contextSlot: 40 } }
      : null;

  it('is no failure: another endpoint is preferred, and the lag is shown', async () => {
    first.answerWith(node(40, behind));
    expect(await pool.batch([getMultipleAccounts([], 101)], never)).toMatchObject([
      { ok: true, value: { slot: 101 } },
    ]);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 0, lastError: null, slotLag: 61 });
    expect(resultOf((await pool.batch([getSlot('finalized')], never))[0])).toBe(101);
  });

  it('is waited for where there is no other', async () => {
    let reached = 40;
    first.answerWith((calls, response, request) => {
      node(reached, reached < 101 ? behind : () => null)(calls, response, request);
      reached = 101;
    });
    expect(await alone(first).batch([getMultipleAccounts([], 101)], never)).toMatchObject([{ ok: true }]);
    expect(first.batches).toHaveLength(2);
  });

  it('is given back where it lasts', async () => {
    first.answerWith(node(40, behind));
    expect(await alone(first).batch([getMultipleAccounts([], 101)], never)).toMatchObject([
      { ok: false, error: { code: -32016, contextSlot: 40 } },
    ]);
    expect(first.batches).toHaveLength(3);
  });
});

describe('-32019, a long-term storage that does not answer', () => {
  it('is an error of the endpoint, and the call is asked elsewhere', async () => {
    first.answerWith(node(100, always(-32019)));
    expect(await transaction()).toMatchObject({ ok: true, value: { slot: 101 } });
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 1 });
  });
});

describe('-32020, a cursor that the node does not know', () => {
  it('is handed to the caller, who steps back to an older one', async () => {
    first.answerWith(node(100, always(-32020)));
    const reply = await transaction();
    expect(reply?.ok === false && reply.error).toBeInstanceOf(RpcRequestError);
    expect(reply).toMatchObject({ ok: false, error: { code: -32020 } });
    expect(second.batches).toHaveLength(0);
    expect(healthOf(first)).toMatchObject({ state: 'active', errorCount: 0 });
  });
});
