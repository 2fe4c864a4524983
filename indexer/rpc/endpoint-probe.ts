import type { ConfiguredEndpoint } from '../../data/config/configured-endpoints.ts';
import { pause } from '../pause.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointProbe } from './endpoint-pool.ts';
import { METHOD_NOT_FOUND, RetryableRpcError, RpcRequestError } from './rpc-errors.ts';
import { getGenesisHash } from './solana-calls.ts';

/**
 * Milliseconds for all of it, shorter than the portal waits for the chain when it starts, so that what is wrong can be shown
 * by then. One that answers too slowly to be judged counts as unreachable.
 */
const LONGEST_PROBE_MS = 4_000;
/**
 * Answers of one fault in a row before an endpoint counts as something else. What fails for a moment (a proxy that
 * restarts, a damaged connection) seldom fails that often, and seldom in one way only.
 */
const TRIES_TO_JUDGE = 9;
/** Milliseconds between two of them: a moment's fault may pass meanwhile. */
const BETWEEN_TRIES_MS = 200;

/** Asks an endpoint which chain it answers for, whether it rests or not. @throws the signal's reason where it aborts */
export async function probeEndpoint(
  endpoint: Endpoint,
  { urlVariable, keyVariable }: Omit<ConfiguredEndpoint, 'url'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  const { record } = endpoint;
  const probed = { name: record.name, urlVariable, keyVariable };
  const deadline = performance.now() + Math.min(timeoutMs, LONGEST_PROBE_MS);
  let last: RetryableRpcError | RpcRequestError = new RetryableRpcError('mismatch', 'no reply');
  const faults = new Set<string>();
  let tries = 0;
  for (; tries < TRIES_TO_JUDGE; tries += 1) {
    if (tries > 0) await pause(BETWEEN_TRIES_MS, signal);
    const left = deadline - performance.now();
    if (left <= 0) break;
    const options = { timeoutMs: Math.ceil(left), signal, purpose: 'measure' } as const;
    const [reply] = await endpoint.ask([getGenesisHash()], options);
    if (reply?.ok) {
      const genesisHash = String(reply.value);
      record.genesisHash = genesisHash;
      return { ...probed, kind: 'solana', genesisHash };
    }
    if (reply) last = reply.error;
    faults.add(faultIn(last));
    if (verdictOf(last) === 'unreachable' && !isCutOff(last)) break;
  }
  const isJudged = tries === TRIES_TO_JUDGE && faults.size === 1;
  const kind = isJudged ? verdictOf(last) : 'unreachable';
  return { ...probed, kind, reason: record.lastError ?? last.message };
}

function faultIn(error: RetryableRpcError | RpcRequestError): string {
  return error instanceof RetryableRpcError ? error.fault : String(error.code);
}

function isCutOff(error: RetryableRpcError | RpcRequestError): boolean {
  return error instanceof RetryableRpcError && error.fault === 'cut-off';
}

function verdictOf(error: RetryableRpcError | RpcRequestError): 'not-solana' | 'refused' | 'unreachable' {
  if (error instanceof RpcRequestError) return error.code === METHOD_NOT_FOUND ? 'not-solana' : 'unreachable';
  if (error.fault === 'refused') return 'refused';
  return error.fault === 'not-json-rpc' || error.fault === 'unreadable' ? 'not-solana' : 'unreachable';
}
