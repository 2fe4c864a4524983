import type { EndpointHealth } from '../../data/store/ports.ts';
import { pause } from '../pause.ts';
import { backoffDelay } from './backoff.ts';
import type { ConfiguredEndpoint } from './configured-endpoints.ts';
import { createEndpointRecord, type EndpointRecord, endpointNames } from './endpoint-record.ts';
import { postBatch, type RpcCall, type RpcCalls, type RpcReply } from './json-rpc.ts';
import { isOfWholeNode, METHOD_NOT_FOUND, RetryableRpcError, RpcRequestError } from './rpc-errors.ts';
import { getGenesisHash, getSlot } from './solana-calls.ts';

/** The value, the refusal of the request, or the last fault where every try failed: to be asked again later. */
export type PoolReply<T> = RpcReply<T>;
export type PoolReplies<T extends readonly unknown[]> = { readonly [K in keyof T]: PoolReply<T[K]> };

/** What an endpoint turned out to be when it was asked which chain it answers for. */
export type EndpointProbe =
  | (ProbedEndpoint & { readonly kind: 'solana'; readonly genesisHash: string })
  | (ProbedEndpoint & {
      readonly kind: 'not-solana' | 'refused' | 'unreachable';
      readonly reason: string;
    });
type ProbedEndpoint = { readonly name: string } & Omit<ConfiguredEndpoint, 'url'>;

export interface EndpointPool {
  /**
   * Sends calls as one batch to a healthy endpoint and tries again, elsewhere and later, until every call has
   * its value or is refused, or each endpoint was tried a few times. What was answered is not asked again, and
   * a call that keeps failing takes no other call's answer away.
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
  readonly endpoints: readonly ConfiguredEndpoint[];
  readonly timeoutMs?: number;
  /** Told of each failed try; the name is the endpoint's host. */
  readonly onFailure?: (endpoint: string, error: RetryableRpcError) => void;
  /** Milliseconds of a clock that never steps back. */
  readonly now?: () => number;
  readonly random?: () => number;
}

const TIMEOUT_MS = 15_000;
/** Shorter than the portal waits for the chain when it starts, so that what is wrong can be shown by then. */
const PROBE_TIMEOUT_MS = 4_000;
const IDLE_AFTER_MS = 15_000;
/**
 * Answers in a row without JSON-RPC before an endpoint counts as something else; one may be a broken
 * connection.
 */
const TRIES_TO_JUDGE = 3;
/** Tries of one batch, for each endpoint there is. */
const TRIES_PER_ENDPOINT = 3;

/**
 * The endpoints of one chain. Work stays with one endpoint while it answers; when it fails, the one with the
 * fewest failures and then the lowest latency takes over, and the failed one rests for a jittered, growing
 * time.
 */
export function createEndpointPool({
  endpoints: configured,
  timeoutMs = TIMEOUT_MS,
  onFailure = () => {},
  now = performance.now.bind(performance),
  random = Math.random,
}: EndpointPoolOptions): EndpointPool {
  const names = endpointNames(configured.map(({ url }) => url));
  const endpoints = configured.map(({ url }, index) =>
    createEndpointRecord(names[index] ?? '', url, { now, random }),
  );
  let pinned: string | null = null;
  let current: EndpointRecord | undefined;

  const byHealth = (a: EndpointRecord, b: EndpointRecord) =>
    Number(a.isFaltering) - Number(b.isFaltering) ||
    a.failures - b.failures ||
    (a.health().latencyMs ?? 0) - (b.health().latencyMs ?? 0);

  /** The endpoint to ask next; one of those to avoid is none. */
  const choose = (avoided: ReadonlySet<EndpointRecord>): EndpointRecord | undefined => {
    const moment = now();
    const rested = endpoints.filter(({ isBarred, notBefore }) => !isBarred && notBefore <= moment);
    if (!current || current.failures > 0 || current.isFaltering || !rested.includes(current)) {
      current = rested.toSorted(byHealth)[0];
    }
    if (current && !avoided.has(current)) return current;
    return rested.filter((endpoint) => !avoided.has(endpoint)).toSorted(byHealth)[0];
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

  /** One try of one batch at one endpoint; the fault where the endpoint failed as a whole. */
  const tryAt = async (
    endpoint: EndpointRecord,
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
  ): Promise<readonly RpcReply<unknown>[] | RetryableRpcError> => {
    const startedAt = now();
    try {
      const replies = await postBatch(endpoint.url, calls, { timeoutMs, signal, sawSlot: endpoint.sawSlot });
      const faults = replies.map(retryableFault).filter((fault) => fault !== null);
      const wholeFault = faults.find(isOfWholeNode);
      if (wholeFault) {
        failed(endpoint, wholeFault);
        return replies;
      }
      if (faults.length < replies.length) endpoint.succeeded(now() - startedAt);
      const [fault] = faults;
      if (fault) {
        endpoint.refusedCall(fault);
        onFailure(endpoint.name, fault);
      }
      return replies;
    } catch (error) {
      if (!(error instanceof RetryableRpcError)) throw error;
      failed(endpoint, error);
      return error;
    }
  };

  /**
   * Makes sure that the endpoint answers for the pinned chain, and puts it aside where it answers for another.
   * @returns why it must not be asked, or null
   */
  const strangeness = async (
    endpoint: EndpointRecord,
    signal: AbortSignal,
  ): Promise<RetryableRpcError | null> => {
    if (pinned === null || endpoint.genesisHash === pinned) return null;
    const answered = await tryAt(endpoint, [getGenesisHash()], signal);
    if (answered instanceof RetryableRpcError) return answered;
    const [reply] = answered;
    if (!reply?.ok) {
      if (reply?.error instanceof RetryableRpcError) return reply.error;
      const fault = new RetryableRpcError('not-json-rpc', reply?.error.message ?? 'no reply');
      failed(endpoint, fault);
      return fault;
    }
    endpoint.genesisHash = String(reply.value);
    if (endpoint.genesisHash === pinned) return null;
    const reason = `answers for another chain (genesis ${endpoint.genesisHash})`;
    endpoint.bar(reason);
    return new RetryableRpcError('node', `${endpoint.name} ${reason}`);
  };

  const batch = async (
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
  ): Promise<readonly PoolReply<unknown>[]> => {
    const replies = new Map<number, PoolReply<unknown>>();
    const mostTries = TRIES_PER_ENDPOINT * endpoints.length;
    // Endpoints that do not rest, but did not answer every call either: the others come first.
    const avoided = new Set<EndpointRecord>();
    const isOpen = (index: number): boolean => {
      const reply = replies.get(index);
      return !reply || retryableFault(reply) !== null;
    };
    for (let tries = 0; tries < mostTries; ) {
      signal.throwIfAborted();
      const endpoint = choose(avoided);
      if (!endpoint) {
        if (avoided.size > 0) await pause(backoffDelay(tries, random), signal);
        else await untilOneIsRested(signal);
        avoided.clear();
        continue;
      }
      tries += 1;
      const open = calls.map((call, index) => ({ call, index })).filter(({ index }) => isOpen(index));
      const answered =
        (await strangeness(endpoint, signal)) ??
        (await tryAt(
          endpoint,
          open.map(({ call }) => call),
          signal,
        ));
      for (const [at, { index }] of open.entries()) {
        const reply = answered instanceof RetryableRpcError ? answered : answered[at];
        if (reply instanceof RetryableRpcError) replies.set(index, { ok: false, error: reply });
        else if (reply) replies.set(index, reply);
      }
      if (!calls.some((_, index) => isOpen(index))) break;
      if (endpoint.notBefore <= now()) avoided.add(endpoint);
    }
    return calls.map((_, index) => replies.get(index) ?? noReply());
  };

  const probeOne = async (
    endpoint: EndpointRecord,
    variables: Omit<ConfiguredEndpoint, 'url'>,
    signal: AbortSignal,
  ): Promise<EndpointProbe> => {
    const { name } = endpoint;
    const { urlVariable, keyVariable } = variables;
    let last: RetryableRpcError | RpcRequestError | undefined;
    for (let attempt = 0; attempt < TRIES_TO_JUDGE; attempt += 1) {
      const outcome = await genesisOf(endpoint, signal);
      if (typeof outcome === 'string') {
        endpoint.genesisHash = outcome;
        return { name, urlVariable, keyVariable, kind: 'solana', genesisHash: outcome };
      }
      last = outcome;
      if (verdictOf(outcome) === 'unreachable') break;
    }
    const { lastError } = endpoint.health();
    const kind = last ? verdictOf(last) : 'unreachable';
    return { name, urlVariable, keyVariable, kind, reason: lastError ?? last?.message ?? '' };
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
    probe: (signal) =>
      Promise.all(
        configured.flatMap((variables, index) => {
          const endpoint = endpoints[index];
          return endpoint ? [probeOne(endpoint, variables, signal)] : [];
        }),
      ),
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
          if ((await strangeness(endpoint, signal)) === null)
            await tryAt(endpoint, [getSlot('confirmed')], signal);
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

function retryableFault(reply: RpcReply<unknown>): RetryableRpcError | null {
  return !reply.ok && reply.error instanceof RetryableRpcError ? reply.error : null;
}

function noReply(): PoolReply<unknown> {
  return { ok: false, error: new RetryableRpcError('not-json-rpc', 'no reply') };
}

/** The value of a reply. @throws the reply's error: `RpcRequestError`, or `RetryableRpcError` */
export function resultOf<T>(reply: PoolReply<T>): T {
  if (reply.ok) return reply.value;
  throw reply.error;
}
