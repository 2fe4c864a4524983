import { TimeoutStrategy, timeout } from 'cockatiel';
import { runTraced } from '../../data/runtime/tracing.ts';
import { type HttpResponse, postJson } from './http-post.ts';
import { isAbsent, isRecord, type JsonRecord, ShapeError } from './json-shape.ts';
import { isIterable, parseReplies } from './replies.ts';
import {
  BATCHES_NOT_IN_PLAN,
  type BatchRejection,
  RetryableRpcError,
  RpcRequestError,
  redactor,
  rpcErrorOf,
} from './rpc-errors.ts';

export interface RpcCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * Answers from an earlier slot are rejected. The slot is also part of `params`, so that a node that has not reached it returns
   * an error.
   */
  readonly minContextSlot?: number;
  /**
   * @param onSlot must be called with the answer's slot, if the answer has one
   * @throws {ShapeError} if the result does not have the shape that the method promises
   */
  read(result: unknown, onSlot: (slot: number) => void): T;
}

export type RpcCalls<T extends readonly unknown[]> = { readonly [K in keyof T]: RpcCall<T[K]> };

export type RpcReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RetryableRpcError | RpcRequestError };

/** `endpointName` is the name of the endpoint that answered or was tried last; empty if none was tried. */
export type PoolReply<T> = RpcReply<T> & { readonly endpointName: string };
export type PoolReplies<T extends readonly unknown[]> = { readonly [K in keyof T]: PoolReply<T[K]> };

/** Statuses for a request that is malformed or too large. Providers also send them for a batch with too many calls. */
const SIZE_STATUSES: readonly number[] = [400, 413];
const REFUSAL_STATUSES: readonly number[] = [401, 403, 410];
/** Statuses that an endpoint may send for any array because it accepts only single calls. */
const ARRAY_STATUSES: readonly number[] = [403, 405, 415, 422, 500, 501];
const MAX_RETRY_AFTER_MS = 60_000;

let lastId = 0;

interface PostOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onSlot?: (slot: number) => void;
}

/**
 * Sends several calls as one JSON-RPC batch. A single call is sent as a plain request, which every endpoint accepts. Returns the
 * replies in the order of the calls, matched by id. Ids are never reused, so a reply to an earlier request is never mistaken for
 * a reply to this one.
 *
 * @throws {RetryableRpcError} if the whole batch failed: no connection, a timeout, an HTTP error, a body that is not JSON-RPC, or
 * an id that is missing, repeated or was never sent
 * @throws the signal's reason if it aborts
 */
export function postBatch(
  url: string,
  calls: readonly RpcCall<unknown>[],
  options: PostOptions,
): Promise<readonly RpcReply<unknown>[]> {
  const method = calls[0]?.method ?? 'none';
  // Only the host, because the path may contain a key.
  const host = URL.parse(url)?.hostname ?? '';
  const attributes = { 'rpc.method': method, 'rpc.calls': calls.length, 'server.address': host };
  return runTraced({ name: `rpc ${method}`, kind: 'client', attributes }, async (span) => {
    try {
      const replies = await sendBatch(url, calls, options);
      if (replies.some(({ ok }) => !ok)) span.fail('reply');
      return replies;
    } catch (error) {
      span.set({ outcome: error instanceof RetryableRpcError ? error.failure : 'aborted' });
      throw error;
    }
  });
}

async function sendBatch(
  url: string,
  calls: readonly RpcCall<unknown>[],
  { timeoutMs, signal, onSlot = () => {} }: PostOptions,
): Promise<readonly RpcReply<unknown>[]> {
  const firstId = lastId + 1;
  lastId += calls.length;
  const redact = (message: string) => redactor(url)(message);
  const { body, release } = await post(url, requestBody(calls, firstId), timeoutMs, signal, redact);
  try {
    return matchReplies(parseReplies(body), calls, firstId, { onSlot, redact });
  } finally {
    release();
  }
}

/** A separate function, so that the objects can be freed and only their bytes stay in memory during the request. */
function requestBody(calls: readonly RpcCall<unknown>[], firstId: number): Buffer {
  const requests = calls.map(({ method, params }, index) => ({
    jsonrpc: '2.0',
    id: firstId + index,
    method,
    params,
  }));
  return Buffer.from(JSON.stringify(requests.length === 1 ? requests[0] : requests));
}

async function post(
  url: string,
  body: Buffer,
  timeoutMs: number,
  signal: AbortSignal,
  redact: (message: string) => string,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  // The request listens to the policy's signal, which exists only during the request. A listener on the outer signal would remain
  // until the process exits.
  const policy = timeout(timeoutMs, { strategy: TimeoutStrategy.Cooperative, abortOnReturn: false });
  let isLate = false;
  policy.onTimeout(() => {
    isLate = true;
  });
  try {
    return await policy.execute(async ({ signal: requestSignal }) => {
      const response = await postJson(url, body, requestSignal);
      if (response.status >= 200 && response.status < 300) return response;
      throw statusError(response, redact);
    }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isLate) throw new RetryableRpcError('timeout', `no answer within ${timeoutMs} ms`);
    if (error instanceof RetryableRpcError) throw error;
    throw new RetryableRpcError('unreachable', connectionErrorText(error), { cause: error });
  }
}

function statusError(
  { status, retryAfter: header, body }: HttpResponse,
  redact: (message: string) => string,
): RetryableRpcError {
  const reason = redact(reasonIn(body));
  const message = reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}`;
  const retryAfterMs = parseRetryAfterMs(header, Date.now());
  if (status === 429) return new RetryableRpcError('rate-limit', message, { retryAfterMs });
  const rejection = SIZE_STATUSES.includes(status)
    ? 'size'
    : ARRAY_STATUSES.includes(status)
      ? 'arrays'
      : null;
  if (REFUSAL_STATUSES.includes(status)) return new RetryableRpcError('refused', message, { rejection });
  if (status >= 500 || status === 408 || status === 413) {
    return new RetryableRpcError('server', message, { retryAfterMs, rejection });
  }
  return new RetryableRpcError('not-json-rpc', message, { rejection });
}

/** The provider's reason in an error response: the message in its JSON, or its text. Empty if the body is a web page. */
function reasonIn(body: Buffer): string {
  try {
    const json: unknown = JSON.parse(body.toString());
    const [first] = isIterable(json) ? json : [json];
    const error = isRecord(first) ? (first.error ?? first.message) : first;
    const message = isRecord(error) ? error.message : error;
    return typeof message === 'string' ? message : '';
  } catch {
    const text = body.toString().trim();
    return text.startsWith('<') ? '' : text;
  }
}

/**
 * The `Retry-After` header (RFC 9110 §10.2.3: seconds or a date) in milliseconds, at most a minute; null if absent or invalid.
 */
export function parseRetryAfterMs(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(seconds * 1_000)));
}

/** Contains the system's error code (such as `ECONNREFUSED`), but no address or path, because either may contain a key. */
function connectionErrorText(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return `connection failed (${cause.code})`;
  }
  return 'connection failed';
}

interface ReplyContext {
  readonly onSlot: (slot: number) => void;
  /** Makes the server's messages safe to show. */
  readonly redact: (message: string) => string;
}

function matchReplies(
  body: unknown,
  calls: readonly RpcCall<unknown>[],
  firstId: number,
  context: ReplyContext,
): readonly RpcReply<unknown>[] {
  const list = calls.length === 1 && isRecord(body) && !isAbsent(body.id) ? [body] : body;
  if (!isIterable(list)) throw batchError(body, calls, context);
  const replies = new Array<RpcReply<unknown> | undefined>(calls.length);
  for (const reply of list) {
    const id = isRecord(reply) ? idIn(reply) : null;
    if (!isRecord(reply) || id === null) throw mismatchError('a reply has no id');
    const index = id - firstId;
    const call = calls[index];
    if (!call) throw mismatchError('a reply has an id that was not sent');
    if (replies[index]) throw mismatchError('two replies have the same id');
    replies[index] = readReply(reply, call, context);
  }
  return calls.map((_, index) => {
    const reply = replies[index];
    if (!reply) throw mismatchError('a reply is missing');
    return reply;
  });
}

/** The id of a reply; null if it has none. Some providers return numeric ids as strings. */
function idIn({ id }: JsonRecord): number | null {
  if (typeof id === 'string' && /^\d+$/.test(id)) return Number(id);
  return typeof id === 'number' ? id : null;
}

function mismatchError(what: string): RetryableRpcError {
  return new RetryableRpcError('mismatch', `the replies do not match the batch: ${what}`);
}

/**
 * A node that rejects a whole batch answers with one error object. A node that accepts no arrays may answer only the first
 * call.
 */
function batchError(body: unknown, calls: readonly RpcCall<unknown>[], { redact }: ReplyContext): Error {
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error) || typeof error.code !== 'number') {
    const rejection = isRecord(body) && 'result' in body ? 'arrays' : null;
    return new RetryableRpcError('not-json-rpc', 'the answer is not a list of replies', { rejection });
  }
  const method = `the batch with ${calls[0]?.method ?? 'no call'}`;
  const rpcError = rpcErrorOf(method, error.code, redact(String(error.message)), slotsIn(error.data));
  if (!(rpcError instanceof RpcRequestError)) return rpcError;
  // The node rejected the batch as a whole, not a single call in it. Another endpoint may accept the batch.
  const { code, message } = rpcError;
  const rejection: BatchRejection = code === BATCHES_NOT_IN_PLAN ? 'arrays' : 'size';
  return new RetryableRpcError('node', message, { code, rejection });
}

function readReply(
  reply: JsonRecord,
  call: RpcCall<unknown>,
  { onSlot, redact }: ReplyContext,
): RpcReply<unknown> {
  const { method, minContextSlot = 0 } = call;
  const { error, result } = reply;
  if (error !== undefined && error !== null) {
    if (!isRecord(error) || typeof error.code !== 'number') throw mismatchError('an error has no code');
    const message = redact(String(error.message));
    return { ok: false, error: rpcErrorOf(method, error.code, message, slotsIn(error.data)) };
  }
  if (result === undefined) throw mismatchError('a reply has neither result nor error');
  let answeredSlot = Number.POSITIVE_INFINITY;
  try {
    const value = call.read(result, (slot) => {
      answeredSlot = slot;
      onSlot(slot);
    });
    if (answeredSlot >= minContextSlot) return { ok: true, value };
  } catch (cause) {
    if (!(cause instanceof ShapeError)) throw cause;
    const message = `${method} returned an unexpected shape: ${cause.message}`;
    return { ok: false, error: new RetryableRpcError('unreadable', message, { cause }) };
  }
  const message = `${method} answered for slot ${answeredSlot}, but slot ${minContextSlot} or later was requested`;
  return { ok: false, error: new RetryableRpcError('contradiction', message) };
}

/** The slots in an error's data. Source: Agave, `rpc-client-api/src/custom_error.rs`. */
function slotsIn(data: unknown) {
  const { numSlotsBehind, contextSlot } = isRecord(data) ? data : {};
  return { slotsBehind: slotOrNull(numSlotsBehind), contextSlot: slotOrNull(contextSlot) };
}

function slotOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
