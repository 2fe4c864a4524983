import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeServer,
  type Responder,
  replyWith,
  respondWithReplies,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { parseRetryAfterMs, postBatch, type RpcCall } from './json-rpc.ts';
import { readJsonText } from './json-shape.ts';
import { RetryableRpcError, RpcRequestError } from './rpc-errors.ts';

const echoCall = (message: string): RpcCall<string> => ({
  method: 'echo',
  params: [message],
  read: (result) => readJsonText(result, 'the echo'),
});
const CALLS = [echoCall('a'), echoCall('b'), echoCall('c')];
const neverAborted = new AbortController().signal;
const echoes: Responder = respondWithResults(({ params }) => params[0]);

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer(echoes);
});
afterEach(() => server.close());

const post = (options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  postBatch(server.url, CALLS, { timeoutMs: 5_000, signal: neverAborted, ...options });
const postFailure = async (options: Parameters<typeof post>[0] = {}): Promise<unknown> =>
  post(options).then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('a batch', () => {
  it('is one request, and its replies are matched by id, whatever their order', async () => {
    server.answerWith((calls, response) =>
      replyWith(
        response,
        calls.toReversed().map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] })),
      ),
    );
    expect(await post()).toEqual(['a', 'b', 'c'].map((value) => ({ ok: true, value })));
    expect(server.batches).toHaveLength(1);
  });

  it('never reuses an id', async () => {
    await post();
    await post();
    const ids = server.batches.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
  });

  it('of one call is a plain request, answered by a plain reply', async () => {
    server.answerWith(([call], response) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, result: 'a' }));
    });
    const [single] = CALLS;
    if (!single) throw new Error('no call');
    const reply = await postBatch(server.url, [single], { timeoutMs: 5_000, signal: neverAborted });
    expect(reply).toEqual([{ ok: true, value: 'a' }]);
    server.answerWith(echoes);
    await post();
    expect(server.requestShapes).toEqual(['single', 'array']);
  });

  it('accepts numeric ids that come back as strings', async () => {
    server.answerWith(respondWithReplies(({ id, params }) => ({ id: String(id), result: params[0] })));
    expect(await post()).toEqual(['a', 'b', 'c'].map((value) => ({ ok: true, value })));
  });

  it('distinguishes rejected calls from retryable ones', async () => {
    const error = (code: number) => ({ error: { code, message: 'as scripted' } });
    server.answerWith(
      respondWithReplies((_, index) => [error(-32602), error(-32005)][index] ?? { result: 'c' }),
    );
    const [refused, later, answered] = await post();
    expect(refused).toMatchObject({ ok: false, error: { code: -32602 } });
    expect(refused?.ok === false && refused.error).toBeInstanceOf(RpcRequestError);
    expect(later).toMatchObject({ ok: false, error: { code: -32005, failure: 'node' } });
    expect(answered).toEqual({ ok: true, value: 'c' });
  });

  it('counts a result with the wrong shape as unreadable', async () => {
    server.answerWith(respondWithResults(() => 5));
    expect((await post())[0]).toMatchObject({ ok: false, error: { failure: 'unreadable' } });
  });

  it("reads valid slots in an error's data, and nothing else", async () => {
    const data = [{ numSlotsBehind: 42 }, { contextSlot: 7 }, { numSlotsBehind: null, contextSlot: 'x' }];
    server.answerWith(
      respondWithReplies((_, index) => ({ error: { code: -32005, message: 'no', data: data[index] } })),
    );
    expect(await post()).toMatchObject([
      { error: { slotsBehind: 42, contextSlot: null } },
      { error: { slotsBehind: null, contextSlot: 7 } },
      { error: { slotsBehind: null, contextSlot: null } },
    ]);
  });

  it('rejects an answer that is older than the minimum slot', async () => {
    const atSlot = (minContextSlot?: number): RpcCall<number> => ({
      method: 'getAtSlot',
      params: [],
      ...(minContextSlot !== undefined && { minContextSlot }),
      read: (_result, sawSlot) => {
        sawSlot(50);
        return 50;
      },
    });
    const calls = [atSlot(), atSlot(50), atSlot(51)];
    server.answerWith(respondWithResults(() => null));
    const seen: number[] = [];
    const sawSlot = (slot: number) => void seen.push(slot);
    expect(
      await postBatch(server.url, calls, { timeoutMs: 5_000, signal: neverAborted, onSlot: sawSlot }),
    ).toMatchObject([{ ok: true }, { ok: true }, { ok: false, error: { failure: 'contradiction' } }]);
    expect(seen).toEqual([50, 50, 50]);
  });

  it('accepts null as a result', async () => {
    server.answerWith(respondWithResults(() => null));
    const any: RpcCall<unknown> = { method: 'any', params: [], read: (result) => result };
    expect(await postBatch(server.url, [any], { timeoutMs: 5_000, signal: neverAborted })).toEqual([
      { ok: true, value: null },
    ]);
  });
});

describe('the whole batch fails after', () => {
  it.each<[string, Responder, string]>([
    ['a missing reply', ([, ...calls], ...rest) => echoes(calls, ...rest), 'mismatch'],
    ['a duplicate reply', (calls, ...rest) => echoes([...calls, ...calls], ...rest), 'mismatch'],
    [
      'an id that was never sent',
      respondWithReplies(({ id }) => ({ id: id + 1_000, result: 'x' })),
      'mismatch',
    ],
    [
      'ids that are not numbers',
      respondWithReplies(({ id }) => ({ id: `call-${id}`, result: 'x' })),
      'mismatch',
    ],
    ['a reply without result or error', respondWithReplies(() => ({})), 'mismatch'],
    ['an error without a code', respondWithReplies(() => ({ error: 'no' })), 'mismatch'],
    [
      'one object instead of a list',
      (_, response) => replyWith(response, { hello: 'world' }),
      'not-json-rpc',
    ],
    ['truncated JSON', (_, response) => response.end('[{"jsonrpc":"2.0","id":1,"resu'), 'cut-off'],
    ['a web page', (_, response) => response.end('<!doctype html><title>hello</title>'), 'not-json-rpc'],
    ['HTTP 404', respondWithStatus(404, {}, 'no'), 'not-json-rpc'],
    ['HTTP 403', respondWithStatus(403, {}, 'no'), 'refused'],
    ['HTTP 503', respondWithStatus(503, {}, 'no'), 'server'],
    ['a redirect', respondWithStatus(302, { location: '/elsewhere' }), 'not-json-rpc'],
    ['a broken connection', (_, response) => response.destroy(), 'unreachable'],
    [
      'a connection that breaks within the body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('[{"jsonrpc"', () => response.destroy());
      },
      'unreachable',
    ],
    [
      'a rate limit for the whole batch',
      (_, response) =>
        replyWith(response, { jsonrpc: '2.0', id: null, error: { code: -32429, message: 'slow down' } }),
      'rate-limit',
    ],
  ])('%s', async (_what, answer, expected) => {
    server.answerWith(answer);
    const error = await postFailure();
    expect(error).toBeInstanceOf(RetryableRpcError);
    expect(error).toMatchObject({ failure: expected });
  });

  it('HTTP 429, with the requested delay', async () => {
    server.answerWith(respondWithStatus(429, { 'retry-after': '7' }));
    expect(await postFailure()).toMatchObject({ failure: 'rate-limit', retryAfterMs: 7_000 });
  });

  it('a timeout, even after the headers', async () => {
    server.answerWith(() => {});
    expect(await postFailure({ timeoutMs: 30 })).toMatchObject({ failure: 'timeout' });
    server.answerWith((_, response) => response.writeHead(200).write('['));
    expect(await postFailure({ timeoutMs: 30 })).toMatchObject({ failure: 'timeout' });
  });

  it('a refused connection', async () => {
    const { url } = server;
    await server.close();
    await expect(postBatch(url, CALLS, { timeoutMs: 5_000, signal: neverAborted })).rejects.toMatchObject({
      failure: 'unreachable',
      message: 'connection failed (ECONNREFUSED)',
    });
  });
});

describe("a server's own message", () => {
  const KEY = 'secret-key-1';
  const serverMessage = `over the limit of ${KEY}, see https://h/?k=1\n${'x'.repeat(1_000)}`;

  it.each([-32602, -32005])('is redacted in the error of a call (%d)', async (code) => {
    server.answerWith(respondWithReplies(() => ({ error: { code, message: serverMessage } })));
    const [reply] = await postBatch(`${server.url}/${KEY}`, CALLS, {
      timeoutMs: 5_000,
      signal: neverAborted,
    });
    const message = reply?.ok === false ? reply.error.message : '';
    expect(message).toContain('over the limit of …, see … xxx');
    expect(message.length).toBeLessThan(250);
  });

  it('is redacted in the error of a batch or HTTP status, and never quoted from an invalid answer', async () => {
    const postWithKey = () =>
      postBatch(`${server.url}/${KEY}`, CALLS, { timeoutMs: 5_000, signal: neverAborted });
    server.answerWith((_, response) =>
      replyWith(response, { error: { code: -32005, message: serverMessage } }),
    );
    await expect(postWithKey()).rejects.toThrow(/over the limit of …, see … x{1,200}$/);
    const bodies: readonly (readonly [string, RegExp])[] = [
      [
        JSON.stringify({ error: { code: -32403, message: serverMessage } }),
        /403: over the limit of …, see … x{1,200}$/,
      ],
      [JSON.stringify({ message: serverMessage }), /403: over the limit of …, see … x{1,200}$/],
      [JSON.stringify([{ error: 'no' }]), /403: no$/],
      [`${KEY} is over its limit`, /403: … is over its limit$/],
      [`<p>${KEY}</p>`, /403$/],
      ['', /403$/],
    ];
    for (const [body, message] of bodies) {
      server.answerWith(respondWithStatus(403, {}, body));
      await expect(postWithKey()).rejects.toThrow(message);
    }
    server.answerWith((_, response) => response.end(`${KEY} is over its limit`));
    const error = await postWithKey().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure: 'not-json-rpc' });
    expect(inspect(error)).not.toContain(KEY);
  });
});

describe('an abort', () => {
  it('ends a request immediately, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stopping');
    server.answerWith(() => controller.abort(reason));
    expect(await postFailure({ signal: controller.signal })).toBe(reason);
    expect(await postFailure({ signal: controller.signal })).toBe(reason);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ['3', 3_000],
    ['0', 0],
    ['86400', 60_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j is read as %j (ms)', (header, expected) => {
    expect(parseRetryAfterMs(header, now)).toBe(expected);
  });
});
