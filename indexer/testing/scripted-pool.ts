import type { EndpointAnswers, EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import { ShapeError } from '../rpc/json-shape.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';

/**
 * For tests: what a node answers to a method, as JSON-RPC would carry it. Throwing an `RpcRequestError`
 * refuses the call.
 */
export type ScriptedMethods = Readonly<Record<string, (...params: readonly never[]) => unknown>>;

export interface ScriptedPool extends EndpointPool {
  /** Every call made, as `[method, ...params]`. */
  readonly calls: (readonly unknown[])[];
  /** Endpoints that were distrusted, with the reason. */
  readonly distrusted: (readonly [endpoint: string, reason: string])[];
}

/** The one endpoint of a scripted pool. */
export const SCRIPTED_ENDPOINT = 'scripted.example';

/** For tests: an endpoint pool without a network, whose node is a handful of functions. */
export function scriptedPool(methods: ScriptedMethods): ScriptedPool {
  const calls: (readonly unknown[])[] = [];
  const answer = (call: RpcCall<unknown>): PoolReply<unknown> => {
    const { method, params } = call;
    calls.push([method, ...params]);
    const respond = methods[method];
    if (!respond) throw new Error(`The script has no answer to ${method}.`);
    try {
      const value = call.read(respond(...(params as readonly never[])), () => {});
      return { ok: true, value, by: SCRIPTED_ENDPOINT };
    } catch (error) {
      if (error instanceof RpcRequestError) return { ok: false, error, by: SCRIPTED_ENDPOINT };
      if (error instanceof ShapeError)
        throw new Error(`The script answers ${method} wrongly: ${error.message}`);
      throw error;
    }
  };
  const distrusted: [string, string][] = [];
  const batch = async (asked: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    await Promise.resolve();
    signal.throwIfAborted();
    return asked.map(answer);
  };
  return {
    calls,
    distrusted,
    // Replies keep the order of the calls, which is what the mapped tuple type says.
    batch: batch as EndpointPool['batch'],
    askEach: async <T extends readonly unknown[]>(asked: RpcCalls<T>, signal: AbortSignal) => {
      const replies: unknown = await batch(asked, signal);
      return [{ endpoint: SCRIPTED_ENDPOINT, replies } as EndpointAnswers<T>];
    },
    askBeside: batch as EndpointPool['askBeside'],
    distrust: (endpoint, reason) => void distrusted.push([endpoint, reason]),
    noteContradiction: () => {},
    probe: async () => [],
    pinChain: () => {},
    checkIdle: async () => {},
    health: () => [],
  };
}

/** The refusal that a node gives for a signature it does not know. */
export function unknownSignature(): RpcRequestError {
  return new RpcRequestError('getSignaturesForAddress', -32020, 'Transaction not found');
}
