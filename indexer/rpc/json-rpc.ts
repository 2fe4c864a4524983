import { isRecord, ShapeError } from './json-shape.ts';
import { RetryableRpcError, RpcRequestError, rpcErrorOf } from './rpc-errors.ts';

/** One call: what is sent, and how its result is read. */
export interface RpcCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * Reads the result, telling the slot it was answered at where it carries one.
   * @throws {ShapeError} where the result is not what the method promises.
   */
  readonly read: (result: unknown, sawSlot: (slot: number) => void) => T;
}

export type RpcCalls<T extends readonly unknown[]> = { readonly [K in keyof T]: RpcCall<T[K]> };

export type RpcReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RetryableRpcError | RpcRequestError };

export interface PostOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly sawSlot?: (slot: number) => void;
}

const LONGEST_RETRY_AFTER_MS = 60_000;

let lastId = 0;

/**
 * Sends calls as one JSON-RPC batch and answers their replies in the order of the calls, matched by id. Ids
 * are never used twice, so a reply to another request cannot be taken for one to this.
 *
 * @throws {RetryableRpcError} where the batch as a whole failed: no connection, no answer in time, an HTTP
 * failure, a body that is not JSON-RPC, an id that is missing, repeated or was never sent
 * @throws the signal's reason where it aborts
 */
export async function postBatch(
  url: string,
  calls: readonly RpcCall<unknown>[],
  { timeoutMs, signal, sawSlot = () => {} }: PostOptions,
): Promise<readonly RpcReply<unknown>[]> {
  const firstId = lastId + 1;
  lastId += calls.length;
  const request = calls.map(({ method, params }, index) => ({
    jsonrpc: '2.0',
    id: firstId + index,
    method,
    params,
  }));
  const body = await post(url, JSON.stringify(request), timeoutMs, signal);
  return matchReplies(parseBody(body), calls, firstId, sawSlot);
}

async function post(url: string, body: string, timeoutMs: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // Not AbortSignal.any: the outer signal lives as long as the process and would collect one dependent a request.
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  const timeout = new RetryableRpcError('timeout', `no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: controller.signal,
      redirect: 'error',
    });
    if (response.ok) return await response.text();
    await response.body?.cancel();
    throw statusError(response);
  } catch (error) {
    signal.throwIfAborted();
    if (controller.signal.aborted) throw timeout;
    if (error instanceof RetryableRpcError) throw error;
    throw new RetryableRpcError('unreachable', connectionFault(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function statusError(response: Response): RetryableRpcError {
  const { status } = response;
  const message = `HTTP ${status}`;
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), Date.now());
  if (status === 429) return new RetryableRpcError('rate-limit', message, { retryAfterMs });
  if (status === 401 || status === 403) return new RetryableRpcError('refused', message);
  if (status >= 500 || status === 408 || status === 413) {
    return new RetryableRpcError('server', message, { retryAfterMs });
  }
  return new RetryableRpcError('not-json-rpc', message);
}

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 §10.2.3: seconds or a date), at most a minute;
 * else null.
 */
export function retryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, Math.ceil(seconds * 1_000)));
}

/**
 * The system's code of a failed connection (`ECONNREFUSED`), without addresses or paths, which may hold a
 * key.
 */
function connectionFault(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return `connection failed (${cause.code})`;
  }
  return 'connection failed';
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new RetryableRpcError('not-json-rpc', 'the answer is not JSON', { cause: error });
  }
}

function matchReplies(
  body: unknown,
  calls: readonly RpcCall<unknown>[],
  firstId: number,
  sawSlot: (slot: number) => void,
): readonly RpcReply<unknown>[] {
  if (!Array.isArray(body)) throw batchError(body, calls);
  const replies = new Map<number, RpcReply<unknown>>();
  for (const reply of body) {
    if (!isRecord(reply) || typeof reply.id !== 'number') throw mismatch('a reply has no id');
    const index = reply.id - firstId;
    const call = calls[index];
    if (!call) throw mismatch('a reply has an id that was not sent');
    if (replies.has(index)) throw mismatch('two replies have the same id');
    replies.set(index, readReply(reply, call, sawSlot));
  }
  return calls.map((_, index) => replies.get(index) ?? missing());
}

function missing(): never {
  throw mismatch('a reply is missing');
}

function mismatch(what: string): RetryableRpcError {
  return new RetryableRpcError('not-json-rpc', `the replies do not match the batch: ${what}`);
}

/** A batch that is refused as a whole is answered by one error object. */
function batchError(body: unknown, calls: readonly RpcCall<unknown>[]): Error {
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error) || typeof error.code !== 'number') {
    return new RetryableRpcError('not-json-rpc', 'the answer is not a list of replies');
  }
  const method = calls[0]?.method ?? 'an empty batch';
  const fault = rpcErrorOf(`the batch with ${method}`, error.code, String(error.message));
  // A refusal of the envelope says nothing about the calls in it; another endpoint may take it.
  if (fault instanceof RpcRequestError) {
    return new RetryableRpcError('node', fault.message, { code: fault.code });
  }
  return fault;
}

function readReply(
  reply: Readonly<Record<string, unknown>>,
  { method, read }: RpcCall<unknown>,
  sawSlot: (slot: number) => void,
): RpcReply<unknown> {
  const { error, result } = reply;
  if (error !== undefined && error !== null) {
    if (!isRecord(error) || typeof error.code !== 'number') throw mismatch('an error has no code');
    return { ok: false, error: rpcErrorOf(method, error.code, String(error.message)) };
  }
  if (result === undefined) throw mismatch('a reply has neither result nor error');
  try {
    return { ok: true, value: read(result, sawSlot) };
  } catch (fault) {
    if (!(fault instanceof ShapeError)) throw fault;
    const message = `${method} answered in an unknown shape: ${fault.message}`;
    return { ok: false, error: new RetryableRpcError('unreadable', message, { cause: fault }) };
  }
}
