import { backoffDelay } from '../pause.ts';
import { type Endpoint, retryableErrorIn } from './endpoint.ts';
import type { PoolReply, RpcCall, RpcReply } from './json-rpc.ts';
import { noHistoryAnywhere, RetryableRpcError, scopeOf } from './rpc-errors.ts';

const indexes: number[] = [];

/** The integers from 0, sliced from one shared list: far cheaper than counting them for each batch. */
function firstIndexes(count: number): readonly number[] {
  while (indexes.length < count) indexes.push(indexes.length);
  return indexes.slice(0, count);
}

export type BatchProgress = ReturnType<typeof createBatchProgress>;

/**
 * The calls of a batch that still need a reply, by index. It is fast for the usual case: many batches a second, up to a
 * hundred calls each, and nearly every batch answered at once and as a whole.
 */
export function createBatchProgress(calls: readonly RpcCall<unknown>[]) {
  const replies = new Array<PoolReply<unknown>>(calls.length);
  /** For each call, the endpoints that reported not to have its data. */
  const notAt = new Map<number, Set<Endpoint>>();
  const all = firstIndexes(calls.length);
  let open = all;

  const mayAnswerAll = (endpoint: Endpoint): boolean => endpoint.record.supportsAll && notAt.size === 0;
  const mayAnswer = (endpoint: Endpoint, index: number): boolean =>
    endpoint.record.supports(calls[index]?.method ?? '') && !notAt.get(index)?.has(endpoint);

  return {
    /** Whether a call has no reply yet, or one that another attempt may improve. */
    get isOpen(): boolean {
      return open.length > 0;
    },
    /** The open calls that an endpoint may be able to answer. */
    openFor: (endpoint: Endpoint): readonly number[] =>
      mayAnswerAll(endpoint) ? open : open.filter((index) => mayAnswer(endpoint, index)),
    callsAt: (requested: readonly number[]): readonly RpcCall<unknown>[] =>
      requested === all ? calls : calls.filter((_, index) => requested.includes(index)),
    /** @returns one of the retryable errors, preferably one that takes longer to recover from; else null */
    record(
      requested: readonly number[],
      answered: readonly RpcReply<unknown>[],
      endpoint: Endpoint,
    ): RetryableRpcError | null {
      const by = endpoint.record.name;
      const failed: number[] = [];
      let worst: RetryableRpcError | null = null;
      for (let at = 0; at < requested.length; at += 1) {
        const index = requested[at];
        const reply = answered[at];
        if (index === undefined || !reply) continue;
        replies[index] = reply.ok
          ? { ok: true, value: reply.value, by }
          : { ok: false, error: reply.error, by };
        const error = retryableErrorIn(reply);
        if (!error) continue;
        failed.push(index);
        if (worst === null || recoversSoon(worst)) worst = error;
        if (scopeOf(error) === 'not-here') notAt.set(index, (notAt.get(index) ?? new Set()).add(endpoint));
      }
      if (requested === open) open = failed;
      else {
        const stillOpen = new Set(failed);
        const settled = new Set(requested.filter((index) => !stillOpen.has(index)));
        open = open.filter((index) => !settled.has(index));
      }
      return worst;
    },
    /** Closes the calls that none of these endpoints (at least one) can answer. */
    closeUnanswerable(endpoints: readonly Endpoint[]): void {
      const [first] = endpoints;
      if (!first || endpoints.some(mayAnswerAll)) return;
      open = open.filter((index) => {
        if (endpoints.some((endpoint) => mayAnswer(endpoint, index))) return true;
        const error = noHistoryAnywhere(calls[index]?.method ?? '');
        replies[index] ??= { ok: false, error, by: first.record.name };
        return false;
      });
    },
    /** One reply for each call, in their order. */
    replies(): readonly PoolReply<unknown>[] {
      for (const index of open) {
        const error = new RetryableRpcError('backoff', 'no endpoint was ready before the attempts ran out');
        replies[index] ??= { ok: false, error, by: '' };
      }
      return replies;
    },
  };
}

/** A node that will soon have the answer is retried within a slot, after every failure. */
const SOON = { baseMs: 400, longestMs: 400 } as const;

/** Milliseconds until a batch may ask an endpoint again after a number of failures in a row, the last one being `error`. */
export function pauseAfter(error: RetryableRpcError, times: number, random: () => number): number {
  return backoffDelay(times, random, recoversSoon(error) ? SOON : {});
}

function recoversSoon(error: RetryableRpcError): boolean {
  const scope = scopeOf(error);
  return scope === 'soon' || scope === 'behind';
}
