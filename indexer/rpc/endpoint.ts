import { createBatchSize } from './batch-size.ts';
import { createCallRate } from './call-rate.ts';
import { createEndpointCircuit, type EndpointCircuit, type RequestOutcome } from './endpoint-circuit.ts';
import { createEndpointRecord, type EndpointRecord } from './endpoint-record.ts';
import { postBatch, type RpcCall, type RpcReply } from './json-rpc.ts';
import { type FaultScope, RetryableRpcError, scopeOf } from './rpc-errors.ts';
import { isDoubtful, type OutrunsTime, SLOTS_APART, slotFault } from './slot-plausibility.ts';
import { HISTORY_METHODS } from './solana-calls.ts';

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * `measure`: a small request whose time says how fast the endpoint is. `compare`: what it tells is held against another
   * endpoint's slot, and is not noted as its own.
   */
  readonly purpose?: 'work' | 'measure' | 'compare';
}

/** One endpoint: what is known of it, whether it may be asked, and the way to ask it. */
export interface Endpoint {
  readonly record: EndpointRecord;
  readonly circuit: Pick<EndpointCircuit, 'isClosed' | 'onChange'>;
  /** How many of so many calls it takes in one request: at least one. */
  fitting(calls: number): number;
  /** How many of so many calls may be sent as one request now: all, a part, or none. */
  allowed(calls: number): number;
  /** Milliseconds until so many calls, or a part of them, may be sent; infinite while another request decides. */
  waitFor(calls: number): number;
  /**
   * Sends calls as one batch, whatever `waitFor` says, and learns from what comes back. A failure of the whole is the
   * reply to each; where they are too many for one request, that is no failure: `too-large`.
   * @throws the signal's reason where it aborts
   */
  ask(calls: readonly RpcCall<unknown>[], options: AskOptions): Promise<readonly RpcReply<unknown>[]>;
}

interface Outcome extends RequestOutcome {
  readonly replies: readonly RpcReply<unknown>[];
}

/** The slots of the other endpoints that are believed. */
export interface OtherSlots {
  /** What they told lately. */
  lately(): readonly number[];
  /** Asks those that can be asked at once. @throws the signal's reason where it aborts */
  atPresent(signal: AbortSignal): Promise<readonly number[]>;
}

/**
 * @param options.furthestSlot the newest slot that any endpoint told
 * @param options.outrunsTime whether its slot goes on faster than a chain can
 * @param options.onFailure told of each failed request
 */
export function createEndpoint(options: {
  readonly name: string;
  readonly url: string;
  readonly furthestSlot: () => number;
  readonly others: OtherSlots;
  readonly outrunsTime: OutrunsTime;
  readonly onFailure: (endpoint: string, error: RetryableRpcError) => void;
  readonly now: () => number;
  readonly random: () => number;
}): Endpoint {
  const { name, url, furthestSlot, others, outrunsTime, onFailure, now, random } = options;
  const record = createEndpointRecord(name, url, { now, random });
  const rate = createCallRate(now);
  const size = createBatchSize(now);
  const circuit = createEndpointCircuit({ now, random });

  const failed = (error: RetryableRpcError): void => {
    record.failed(error);
    if (error.slotsBehind !== null) record.isBehindBy(error.slotsBehind);
    onFailure(name, error);
  };

  const distrusted = (calls: readonly RpcCall<unknown>[], error: RetryableRpcError): Outcome => {
    record.refusedCall(error);
    record.putAside(error.message);
    onFailure(name, error);
    return { replies: allFailed(calls, error), fault: null };
  };

  const noteAnswered = (calls: readonly RpcCall<unknown>[], replies: readonly RpcReply<unknown>[]): void => {
    for (const [index, { method }] of calls.entries()) if (replies[index]?.ok) record.answered(method);
  };

  /** Whether the slot can be true, which others are asked about where it is in doubt. */
  const fromTheFuture = async (slot: number, signal: AbortSignal): Promise<RetryableRpcError | undefined> => {
    const before = record.pacedFrom;
    const outruns = before && outrunsTime(slot, before, now());
    if (!isDoubtful(slot, others.lately(), outruns)) return undefined;
    const fault = slotFault(slot, await others.atPresent(signal), outruns);
    return fault === null ? undefined : new RetryableRpcError('contradiction', fault);
  };

  const request = async (
    calls: readonly RpcCall<unknown>[],
    { signal, timeoutMs, purpose }: AskOptions,
  ): Promise<Outcome> => {
    const sentAt = now();
    // What was known when it was asked: an answer under way does not get older by what others tell meanwhile.
    const toldBefore = record.slot;
    const furthest = furthestSlot();
    let oldest = Number.POSITIVE_INFINITY;
    let newest = -1;
    const sawSlot = (slot: number): void => {
      oldest = Math.min(oldest, slot);
      newest = Math.max(newest, slot);
    };
    record.requested();
    rate.sent(calls.length);
    let replies: readonly RpcReply<unknown>[];
    try {
      replies = await postBatch(url, calls, { timeoutMs, signal, sawSlot });
    } catch (error) {
      if (!(error instanceof RetryableRpcError)) throw error;
      if (error.isOfEnvelope) size.refused(calls.length);
      if (error.isOfEnvelope && calls.length > 1) {
        return { replies: allFailed(calls, tooLarge(calls.length, error)), fault: null };
      }
      if (error.fault === 'rate-limit') rate.refused(sentAt);
      failed(error);
      return { replies: allFailed(calls, error), fault: error };
    }
    const tookMs = now() - sentAt;
    const faults = faultsIn(replies);
    if (faults.get('endpoint')?.fault === 'rate-limit') rate.refused(sentAt);
    else rate.served(calls.length);
    // While it is not believed, what it tells founds no belief either.
    const isNoted = newest >= 0 && purpose !== 'compare' && !record.isDistrusted;
    const contradiction =
      faults.get('trust') ??
      goneBack(toldBefore, oldest) ??
      (isNoted ? await fromTheFuture(newest, signal) : undefined);
    if (contradiction) return distrusted(calls, contradiction);
    if (isNoted && !record.isDistrusted) record.reached(newest, Math.max(0, furthest - newest));
    const wholeFault = faults.get('endpoint');
    if (wholeFault) {
      failed(wholeFault);
      return { replies, fault: wholeFault };
    }
    const behind = faults.get('behind');
    if (behind?.contextSlot) record.isBehindBy(Math.max(0, behindBy(calls, furthest) - behind.contextSlot));
    if (faults.has('history')) record.lacksHistory([...HISTORY_METHODS, ...methodsRefused(calls, replies)]);
    else if (!record.mayAnswerAll) noteAnswered(calls, replies);
    if (replies.some(isAnswer)) {
      if (purpose === 'measure') record.measured(tookMs);
      else record.succeeded(tookMs);
    }
    const callFault = [...faults.values()].find((fault) => fault !== behind);
    if (callFault) {
      record.refusedCall(callFault);
      onFailure(name, callFault);
    }
    return { replies, fault: null };
  };

  return {
    record,
    circuit,
    fitting: size.allowed,
    allowed: (calls) => rate.allowed(size.allowed(calls)),
    waitFor: (calls) => Math.max(circuit.wait(), rate.waitFor(size.allowed(calls))),
    async ask(calls, askOptions) {
      const { replies } = await circuit.run(() => request(calls, askOptions));
      return replies;
    },
  };
}

/** The failure of the whole as the reply to each call. */
export function allFailed(calls: readonly unknown[], error: RetryableRpcError): readonly RpcReply<unknown>[] {
  return calls.map(() => ({ ok: false, error }));
}

function tooLarge(calls: number, cause: RetryableRpcError): RetryableRpcError {
  const message = `a request of ${calls} calls was refused as a whole: ${cause.message}`;
  return new RetryableRpcError('too-large', message, { cause, code: cause.code });
}

/** The first fault of each scope. */
function faultsIn(replies: readonly RpcReply<unknown>[]): ReadonlyMap<FaultScope, RetryableRpcError> {
  const faults = new Map<FaultScope, RetryableRpcError>();
  for (const reply of replies) {
    const fault = faultOf(reply);
    if (fault === null) continue;
    const scope = scopeOf(fault);
    if (!faults.has(scope)) faults.set(scope, fault);
  }
  return faults;
}

/** Whether a reply says that the endpoint works: a value, a refusal of the request, or that it is not so far yet. */
function isAnswer(reply: RpcReply<unknown>): boolean {
  const fault = faultOf(reply);
  return fault === null || scopeOf(fault) === 'behind';
}

/** The fault in a reply that another try may get over. */
export function faultOf(reply: RpcReply<unknown>): RetryableRpcError | null {
  return !reply.ok && reply.error instanceof RetryableRpcError ? reply.error : null;
}

function goneBack(toldBefore: number | null, oldest: number): RetryableRpcError | undefined {
  if (toldBefore === null || oldest >= toldBefore - SLOTS_APART) return undefined;
  const message = `it answered for slot ${oldest} after it had told slot ${toldBefore}`;
  return new RetryableRpcError('contradiction', message);
}

/** The slot that the endpoint should have reached: the furthest known, which the calls may have asked for. */
function behindBy(calls: readonly RpcCall<unknown>[], furthest: number): number {
  return Math.max(furthest, ...calls.map(({ minContextSlot }) => minContextSlot ?? 0));
}

/** The methods that the node says it has no history for. */
function methodsRefused(
  calls: readonly RpcCall<unknown>[],
  replies: readonly RpcReply<unknown>[],
): readonly string[] {
  return calls.flatMap(({ method }, index) => {
    const reply = replies[index];
    const fault = reply ? faultOf(reply) : null;
    return fault && scopeOf(fault) === 'history' ? [method] : [];
  });
}
