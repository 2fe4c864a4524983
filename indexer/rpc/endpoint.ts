import { MAX_SLOT_DISTANCE } from '../../data/model/value-state.ts';
import { type ExceedsSlotRate, impossibleSlotReason, needsComparison } from './endpoint-comparison.ts';
import {
  createBatchLimit,
  createEndpointCircuit,
  createRateLimit,
  type RequestOutcome,
} from './endpoint-limits.ts';
import { createEndpointRecord } from './endpoint-record.ts';
import { postBatch, type RpcCall, type RpcReply } from './json-rpc.ts';
import { maxCallsPerSecond } from './providers.ts';
import { type ErrorScope, RetryableRpcError, scopeOf } from './rpc-errors.ts';
import { HISTORY_METHOD_NAMES } from './solana-calls.ts';

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** `measure`: measures latency. `compare`: requests a slot for a comparison; it is not recorded as this endpoint's slot. */
  readonly purpose?: 'work' | 'measure' | 'compare';
}

interface Outcome extends RequestOutcome {
  readonly replies: readonly RpcReply<unknown>[];
}

export interface OtherSlots {
  /** Whether any other endpoint can contradict this one. */
  exist(): boolean;
  /** The slots that the other trusted endpoints reported recently. Lagging endpoints are left out. */
  recentSlots(): readonly number[];
  /** Requests the slots of the other trusted endpoints that are ready. @throws the signal's reason if it aborts */
  requestCurrentSlots(signal: AbortSignal): Promise<readonly number[]>;
}

export type Endpoint = ReturnType<typeof createEndpoint>;

/**
 * @param options.furthestSlot the newest slot that any endpoint reported
 * @param options.exceedsSlotRate whether the endpoint's slot advances faster than a chain can
 * @param options.onFailure called for each failed request
 */
export function createEndpoint(options: {
  readonly name: string;
  readonly url: string;
  readonly furthestSlot: () => number;
  readonly otherSlots: OtherSlots;
  readonly exceedsSlotRate: ExceedsSlotRate;
  readonly onFailure: (endpoint: string, error: RetryableRpcError) => void;
  readonly now: () => number;
  readonly random: () => number;
}) {
  const { name, url, furthestSlot, otherSlots, exceedsSlotRate, onFailure, now, random } = options;
  const record = createEndpointRecord(name, url, { now, random });
  const rateLimit = createRateLimit(now, maxCallsPerSecond(url));
  const batchLimit = createBatchLimit(now);
  const circuit = createEndpointCircuit({ now, random });

  const recordFailure = (error: RetryableRpcError): void => {
    record.noteFailure(error);
    if (error.slotsBehind !== null) record.slotLag = error.slotsBehind;
    onFailure(name, error);
  };

  /** Compares a slot, if it is doubtful, with those of the other endpoints. @returns an error if the slot cannot be true */
  const checkSlot = async (slot: number, signal: AbortSignal): Promise<RetryableRpcError | undefined> => {
    const before = record.slotRateStart;
    const isTooFast = before && exceedsSlotRate(slot, before, now());
    if (!needsComparison(slot, otherSlots.recentSlots(), isTooFast)) return undefined;
    const reason = impossibleSlotReason(slot, await otherSlots.requestCurrentSlots(signal), isTooFast);
    return reason === null ? undefined : new RetryableRpcError('contradiction', reason);
  };

  const send = async (
    calls: readonly RpcCall<unknown>[],
    { signal, timeoutMs, purpose }: RequestOptions,
  ): Promise<Outcome> => {
    const sentAt = now();
    // Both slots are read before the request is sent, because a slot that is reported later does not make the answer outdated.
    const slotBefore = record.slot;
    const furthest = furthestSlot();
    let oldest = Number.POSITIVE_INFINITY;
    let newest = -1;
    const onSlot = (slot: number): void => {
      oldest = Math.min(oldest, slot);
      newest = Math.max(newest, slot);
    };
    record.noteRequest(calls.map(({ method }) => method));
    rateLimit.noteSent(calls.length);
    let replies: readonly RpcReply<unknown>[];
    try {
      replies = await postBatch(url, calls, { timeoutMs, signal, onSlot });
    } catch (error) {
      if (!(error instanceof RetryableRpcError)) throw error;
      const { rejection } = error;
      if (rejection !== null && batchLimit.noteRejected(calls.length, rejection)) {
        const sizeError = tooLargeError(calls.length, error);
        if (rejection === 'arrays') {
          record.noteReason(sizeError);
          onFailure(name, sizeError);
        }
        return { replies: failedReplies(calls, sizeError), failure: null };
      }
      if (error.failure === 'rate-limit') rateLimit.noteRejected(sentAt);
      recordFailure(error);
      return { replies: failedReplies(calls, error), failure: error };
    }
    batchLimit.noteServed(calls.length);
    const tookMs = now() - sentAt;
    const errors = errorsByScope(replies);
    if (errors.get('endpoint')?.failure === 'rate-limit') rateLimit.noteRejected(sentAt);
    else rateLimit.noteServed(calls.length);
    // A distrusted endpoint cannot regain trust by reporting slots.
    const shouldNoteSlot = newest >= 0 && purpose !== 'compare' && !record.isDistrusted;
    const contradiction = otherSlots.exist()
      ? (errors.get('trust') ??
        checkNotEarlier(slotBefore, oldest) ??
        (shouldNoteSlot ? await checkSlot(newest, signal) : undefined))
      : undefined;
    if (contradiction) {
      record.noteCallError(contradiction);
      record.distrust(contradiction.message);
      onFailure(name, contradiction);
      return { replies: failedReplies(calls, contradiction), failure: null };
    }
    if (shouldNoteSlot && !record.isDistrusted) record.noteSlot(newest, Math.max(0, furthest - newest));
    const endpointError = errors.get('endpoint');
    if (endpointError) {
      recordFailure(endpointError);
      return { replies, failure: endpointError };
    }
    const behindError = errors.get('behind');
    if (behindError?.contextSlot) {
      const requested = calls.map(({ minContextSlot }) => minContextSlot ?? 0);
      record.slotLag = Math.max(0, Math.max(furthest, ...requested) - behindError.contextSlot);
    }
    if (errors.has('history')) {
      record.noteMissingHistory([...HISTORY_METHOD_NAMES, ...methodsWithoutHistory(calls, replies)]);
    } else if (!record.supportsAll) {
      for (const [index, { method }] of calls.entries()) if (replies[index]?.ok) record.noteAnswer(method);
    }
    if (replies.some(isAnswer)) {
      if (purpose === 'measure') record.noteLatency(tookMs);
      else record.noteSuccess(tookMs);
    }
    const callError = [...errors.values()].find((error) => error !== behindError);
    if (callError) {
      record.noteCallError(callError);
      onFailure(name, callError);
    }
    return { replies, failure: null };
  };

  return {
    record,
    circuit: circuit as Pick<typeof circuit, 'isClosed' | 'onChange'>,
    /** How many of the calls fit in one request: at least one. */
    batchLimit: batchLimit.allowedCalls,
    /** How many of the calls may be sent in one request now. */
    allowedCalls: (callCount: number): number => rateLimit.allowedCalls(batchLimit.allowedCalls(callCount)),
    /** Milliseconds until some of the calls may be sent. Infinite while another request decides whether the backoff ends. */
    waitMs: (callCount: number): number =>
      Math.max(circuit.waitMs(), rateLimit.waitMs(batchLimit.allowedCalls(callCount))),
    /**
     * Sends calls as one batch, regardless of `waitMs`, and adapts the limits to the result. If the whole request fails, each
     * call gets the error. A batch that is too large does not count as a failure; its replies are `too-large`.
     * @throws the signal's reason if it aborts
     */
    async request(
      calls: readonly RpcCall<unknown>[],
      requestOptions: RequestOptions,
    ): Promise<readonly RpcReply<unknown>[]> {
      return (await circuit.run(() => send(calls, requestOptions))).replies;
    },
  };
}

export function failedReplies(
  calls: readonly unknown[],
  error: RetryableRpcError,
): readonly RpcReply<unknown>[] {
  return calls.map(() => ({ ok: false, error }));
}

export function retryableErrorIn(reply: RpcReply<unknown>): RetryableRpcError | null {
  return !reply.ok && reply.error instanceof RetryableRpcError ? reply.error : null;
}

function tooLargeError(callCount: number, cause: RetryableRpcError): RetryableRpcError {
  const message = `a whole request of ${callCount} calls was rejected: ${cause.message}`;
  return new RetryableRpcError('too-large', message, { cause, code: cause.code });
}

function errorsByScope(replies: readonly RpcReply<unknown>[]): ReadonlyMap<ErrorScope, RetryableRpcError> {
  const errors = new Map<ErrorScope, RetryableRpcError>();
  for (const reply of replies) {
    const error = retryableErrorIn(reply);
    if (error === null) continue;
    const scope = scopeOf(error);
    if (!errors.has(scope)) errors.set(scope, error);
  }
  return errors;
}

/** Whether a reply shows that the endpoint works: a value, a rejection, or the error for a slot that is not reached yet. */
function isAnswer(reply: RpcReply<unknown>): boolean {
  const error = retryableErrorIn(reply);
  return error === null || scopeOf(error) === 'behind';
}

function checkNotEarlier(slotBefore: number | null, oldest: number): RetryableRpcError | undefined {
  if (slotBefore === null || oldest >= slotBefore - MAX_SLOT_DISTANCE) return undefined;
  const message = `it answered for slot ${oldest} after it had reported slot ${slotBefore}`;
  return new RetryableRpcError('contradiction', message);
}

function methodsWithoutHistory(
  calls: readonly RpcCall<unknown>[],
  replies: readonly RpcReply<unknown>[],
): readonly string[] {
  return calls.flatMap(({ method }, index) => {
    const reply = replies[index];
    const error = reply ? retryableErrorIn(reply) : null;
    return error && scopeOf(error) === 'history' ? [method] : [];
  });
}
