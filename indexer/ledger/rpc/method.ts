import type { LedgerChain } from '../chain.ts';

/** A method of the interface: answers the `result` member, or throws an `RpcError` that becomes the `error` member. */
export type RpcMethod = (chain: LedgerChain, params: readonly unknown[]) => unknown;

export type RpcMethods = ReadonlyMap<string, RpcMethod>;
