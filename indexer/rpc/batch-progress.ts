import { backoffDelayMs } from '../pause.ts';
import { type Endpoint, retryableErrorIn } from './endpoint.ts';
import type { PoolReply, RpcCall, RpcReply } from './json-rpc.ts';
import { noHistoryError, RetryableRpcError, scopeOf } from './rpc-errors.ts';

const sharedIndexes: number[] = [];

/** The indexes from 0 to `count` - 1. A slice of a shared array is far cheaper than a new array for each batch. */
function firstIndexes(count: number): readonly number[] {
  while (sharedIndexes.length < count) sharedIndexes.push(sharedIndexes.length);
  return sharedIndexes.slice(0, count);
}

export type BatchProgress = ReturnType<typeof createBatchProgress>;

/**
 * Tracks which calls in a batch still need a reply, by index. Optimized for many batches per second with up to a hundred calls
 * each, nearly all of which are answered on the first attempt.
 */
export function createBatchProgress(calls: readonly RpcCall<unknown>[]) {
  const replies = new Array<PoolReply<unknown>>(calls.length);
  /** The endpoints that reported not having a call's data, by the call's index. */
  const lackingEndpoints = new Map<number, Set<Endpoint>>();
  const allIndexes = firstIndexes(calls.length);
  let openIndexes = allIndexes;

  const mayAnswerAll = (endpoint: Endpoint): boolean =>
    endpoint.record.supportsAll && lackingEndpoints.size === 0;
  const mayAnswer = (endpoint: Endpoint, index: number): boolean =>
    endpoint.record.supports(calls[index]?.method ?? '') && !lackingEndpoints.get(index)?.has(endpoint);

  return {
    /** Whether any call still has no reply, or has a reply that another attempt may improve. */
    get isOpen(): boolean {
      return openIndexes.length > 0;
    },
    openIndexesFor: (endpoint: Endpoint): readonly number[] =>
      mayAnswerAll(endpoint) ? openIndexes : openIndexes.filter((index) => mayAnswer(endpoint, index)),
    callsAt: (requested: readonly number[]): readonly RpcCall<unknown>[] =>
      requested === allIndexes ? calls : calls.filter((_, index) => requested.includes(index)),
    /** @returns a retryable error among the replies, preferably one that lasts for more than a slot; null if there is none */
    recordReplies(
      requested: readonly number[],
      answered: readonly RpcReply<unknown>[],
      endpoint: Endpoint,
    ): RetryableRpcError | null {
      const endpointName = endpoint.record.name;
      const failedIndexes: number[] = [];
      let worst: RetryableRpcError | null = null;
      for (let at = 0; at < requested.length; at += 1) {
        const index = requested[at];
        const reply = answered[at];
        if (index === undefined || !reply) continue;
        replies[index] = reply.ok
          ? { ok: true, value: reply.value, endpointName }
          : { ok: false, error: reply.error, endpointName };
        const error = retryableErrorIn(reply);
        if (!error) continue;
        failedIndexes.push(index);
        if (worst === null || recoversSoon(worst)) worst = error;
        if (scopeOf(error) === 'not-here')
          lackingEndpoints.set(index, (lackingEndpoints.get(index) ?? new Set()).add(endpoint));
      }
      if (requested === openIndexes) openIndexes = failedIndexes;
      else {
        const stillOpen = new Set(failedIndexes);
        const settled = new Set(requested.filter((index) => !stillOpen.has(index)));
        openIndexes = openIndexes.filter((index) => !settled.has(index));
      }
      return worst;
    },
    /** Stops waiting for calls that none of these endpoints can answer. Does nothing if the list is empty. */
    closeUnanswerable(endpoints: readonly Endpoint[]): void {
      const [first] = endpoints;
      if (!first || endpoints.some(mayAnswerAll)) return;
      openIndexes = openIndexes.filter((index) => {
        if (endpoints.some((endpoint) => mayAnswer(endpoint, index))) return true;
        const error = noHistoryError(calls[index]?.method ?? '');
        replies[index] ??= { ok: false, error, endpointName: first.record.name };
        return false;
      });
    },
    /** One reply for each call, in the order of the calls. */
    replies(): readonly PoolReply<unknown>[] {
      for (const index of openIndexes) {
        const error = new RetryableRpcError('backoff', 'no endpoint was ready before the attempts ran out');
        replies[index] ??= { ok: false, error, endpointName: '' };
      }
      return replies;
    },
  };
}

/** An endpoint that will have the answer soon is retried within a slot, even if it has failed several times. */
const QUICK_BACKOFF = { baseMs: 400, longestMs: 400 } as const;

/** Milliseconds until a batch may retry an endpoint that has failed `failures` times in this batch, last with `error`. */
export function retryDelayMs(error: RetryableRpcError, failures: number, random: () => number): number {
  return backoffDelayMs(failures, random, recoversSoon(error) ? QUICK_BACKOFF : {});
}

function recoversSoon(error: RetryableRpcError): boolean {
  const scope = scopeOf(error);
  return scope === 'soon' || scope === 'behind';
}
