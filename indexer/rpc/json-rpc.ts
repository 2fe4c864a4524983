import { TimeoutStrategy, timeout } from 'cockatiel';
import { type HttpAnswer, postJson } from './http-post.ts';
import { isRecord, ShapeError } from './json-shape.ts';
import { isIterable, repliesIn } from './replies.ts';
import { RetryableRpcError, RpcRequestError, rpcErrorOf } from './rpc-errors.ts';
import { redactor } from './server-words.ts';

/** One call: what is sent, and how its result is read. */
export interface RpcCall<T> {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The slot that the answer has to be of, or later: an older one is not taken. The parameters say so to the node. */
  readonly minContextSlot?: number;
  /**
   * Reads the result, telling the slot it was answered at where it carries one.
   * @throws {ShapeError} where the result is not what the method promises.
   */
  read(result: unknown, sawSlot: (slot: number) => void): T;
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

/** What servers answer to a request that they find malformed or too large: providers, to a batch of too many calls. */
const ENVELOPE_REFUSALS: readonly number[] = [400, 413];
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
  const { body, release } = await post(url, requestBody(calls, firstId), timeoutMs, signal);
  try {
    const redact = (words: string) => redactor(url)(words);
    return matchReplies(repliesIn(body), calls, firstId, { sawSlot, redact });
  } finally {
    release();
  }
}

/** Apart, and as bytes: nothing of it stays in what the collector goes through until the answer is there. */
function requestBody(calls: readonly RpcCall<unknown>[], firstId: number): Buffer {
  const request = calls.map(({ method, params }, index) => ({
    jsonrpc: '2.0',
    id: firstId + index,
    method,
    params,
  }));
  return Buffer.from(JSON.stringify(request));
}

async function post(url: string, body: Buffer, timeoutMs: number, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  // The policy's own signal ends with the request: the outer one lives as long as the process.
  const policy = timeout(timeoutMs, { strategy: TimeoutStrategy.Cooperative, abortOnReturn: false });
  let isLate = false;
  policy.onTimeout(() => {
    isLate = true;
  });
  try {
    return await policy.execute(async ({ signal: ending }) => {
      const answer = await postJson(url, body, ending);
      if (answer.status >= 200 && answer.status < 300) return answer;
      throw statusError(answer);
    }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isLate) throw new RetryableRpcError('timeout', `no answer within ${timeoutMs} ms`);
    if (error instanceof RetryableRpcError) throw error;
    throw new RetryableRpcError('unreachable', connectionFault(error), { cause: error });
  }
}

function statusError({ status, retryAfter: header }: HttpAnswer): RetryableRpcError {
  const message = `HTTP ${status}`;
  const retryAfterMs = retryAfter(header, Date.now());
  if (status === 429) return new RetryableRpcError('rate-limit', message, { retryAfterMs });
  if (status === 401 || status === 403) return new RetryableRpcError('refused', message);
  const isOfEnvelope = ENVELOPE_REFUSALS.includes(status);
  if (status >= 500 || status === 408 || status === 413) {
    return new RetryableRpcError('server', message, { retryAfterMs, isOfEnvelope });
  }
  return new RetryableRpcError('not-json-rpc', message, { isOfEnvelope });
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

interface Reading {
  readonly sawSlot: (slot: number) => void;
  /** What may be shown of the server's words. */
  readonly redact: (words: string) => string;
}

function matchReplies(
  body: unknown,
  calls: readonly RpcCall<unknown>[],
  firstId: number,
  reading: Reading,
): readonly RpcReply<unknown>[] {
  if (!isIterable(body)) throw batchError(body, calls, reading);
  const replies = new Array<RpcReply<unknown> | undefined>(calls.length);
  for (const reply of body) {
    if (!isRecord(reply) || typeof reply.id !== 'number') throw mismatch('a reply has no id');
    const index = reply.id - firstId;
    const call = calls[index];
    if (!call) throw mismatch('a reply has an id that was not sent');
    if (replies[index]) throw mismatch('two replies have the same id');
    replies[index] = readReply(reply, call, reading);
  }
  return calls.map((_, index) => replies[index] ?? missing());
}

function missing(): never {
  throw mismatch('a reply is missing');
}

function mismatch(what: string): RetryableRpcError {
  return new RetryableRpcError('mismatch', `the replies do not match the batch: ${what}`);
}

/** A batch that is refused as a whole is answered by one error object. */
function batchError(body: unknown, calls: readonly RpcCall<unknown>[], { redact }: Reading): Error {
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error) || typeof error.code !== 'number') {
    return new RetryableRpcError('not-json-rpc', 'the answer is not a list of replies');
  }
  const method = calls[0]?.method ?? 'an empty batch';
  const fault = rpcErrorOf(
    `the batch with ${method}`,
    error.code,
    redact(String(error.message)),
    slotsIn(error.data),
  );
  // A refusal of the envelope says nothing about the calls in it; another endpoint may take it.
  if (fault instanceof RpcRequestError) {
    return new RetryableRpcError('node', fault.message, { code: fault.code, isOfEnvelope: true });
  }
  return fault;
}

function readReply(
  reply: Readonly<Record<string, unknown>>,
  call: RpcCall<unknown>,
  { sawSlot, redact }: Reading,
): RpcReply<unknown> {
  const { method, minContextSlot = 0 } = call;
  const { error, result } = reply;
  if (error !== undefined && error !== null) {
    if (!isRecord(error) || typeof error.code !== 'number') throw mismatch('an error has no code');
    const words = redact(String(error.message));
    return { ok: false, error: rpcErrorOf(method, error.code, words, slotsIn(error.data)) };
  }
  if (result === undefined) throw mismatch('a reply has neither result nor error');
  let answeredAt = Number.POSITIVE_INFINITY;
  try {
    const value = call.read(result, (slot) => {
      answeredAt = slot;
      sawSlot(slot);
    });
    if (answeredAt >= minContextSlot) return { ok: true, value };
  } catch (fault) {
    if (!(fault instanceof ShapeError)) throw fault;
    const message = `${method} answered in an unknown shape: ${fault.message}`;
    return { ok: false, error: new RetryableRpcError('unreadable', message, { cause: fault }) };
  }
  const message = `${method} answered for slot ${answeredAt}, where ${minContextSlot} or later was asked for`;
  return { ok: false, error: new RetryableRpcError('contradiction', message) };
}

/** What the data of an error tells of slots. Source: Agave, `rpc-client-api/src/custom_error.rs`. */
function slotsIn(data: unknown): {
  readonly slotsBehind: number | null;
  readonly contextSlot: number | null;
} {
  const { numSlotsBehind, contextSlot } = isRecord(data) ? data : {};
  return { slotsBehind: slotOrNull(numSlotsBehind), contextSlot: slotOrNull(contextSlot) };
}

function slotOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
