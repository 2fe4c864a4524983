import type { EndpointPool, PoolReply } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
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
}

/** For tests: an endpoint pool without a network, whose node is a handful of functions. */
export function scriptedPool(methods: ScriptedMethods): ScriptedPool {
  const calls: (readonly unknown[])[] = [];
  const answer = ({ method, params, read }: RpcCall<unknown>): PoolReply<unknown> => {
    calls.push([method, ...params]);
    const respond = methods[method];
    if (!respond) throw new Error(`The script has no answer to ${method}.`);
    try {
      return { ok: true, value: read(respond(...(params as readonly never[])), () => {}) };
    } catch (error) {
      if (error instanceof RpcRequestError) return { ok: false, error };
      if (error instanceof ShapeError)
        throw new Error(`The script answers ${method} wrongly: ${error.message}`);
      throw error;
    }
  };
  return {
    calls,
    // Replies keep the order of the calls, which is what the mapped tuple type says.
    batch: (async (asked: readonly RpcCall<unknown>[], signal: AbortSignal) => {
      await Promise.resolve();
      signal.throwIfAborted();
      return asked.map(answer);
    }) as EndpointPool['batch'],
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
