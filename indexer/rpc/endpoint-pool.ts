import type { EndpointHealth } from '../../data/store/ports.ts';
import { pause } from '../pause.ts';
import { createEndpointRecord, type EndpointRecord, endpointNames } from './endpoint-record.ts';
import { postBatch, type RpcCall, type RpcCalls, type RpcReply } from './json-rpc.ts';
import { METHOD_NOT_FOUND, RetryableRpcError, RpcRequestError } from './rpc-errors.ts';
import { getGenesisHash, getSlot } from './solana-calls.ts';

/** A reply for which another try is of no use: the value, or the refusal of the request. */
export type PoolReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RpcRequestError };
export type PoolReplies<T extends readonly unknown[]> = { readonly [K in keyof T]: PoolReply<T[K]> };

/** What an endpoint turned out to be when it was asked which chain it answers for. */
export type EndpointProbe =
  | { readonly name: string; readonly kind: 'solana'; readonly genesisHash: string }
  | {
      readonly name: string;
      readonly kind: 'not-solana' | 'refused' | 'unreachable';
      readonly reason: string;
    };

export interface EndpointPool {
  /**
   * Sends calls as one batch to a healthy endpoint and keeps trying, elsewhere and later, until every call
   * has its value or is refused. What was answered is not asked again.
   *
   * @throws the signal's reason where it aborts
   * @throws {Error} where every endpoint is put aside
   */
  batch<T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal): Promise<PoolReplies<T>>;
  /** Asks every endpoint which chain it answers for. */
  probe(signal: AbortSignal): Promise<readonly EndpointProbe[]>;
  /** From now on an endpoint that answers for another chain is put aside. */
  pinChain(genesisHash: string): void;
  /** Asks the endpoints that nobody asked lately, so that their health is known when they are needed. */
  checkIdle(signal: AbortSignal): Promise<void>;
  health(): readonly EndpointHealth[];
}

export interface EndpointPoolOptions {
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
  /** Told of each failed try; the name is the endpoint's host. */
  readonly onFailure?: (endpoint: string, error: RetryableRpcError) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

const TIMEOUT_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;
const IDLE_AFTER_MS = 15_000;
/**
 * Answers in a row without JSON-RPC before an endpoint counts as something else; one may be a broken
 * connection.
 */
const TRIES_TO_JUDGE = 3;

/**
 * The endpoints of one chain. Work stays with one endpoint while it answers; when it fails, the one with the
 * fewest failures and then the lowest latency takes over, and the failed one rests for a jittered, growing
 * time.
 */
export function createEndpointPool({
  urls,
  timeoutMs = TIMEOUT_MS,
  onFailure = () => {},
  now = Date.now,
  random = Math.random,
}: EndpointPoolOptions): EndpointPool {
  const names = endpointNames(urls);
  const endpoints = urls.map((url, index) => createEndpointRecord(names[index] ?? '', url, { now, random }));
  let pinned: string | null = null;
  let current: EndpointRecord | undefined;

  const choose = (): EndpointRecord | undefined => {
    const moment = now();
    const rested = endpoints.filter(({ isBarred, notBefore }) => !isBarred && notBefore <= moment);
    if (current && current.failures === 0 && rested.includes(current)) return current;
    const byHealth = (a: EndpointRecord, b: EndpointRecord) =>
      a.failures - b.failures || (a.health().latencyMs ?? 0) - (b.health().latencyMs ?? 0);
    current = rested.toSorted(byHealth)[0];
    return current;
  };

  const untilOneIsRested = async (signal: AbortSignal): Promise<void> => {
    const waits = endpoints.filter(({ isBarred }) => !isBarred).map(({ notBefore }) => notBefore - now());
    if (waits.length === 0) {
      const reasons = endpoints.map(({ name, health }) => `${name}: ${health().lastError}`).join('; ');
      throw new Error(`No endpoint is left to ask. ${reasons}`);
    }
    await pause(Math.max(1, Math.min(...waits)), signal);
  };

  const failed = (endpoint: EndpointRecord, error: RetryableRpcError): void => {
    endpoint.failed(error);
    onFailure(endpoint.name, error);
  };

  /** One try of one batch at one endpoint; null where the endpoint failed as a whole. */
  const tryAt = async (
    endpoint: EndpointRecord,
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
  ): Promise<readonly RpcReply<unknown>[] | null> => {
    const startedAt = now();
    try {
      const replies = await postBatch(endpoint.url, calls, { timeoutMs, signal, sawSlot: endpoint.sawSlot });
      const fault = replies.find((reply) => !reply.ok && reply.error instanceof RetryableRpcError);
      if (fault && !fault.ok && fault.error instanceof RetryableRpcError) failed(endpoint, fault.error);
      else endpoint.succeeded(now() - startedAt);
      return replies;
    } catch (error) {
      if (!(error instanceof RetryableRpcError)) throw error;
      failed(endpoint, error);
      return null;
    }
  };

  /**
   * Whether the endpoint is known to answer for the pinned chain; puts it aside where it answers for another.
   */
  const isOfThisChain = async (endpoint: EndpointRecord, signal: AbortSignal): Promise<boolean> => {
    if (pinned === null) return true;
    if (endpoint.genesisHash === null) {
      const [reply] = (await tryAt(endpoint, [getGenesisHash()], signal)) ?? [];
      if (!reply?.ok) {
        if (reply?.error instanceof RpcRequestError) {
          failed(endpoint, new RetryableRpcError('not-json-rpc', reply.error.message));
        }
        return false;
      }
      endpoint.genesisHash = String(reply.value);
    }
    if (endpoint.genesisHash === pinned) return true;
    endpoint.bar(`answers for another chain (genesis ${endpoint.genesisHash})`);
    return false;
  };

  const batch = async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    const replies = new Map<number, PoolReply<unknown>>();
    while (replies.size < calls.length) {
      signal.throwIfAborted();
      const endpoint = choose();
      if (!endpoint) {
        await untilOneIsRested(signal);
        continue;
      }
      if (!(await isOfThisChain(endpoint, signal))) continue;
      const open = calls.map((call, index) => ({ call, index })).filter(({ index }) => !replies.has(index));
      const answered = await tryAt(
        endpoint,
        open.map(({ call }) => call),
        signal,
      );
      for (const [at, { index }] of open.entries()) {
        const reply = answered?.[at];
        if (reply?.ok) replies.set(index, reply);
        else if (reply && reply.error instanceof RpcRequestError) {
          replies.set(index, { ok: false, error: reply.error });
        }
      }
    }
    return calls.map((_, index) => replies.get(index));
  };

  const probeOne = async (endpoint: EndpointRecord, signal: AbortSignal): Promise<EndpointProbe> => {
    const { name } = endpoint;
    let last: RetryableRpcError | RpcRequestError | undefined;
    for (let attempt = 0; attempt < TRIES_TO_JUDGE; attempt += 1) {
      const outcome = await genesisOf(endpoint, signal);
      if (typeof outcome === 'string') {
        endpoint.genesisHash = outcome;
        return { name, kind: 'solana', genesisHash: outcome };
      }
      last = outcome;
      if (verdictOf(outcome) === 'unreachable') break;
    }
    const { lastError } = endpoint.health();
    return { name, kind: last ? verdictOf(last) : 'unreachable', reason: lastError ?? last?.message ?? '' };
  };

  const genesisOf = async (endpoint: EndpointRecord, signal: AbortSignal) => {
    const startedAt = now();
    try {
      const [reply] = await postBatch(endpoint.url, [getGenesisHash()], {
        timeoutMs: Math.min(timeoutMs, PROBE_TIMEOUT_MS),
        signal,
      });
      if (!reply?.ok) throw reply?.error ?? new RetryableRpcError('not-json-rpc', 'no reply');
      endpoint.succeeded(now() - startedAt);
      return String(reply.value);
    } catch (error) {
      if (error instanceof RetryableRpcError) failed(endpoint, error);
      else if (!(error instanceof RpcRequestError)) throw error;
      return error;
    }
  };

  return {
    // The runtime keeps replies in the order of the calls, which is what the mapped tuple type says.
    batch: <T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal) =>
      batch(calls, signal) as Promise<unknown> as Promise<PoolReplies<T>>,
    probe: (signal) => Promise.all(endpoints.map((endpoint) => probeOne(endpoint, signal))),
    pinChain(genesisHash) {
      pinned = genesisHash;
    },
    async checkIdle(signal) {
      const idle = endpoints.filter(
        ({ isBarred, lastContact, notBefore }) =>
          !isBarred && now() - lastContact >= IDLE_AFTER_MS && notBefore <= now(),
      );
      await Promise.all(
        idle.map(async (endpoint) => {
          if (await isOfThisChain(endpoint, signal)) await tryAt(endpoint, [getSlot('confirmed')], signal);
        }),
      );
    },
    health: () => endpoints.map((endpoint) => endpoint.health()),
  };
}

function verdictOf(error: RetryableRpcError | RpcRequestError): 'not-solana' | 'refused' | 'unreachable' {
  if (error instanceof RpcRequestError) return error.code === METHOD_NOT_FOUND ? 'not-solana' : 'unreachable';
  if (error.fault === 'refused') return 'refused';
  return error.fault === 'not-json-rpc' || error.fault === 'unreadable' ? 'not-solana' : 'unreachable';
}

/** The value of a reply. @throws {RpcRequestError} where the request was refused. */
export function resultOf<T>(reply: PoolReply<T>): T {
  if (reply.ok) return reply.value;
  throw reply.error;
}
