import type { EndpointPool, EndpointReplies } from '../rpc/endpoint-pool.ts';
import type { PoolReply, RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';

/** Functions that return a node's result, by RPC method. One that throws an `RpcRequestError` refuses the call. */
export type ScriptedMethods = Readonly<Record<string, (...params: readonly never[]) => unknown>>;

export interface ScriptedPool extends EndpointPool {
  /** Every call made so far, as `[method, ...params]`. */
  readonly calls: (readonly unknown[])[];
  readonly distrusted: (readonly [endpoint: string, reason: string])[];
  readonly withoutHistory: (readonly [endpoint: string, reason: string])[];
}

export const SCRIPTED_ENDPOINT = 'scripted.example';

export function scriptedPool(methods: ScriptedMethods): ScriptedPool {
  const calls: (readonly unknown[])[] = [];
  const answer = (call: RpcCall<unknown>): PoolReply<unknown> => {
    const { method, params } = call;
    calls.push([method, ...params]);
    const respond = methods[method];
    if (!respond) throw new Error(`the script has no answer to ${method}`);
    try {
      const value = call.read(respond(...(params as readonly never[])), () => {});
      return { ok: true, value, endpointName: SCRIPTED_ENDPOINT };
    } catch (error) {
      if (error instanceof RpcRequestError) return { ok: false, error, endpointName: SCRIPTED_ENDPOINT };
      if (error instanceof ShapeError)
        throw new Error(`the script returns an invalid result for ${method}: ${error.message}`);
      throw error;
    }
  };
  const distrusted: [string, string][] = [];
  const withoutHistory: [string, string][] = [];
  const batch = async (requested: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    await Promise.resolve();
    signal.throwIfAborted();
    return requested.map(answer);
  };
  return {
    calls,
    distrusted,
    withoutHistory,
    // Replies keep the order of the calls, as the tuple type requires.
    batch: batch as EndpointPool['batch'],
    requestFromEach: async <T extends readonly unknown[]>(requested: RpcCalls<T>, signal: AbortSignal) => {
      const replies: unknown = await batch(requested, signal);
      return [{ endpoint: SCRIPTED_ENDPOINT, replies } as EndpointReplies<T>];
    },
    requestWithoutPenalty: batch as EndpointPool['requestWithoutPenalty'],
    distrust: (endpoint, reason) => void distrusted.push([endpoint, reason]),
    noteContradiction: () => {},
    noteHistoryGap: (endpoint, reason) => void withoutHistory.push([endpoint, reason]),
    probe: async () => [],
    pinChain: () => {},
    measureIdleEndpoints: async () => {},
    noteRequest() {},
    health: () => [],
  };
}

export function unknownSignatureError(): RpcRequestError {
  return new RpcRequestError('getSignaturesForAddress', -32020, 'Transaction not found');
}
