import { allFailed, type Endpoint } from './endpoint.ts';
import type { PoolReply } from './endpoint-pool.ts';
import { postBatch, type RpcCall, type RpcReply } from './json-rpc.ts';
import { RetryableRpcError } from './rpc-errors.ts';

/**
 * Asks endpoints one after another, until one has a value for every call. Nothing is learned from it: neither a failure nor
 * the time that it takes changes what is known of an endpoint.
 *
 * @param withinMs milliseconds for each endpoint
 * @returns the replies of the one that has the values, else of the last one asked; faults where there is none to ask
 * @throws the signal's reason where it aborts
 */
export async function askBeside(
  endpoints: readonly Endpoint[],
  calls: readonly RpcCall<unknown>[],
  signal: AbortSignal,
  withinMs: number,
): Promise<readonly PoolReply<unknown>[]> {
  const nobody = new RetryableRpcError('resting', 'every endpoint rests; it was not asked');
  let replies: readonly PoolReply<unknown>[] = told(allFailed(calls, nobody), '');
  for (const { record } of endpoints) {
    replies = told(await ask(record.url, calls, signal, withinMs), record.name);
    if (replies.every(({ ok }) => ok)) break;
  }
  return replies;
}

function told(replies: readonly RpcReply<unknown>[], by: string): readonly PoolReply<unknown>[] {
  return replies.map((reply) => ({ ...reply, by }));
}

async function ask(
  url: string,
  calls: readonly RpcCall<unknown>[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<readonly RpcReply<unknown>[]> {
  try {
    return await postBatch(url, calls, { timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof RetryableRpcError)) throw error;
    return allFailed(calls, error);
  }
}
