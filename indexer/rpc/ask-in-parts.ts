import { type AskOptions, allFailed, type Endpoint, faultOf } from './endpoint.ts';
import type { RpcCall, RpcReply } from './json-rpc.ts';
import { RetryableRpcError } from './rpc-errors.ts';

/**
 * Asks one endpoint all the calls, in one request or, where it takes fewer calls at once, in several one after another.
 * When it has failed as a whole, the rest is not asked.
 *
 * @param options.timeoutMs milliseconds for each request
 * @param options.withinMs milliseconds for all of them together
 * @returns a reply for each call, in their order
 * @throws the signal's reason where it aborts
 */
export async function askInParts(
  endpoint: Endpoint,
  calls: readonly RpcCall<unknown>[],
  {
    withinMs = Number.POSITIVE_INFINITY,
    now,
    ...options
  }: AskOptions & { readonly withinMs?: number | undefined; readonly now: () => number },
): Promise<readonly RpcReply<unknown>[]> {
  const deadline = now() + withinMs;
  const replies: RpcReply<unknown>[] = [];
  while (replies.length < calls.length) {
    const rest = calls.slice(replies.length);
    const part = rest.slice(0, endpoint.fitting(rest.length));
    const timeoutMs = Math.min(options.timeoutMs, deadline - now());
    if (timeoutMs <= 0) {
      const late = new RetryableRpcError('timeout', `no answer to all the calls within ${withinMs} ms`);
      return [...replies, ...allFailed(rest, late)];
    }
    const answered = await endpoint.ask(part, { ...options, timeoutMs });
    const [first] = answered;
    const fault = first ? faultOf(first) : null;
    if (fault?.fault === 'too-large') continue;
    replies.push(...answered);
    if (fault && !endpoint.circuit.isClosed) {
      return [...replies, ...allFailed(calls.slice(replies.length), fault)];
    }
  }
  return replies;
}
