import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import { pause } from '../pause.ts';
import { type Endpoint, failedReplies, type RequestOptions, retryableErrorIn } from './endpoint.ts';
import { type PoolReply, postBatch, type RpcCall, type RpcReply } from './json-rpc.ts';
import { isRefusal, METHOD_NOT_FOUND, RetryableRpcError, RpcRequestError } from './rpc-errors.ts';
import { genesisHashCall } from './solana-calls.ts';

/**
 * See `EndpointPool.requestWithoutPenalty`. Returns the replies of the endpoint that answered all calls. If none did, returns
 * those of the last endpoint that did not refuse the calls or, if all refused, of the first one.
 * @param waitUntilReady resolves to whether an endpoint is ready in time
 */
export async function requestWithoutPenalty(
  endpoints: readonly Endpoint[],
  calls: readonly RpcCall<unknown>[],
  signal: AbortSignal,
  withinMs: number,
  waitUntilReady: (endpoint: Endpoint) => Promise<boolean>,
): Promise<readonly PoolReply<unknown>[]> {
  const notReady = (what: string) => failedReplies(calls, new RetryableRpcError('backoff', what));
  let result: readonly PoolReply<unknown>[] | null = null;
  for (const endpoint of endpoints) {
    const { name: endpointName, lastError } = endpoint.record;
    const replies = (await waitUntilReady(endpoint))
      ? await postTogetherOrEach(endpoint, calls, { timeoutMs: withinMs, signal })
      : notReady(`${endpointName} is not ready${lastError === null ? '' : ` after: ${lastError}`}`);
    // The endpoint may have become distrusted in the meantime.
    if (endpoint.record.isDistrusted) continue;
    const isRefused = replies.some((reply) => !reply.ok && isRefusal(reply.error));
    if (result === null || !isRefused) result = replies.map((reply) => ({ ...reply, endpointName }));
    if (replies.every(({ ok }) => ok)) break;
  }
  return result ?? notReady('no endpoint is ready').map((reply) => ({ ...reply, endpointName: '' }));
}

/** Sends calls in one request or, if the endpoint does not accept them together, each in its own request. */
async function postTogetherOrEach(
  { record, batchLimit }: Endpoint,
  calls: readonly RpcCall<unknown>[],
  options: Pick<RequestOptions, 'timeoutMs' | 'signal'>,
): Promise<readonly RpcReply<unknown>[]> {
  const postEach = async () => (await Promise.all(calls.map((call) => post([call])))).flat();
  const post = (posted: readonly RpcCall<unknown>[]): Promise<readonly RpcReply<unknown>[]> =>
    postBatch(record.url, posted, options).catch((error: unknown) => {
      if (!(error instanceof RetryableRpcError)) throw error;
      return error.rejection !== null && posted.length > 1 ? postEach() : failedReplies(posted, error);
    });
  return batchLimit(calls.length) < calls.length ? postEach() : post(calls);
}

/**
 * Sends all calls to one endpoint. If the endpoint accepts fewer calls in one request, several requests are sent one after
 * another. Once a whole request has failed, the remaining calls are not sent.
 *
 * @param options.timeoutMs milliseconds for each request
 * @param options.withinMs milliseconds for all requests together
 * @returns one reply for each call, in the order of the calls
 * @throws the signal's reason if it aborts
 */
export async function requestInChunks(
  endpoint: Endpoint,
  calls: readonly RpcCall<unknown>[],
  {
    withinMs = Number.POSITIVE_INFINITY,
    now,
    ...options
  }: RequestOptions & { readonly withinMs?: number | undefined; readonly now: () => number },
): Promise<readonly RpcReply<unknown>[]> {
  const deadline = now() + withinMs;
  const replies: RpcReply<unknown>[] = [];
  while (replies.length < calls.length) {
    const remainingCalls = calls.slice(replies.length);
    const timeoutMs = Math.min(options.timeoutMs, deadline - now());
    if (timeoutMs <= 0) {
      const timeoutError = new RetryableRpcError(
        'timeout',
        `not all calls were answered within ${withinMs} ms`,
      );
      return [...replies, ...failedReplies(remainingCalls, timeoutError)];
    }
    const chunk = remainingCalls.slice(0, endpoint.batchLimit(remainingCalls.length));
    const answered = await endpoint.request(chunk, { ...options, timeoutMs });
    const [first] = answered;
    const error = first ? retryableErrorIn(first) : null;
    if (error?.failure === 'too-large') continue;
    replies.push(...answered);
    if (error && !endpoint.circuit.isClosed) {
      return [...replies, ...failedReplies(calls.slice(replies.length), error)];
    }
  }
  return replies;
}

export type EndpointProbeResult = { readonly name: string } & Omit<ConfiguredEndpoint, 'url'> &
  (
    | { readonly kind: 'solana'; readonly genesisHash: string }
    | { readonly kind: 'not-solana' | 'refused' | 'unreachable'; readonly reason: string }
  );

/**
 * Milliseconds for all attempts. An endpoint that has not been judged by then counts as unreachable. The portal waits longer
 * than this for the chain at startup, so it knows the problem in time to show it.
 */
const MAX_PROBE_MS = 4_000;
/**
 * After this many identical errors in a row, an endpoint counts as refusing requests or as not being a Solana node. A
 * temporary failure, such as a restarting proxy or a broken connection, rarely repeats that often with the same error.
 */
const ATTEMPTS_TO_JUDGE = 9;
const BETWEEN_ATTEMPTS_MS = 200;

/** Asks an endpoint for its chain, even during a backoff. @throws the signal's reason if it aborts */
export async function probeEndpoint(
  endpoint: Endpoint,
  { urlVariable, keyVariable }: Omit<ConfiguredEndpoint, 'url'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<EndpointProbeResult> {
  const { record } = endpoint;
  const probed = { name: record.name, urlVariable, keyVariable };
  const deadline = performance.now() + Math.min(timeoutMs, MAX_PROBE_MS);
  let last: RetryableRpcError | RpcRequestError = new RetryableRpcError('mismatch', 'no reply');
  const failures = new Set<string | number>();
  let attempts = 0;
  for (; attempts < ATTEMPTS_TO_JUDGE; attempts += 1) {
    if (attempts > 0) await pause(BETWEEN_ATTEMPTS_MS, signal);
    const left = deadline - performance.now();
    if (left <= 0) break;
    const options = { timeoutMs: Math.ceil(left), signal, purpose: 'measure' } as const;
    const [reply] = await endpoint.request([genesisHashCall()], options);
    if (reply?.ok) {
      const genesisHash = String(reply.value);
      record.genesisHash = genesisHash;
      return { ...probed, kind: 'solana', genesisHash };
    }
    if (reply) last = reply.error;
    const failure = last instanceof RetryableRpcError ? last.failure : last.code;
    failures.add(failure);
    if (verdictOf(last) === 'unreachable' && failure !== 'cut-off') break;
  }
  const isJudged = attempts === ATTEMPTS_TO_JUDGE && failures.size === 1;
  const kind = isJudged ? verdictOf(last) : 'unreachable';
  return { ...probed, kind, reason: record.lastError ?? last.message };
}

function verdictOf(error: RetryableRpcError | RpcRequestError): 'not-solana' | 'refused' | 'unreachable' {
  if (error instanceof RpcRequestError) return error.code === METHOD_NOT_FOUND ? 'not-solana' : 'unreachable';
  if (error.failure === 'refused') return 'refused';
  return error.failure === 'not-json-rpc' || error.failure === 'unreadable' ? 'not-solana' : 'unreachable';
}
