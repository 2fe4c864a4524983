import { backoffDelay } from './backoff.ts';
import { type Endpoint, faultOf } from './endpoint.ts';
import type { PoolReply } from './endpoint-pool.ts';
import type { RpcCall, RpcReply } from './json-rpc.ts';
import { noHistoryAnywhere, RetryableRpcError, scopeOf } from './rpc-errors.ts';

/**
 * The calls of a batch on their way to their replies. Calls are named by their place in the batch: a batch has up to a
 * hundred, there are many batches a second, and almost every one is answered at once and as a whole.
 */
export interface BatchProgress {
  /** Whether a call has no reply yet, or one that another try may better. */
  readonly isOpen: boolean;
  /** The open calls that an endpoint may have an answer to. */
  openFor(endpoint: Endpoint): readonly number[];
  callsAt(places: readonly number[]): readonly RpcCall<unknown>[];
  /**
   * Notes what an endpoint replied to some of the calls.
   * @returns a fault among the replies, one that takes longer to mend before one that mends soon; else null
   */
  take(
    asked: readonly number[],
    answered: readonly RpcReply<unknown>[],
    endpoint: Endpoint,
  ): RetryableRpcError | null;
  /** Closes the calls that none of these endpoints, of which there is one at least, has an answer to. */
  closeHopeless(endpoints: readonly Endpoint[]): void;
  /** One reply for each call, in their order. */
  replies(): readonly PoolReply<unknown>[];
}

const places: number[] = [];

/** The whole numbers from 0, cut from a list that is made once: much cheaper than to count anew for each batch. */
function firstPlaces(count: number): readonly number[] {
  while (places.length < count) places.push(places.length);
  return places.slice(0, count);
}

export function createBatchProgress(calls: readonly RpcCall<unknown>[]): BatchProgress {
  const replies = new Array<PoolReply<unknown>>(calls.length);
  /** Endpoints that said they do not have what a call asks for. */
  const notAt = new Map<number, Set<Endpoint>>();
  const all = firstPlaces(calls.length);
  let open = all;

  const mayAnswerAll = (endpoint: Endpoint): boolean => endpoint.record.mayAnswerAll && notAt.size === 0;
  const mayAnswer = (endpoint: Endpoint, place: number): boolean =>
    endpoint.record.mayAnswer(calls[place]?.method ?? '') && !notAt.get(place)?.has(endpoint);

  return {
    get isOpen() {
      return open.length > 0;
    },
    openFor: (endpoint) =>
      mayAnswerAll(endpoint) ? open : open.filter((place) => mayAnswer(endpoint, place)),
    callsAt: (places) => (places === all ? calls : calls.filter((_, place) => places.includes(place))),
    take(asked, answered, endpoint) {
      const by = endpoint.record.name;
      const failed: number[] = [];
      let told: RetryableRpcError | null = null;
      for (let at = 0; at < asked.length; at += 1) {
        const place = asked[at];
        const reply = answered[at];
        if (place === undefined || !reply) continue;
        if (reply.ok) {
          replies[place] = { ok: true, value: reply.value, by };
          continue;
        }
        replies[place] = { ok: false, error: reply.error, by };
        const fault = faultOf(reply);
        if (!fault) continue;
        failed.push(place);
        if (told === null || mendsSoon(told)) told = fault;
        if (scopeOf(fault) === 'not-here') notAt.set(place, (notAt.get(place) ?? new Set()).add(endpoint));
      }
      if (asked === open) open = failed;
      else {
        const stillOpen = new Set(failed);
        const settled = new Set(asked.filter((place) => !stillOpen.has(place)));
        open = open.filter((place) => !settled.has(place));
      }
      return told;
    },
    closeHopeless(endpoints) {
      const [first] = endpoints;
      if (!first || endpoints.some(mayAnswerAll)) return;
      open = open.filter((place) => {
        if (endpoints.some((endpoint) => mayAnswer(endpoint, place))) return true;
        const error = noHistoryAnywhere(calls[place]?.method ?? '');
        replies[place] ??= { ok: false, error, by: first.record.name };
        return false;
      });
    },
    replies() {
      for (const place of open) {
        const error = new RetryableRpcError('resting', 'it was not asked before the tries were used up');
        replies[place] ??= { ok: false, error, by: '' };
      }
      return replies;
    },
  };
}

/** A node that nearly has what it is asked for is asked again within a slot, and no later each time. */
const SOON = { baseMs: 400, longestMs: 400 } as const;

/** Milliseconds until a batch asks an endpoint again that failed it so many times, the last time with this fault. */
export function pauseAfter(fault: RetryableRpcError, times: number, random: () => number): number {
  return backoffDelay(times, random, mendsSoon(fault) ? SOON : {});
}

function mendsSoon(fault: RetryableRpcError): boolean {
  const scope = scopeOf(fault);
  return scope === 'soon' || scope === 'behind';
}
