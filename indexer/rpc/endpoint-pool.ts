import type { ConfiguredEndpoint } from '../../data/config/endpoints.ts';
import { endpointNames } from '../../data/config/endpoints.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { createInterruptibleSleep, MAX_BACKOFF_MS } from '../pause.ts';
import { type BatchProgress, createBatchProgress, retryDelayMs } from './batch-progress.ts';
import {
  createEndpoint,
  type Endpoint,
  failedReplies,
  type OtherSlots,
  retryableErrorIn,
} from './endpoint.ts';
import {
  byHealth,
  type ExceedsSlotRate,
  exceedsSlotRate as exceedsChainRate,
  isClearlyBetter,
} from './endpoint-comparison.ts';
import {
  type EndpointProbeResult,
  probeEndpoint,
  requestInChunks,
  requestWithoutPenalty,
} from './endpoint-requests.ts';
import type { PoolReplies, PoolReply, RpcCall, RpcCalls, RpcReply } from './json-rpc.ts';
import { RetryableRpcError, TRANSACTION_HISTORY_NOT_AVAILABLE } from './rpc-errors.ts';
import { genesisHashCall, slotCall } from './solana-calls.ts';

export interface EndpointReplies<T extends readonly unknown[]> {
  readonly endpoint: string;
  readonly replies: PoolReplies<T>;
}

export interface EndpointPool {
  /**
   * Sends calls as one batch to a healthy endpoint. Retries, also with other endpoints, until every call is answered or rejected,
   * or the attempts run out (a few for each endpoint). Answered calls are not sent again. A call that no endpoint can answer
   * (its slot was skipped, or no endpoint has history) gets an error once every endpoint has reported this.
   *
   * @throws the signal's reason if it aborts
   * @throws {RetryableRpcError} `distrusted`, if every endpoint is distrusted
   */
  batch<T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal): Promise<PoolReplies<T>>;
  /**
   * Sends the same calls once to every endpoint that is not excluded, so that the answers can be compared. Each endpoint gets the
   * calls in as few batches as it accepts. Waits up to `MAX_BACKOFF_MS` for an endpoint in backoff. If the endpoint is
   * still not ready, each of its calls gets an error.
   * @param withinMs milliseconds in total. If set, waits only for endpoints at their rate limit, not for those in
   * backoff. Calls to an endpoint that takes longer fail.
   * @throws the signal's reason if it aborts
   */
  requestFromEach<T extends readonly unknown[]>(
    calls: RpcCalls<T>,
    signal: AbortSignal,
    withinMs?: number,
  ): Promise<readonly EndpointReplies<T>[]>;
  /**
   * Sends expensive calls to the trusted endpoints that are not in backoff, best first, until one has answered all of them.
   * Waits up to `MAX_BACKOFF_MS` for an endpoint at its rate limit. An endpoint that rejects the calls or takes too long is not
   * penalized.
   * @param withinMs milliseconds for each endpoint
   * @throws the signal's reason if it aborts
   * @throws {RetryableRpcError} `distrusted`, if every endpoint is distrusted
   */
  requestWithoutPenalty<T extends readonly unknown[]>(
    calls: RpcCalls<T>,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<PoolReplies<T>>;
  /** Distrusts an endpoint, for longer each time. In this and the next three methods, an unknown name is ignored. */
  distrust(endpoint: string, reason: string): void;
  /** Shows a contradiction in an endpoint's health. The endpoint stays in use, because it may be the one that is right. */
  noteContradiction(endpoint: string, reason: string): void;
  /** Stops history calls to an endpoint, for longer each time, because it lacks part of the history. */
  noteHistoryGap(endpoint: string, reason: string): void;
  /** Counts a request that was not sent through the pool. */
  noteRequest(endpoint: string, methods: readonly string[]): void;
  /** Asks every endpoint for its chain. */
  probe(signal: AbortSignal): Promise<readonly EndpointProbeResult[]>;
  /** Includes endpoints that a previous call excluded, and from now on excludes endpoints on any other chain. */
  pinChain(genesisHash: string): void;
  /** Measures idle endpoints, so that their health is known when they are needed and failed ones can recover. */
  measureIdleEndpoints(signal: AbortSignal): Promise<void>;
  health(): readonly EndpointHealth[];
}

interface EndpointPoolOptions {
  readonly endpoints: readonly ConfiguredEndpoint[];
  readonly timeoutMs?: number;
  /** Called for each failed attempt. `endpoint` is the endpoint's host. */
  readonly onFailure?: (endpoint: string, error: RetryableRpcError) => void;
  /** Overrides the check of Solana's slot rate. Needed for a ledger with a clock that can jump. */
  readonly exceedsSlotRate?: ExceedsSlotRate;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  readonly random?: () => number;
}

const TIMEOUT_MS = 15_000;
const IDLE_AFTER_MS = 15_000;
/** Milliseconds between two measurements of the latency of an endpoint that is in use. */
const MEASURE_MS = 60_000;
/** How long a reported slot counts as recent (ms). Idle endpoints are measured more often than that. */
const RECENT_MS = 20_000;
/** How long the other endpoints may take to report their slots if one slot is doubtful (ms). */
const COMPARE_MS = 2_000;
/**
 * How many attempts for one batch may fail, on average per endpoint. An endpoint that failed this often for the batch is used
 * only if no other one is ready soon.
 */
const ATTEMPTS_PER_ENDPOINT = 3;
type BatchFailures = Map<Endpoint, { readonly times: number; readonly retryAt: number }>;
const NO_FAILURE = { times: 0, retryAt: Number.NEGATIVE_INFINITY } as const;

/**
 * The endpoints of one chain. One endpoint gets all work until it fails or another is clearly better. Then the healthiest
 * one takes over (fewest failures, no lag, lowest latency). An endpoint that fails is in backoff for a jittered, growing
 * time. If an endpoint rejects a rate or a batch size, its limits are lowered. An endpoint that contradicts the others is
 * distrusted. If all are distrusted, `batch` and `requestWithoutPenalty` fail.
 */
export function createEndpointPool({
  endpoints: configured,
  timeoutMs = TIMEOUT_MS,
  onFailure = () => {},
  exceedsSlotRate = exceedsChainRate,
  now = performance.now.bind(performance),
  random = Math.random,
}: EndpointPoolOptions): EndpointPool {
  const { sleep, wake } = createInterruptibleSleep();
  const names = endpointNames(configured.map(({ url }) => url));
  const furthestSlot = (): number =>
    endpoints.reduce(
      (furthest, { record }) => Math.max(furthest, record.isDistrusted ? -1 : (record.slot ?? -1)),
      -1,
    );
  const othersOf = (name: string): OtherSlots => {
    const trustedOthers = () =>
      endpoints.filter(({ record }) => record.name !== name && !record.isDistrusted && !record.isLagging);
    return {
      exist: () => endpoints.some(({ record }) => record.name !== name && !record.isExcluded),
      recentSlots: () =>
        trustedOthers().flatMap(({ record: { slot, slotReportedAt } }) =>
          slot !== null && slotReportedAt !== null && now() - slotReportedAt < RECENT_MS ? [slot] : [],
        ),
      async requestCurrentSlots(signal) {
        const options = { signal, timeoutMs: Math.min(timeoutMs, COMPARE_MS), purpose: 'compare' } as const;
        const ready = trustedOthers().filter((endpoint) => isVerified(endpoint) && endpoint.waitMs(1) <= 0);
        const answers = await Promise.all(ready.map((one) => one.request([slotCall('confirmed')], options)));
        return answers.flatMap(([reply]) => (reply?.ok ? [Number(reply.value)] : []));
      },
    };
  };
  const endpoints: readonly Endpoint[] = configured.map(({ url }, index) => {
    const name = names[index] ?? '';
    const otherSlots = othersOf(name);
    return createEndpoint({ name, url, furthestSlot, otherSlots, exceedsSlotRate, onFailure, now, random });
  });
  for (const { circuit } of endpoints) circuit.onChange(wake);
  const checkedAt = new Map<Endpoint, number>();
  let pinnedGenesisHash: string | null = null;
  let currentEndpoint: Endpoint | undefined;

  /** @throws if every endpoint is distrusted */
  const trustedEndpoints = (): readonly Endpoint[] => {
    const remainingEndpoints = endpoints.filter(({ record }) => !record.isDistrusted);
    if (remainingEndpoints.length > 0) return remainingEndpoints;
    const reasons = endpoints.map(({ record }) => `${record.name}: ${record.lastError}`).join('; ');
    throw new RetryableRpcError('distrusted', `Every endpoint is distrusted. ${reasons}`);
  };

  const isWorking = ({ record, circuit }: Endpoint): boolean =>
    !record.isDistrusted && circuit.isClosed && record.failures === 0 && !record.answersOnlyErrors;

  const choose = (ready: readonly Endpoint[]): Endpoint | undefined => {
    const [best] = ready.toSorted((a, b) => byHealth(a.record, b.record));
    if (!best) return undefined;
    const shouldSwitch =
      !currentEndpoint || !isWorking(currentEndpoint) || isClearlyBetter(best.record, currentEndpoint.record);
    if (shouldSwitch) currentEndpoint = best;
    return currentEndpoint && ready.includes(currentEndpoint) ? currentEndpoint : best;
  };

  const isVerified = ({ record }: Endpoint): boolean =>
    pinnedGenesisHash === null || record.genesisHash === pinnedGenesisHash;

  /**
   * Asks an endpoint for its chain, and excludes the endpoint if it is not on the pinned chain.
   * @returns null, or the error if the endpoint cannot be used
   */
  const verifyChain = async (
    endpoint: Endpoint,
    signal: AbortSignal,
    withinMs = timeoutMs,
  ): Promise<RetryableRpcError | null> => {
    const { record } = endpoint;
    const [reply] = await endpoint.request([genesisHashCall()], { signal, timeoutMs: withinMs });
    if (!reply?.ok) {
      const error = reply && retryableErrorIn(reply);
      if (error) return error;
      const rejection = new RetryableRpcError('not-json-rpc', reply?.error.message ?? 'no reply');
      record.noteFailure(rejection);
      onFailure(record.name, rejection);
      return rejection;
    }
    record.genesisHash = String(reply.value);
    return isVerified(endpoint) ? null : excludeOtherChain(endpoint);
  };

  const excludeOtherChain = ({ record }: Endpoint): RetryableRpcError => {
    const { genesisHash } = record;
    const message = `${record.name} serves a different chain (genesis ${genesisHash})`;
    const error = new RetryableRpcError('contradiction', message);
    record.exclude(message);
    onFailure(record.name, error);
    return error;
  };

  /** The ready endpoints that may have answers, or how long to wait if none is ready. */
  const readyEndpointsFor = (
    progress: BatchProgress,
    remainingEndpoints: readonly Endpoint[],
    failures: BatchFailures,
  ): { readonly ready: readonly Endpoint[]; readonly waitMs: number } => {
    const usable: { endpoint: Endpoint; times: number; waitMs: number }[] = [];
    for (const endpoint of remainingEndpoints) {
      const openCount = progress.openIndexesFor(endpoint).length;
      if (openCount === 0) continue;
      const { times, retryAt } = failures.get(endpoint) ?? NO_FAILURE;
      usable.push({ endpoint, times, waitMs: Math.max(endpoint.waitMs(openCount), retryAt - now()) });
    }
    // Endpoints that failed often for this batch are skipped if another one is ready soon.
    const rarelyFailed = usable.filter(({ times }) => times < ATTEMPTS_PER_ENDPOINT);
    const candidates = rarelyFailed.some(({ waitMs }) => waitMs <= MAX_BACKOFF_MS) ? rarelyFailed : usable;
    const waitMs = Math.min(...candidates.map((one) => one.waitMs));
    const ready = candidates.filter((one) => one.waitMs <= 0);
    const fewest = Math.min(...ready.map(({ times }) => times));
    return { ready: ready.filter(({ times }) => times === fewest).map(({ endpoint }) => endpoint), waitMs };
  };

  const batch = async (
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
  ): Promise<readonly PoolReply<unknown>[]> => {
    const progress = createBatchProgress(calls);
    const maxAttempts = ATTEMPTS_PER_ENDPOINT * endpoints.length;
    const failures: BatchFailures = new Map();
    for (let attempts = 0; progress.isOpen && attempts < maxAttempts; ) {
      signal.throwIfAborted();
      const remainingEndpoints = trustedEndpoints();
      progress.closeUnanswerable(remainingEndpoints);
      const { ready, waitMs } = readyEndpointsFor(progress, remainingEndpoints, failures);
      const endpoint = choose(ready);
      if (!endpoint) {
        if (progress.isOpen) await sleep(waitMs, signal);
        continue;
      }
      const openIndexes = progress.openIndexesFor(endpoint);
      let error: RetryableRpcError | null;
      if (isVerified(endpoint)) {
        const allowed = endpoint.allowedCalls(openIndexes.length);
        const requested = allowed < openIndexes.length ? openIndexes.slice(0, allowed) : openIndexes;
        const answered = await endpoint.request(progress.callsAt(requested), { signal, timeoutMs });
        // An answer that was pending when its endpoint became distrusted is dropped too.
        const { record } = endpoint;
        const usable = record.isDistrusted ? failedReplies(requested, distrustedError(endpoint)) : answered;
        error = progress.recordReplies(requested, usable, endpoint);
      } else {
        error = await verifyChain(endpoint, signal);
        if (error) progress.recordReplies(openIndexes, failedReplies(openIndexes, error), endpoint);
      }
      if (!error || error.failure === 'too-large') continue;
      attempts += 1;
      const times = (failures.get(endpoint) ?? NO_FAILURE).times + 1;
      failures.set(endpoint, { times, retryAt: now() + retryDelayMs(error, times, random) });
    }
    return progress.replies();
  };

  /** @returns whether the endpoint became ready in time */
  const waitUntilReady = async (
    endpoint: Endpoint,
    callCount: number,
    atMostMs: number,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const deadline = now() + atMostMs;
    for (let waitMs = endpoint.waitMs(callCount); waitMs > 0; waitMs = endpoint.waitMs(callCount)) {
      const remainingMs = deadline - now();
      if (remainingMs <= 0 || (waitMs > remainingMs && Number.isFinite(waitMs))) return false;
      await sleep(Math.min(waitMs, remainingMs), signal);
    }
    return true;
  };

  const requestFromOne = async (
    endpoint: Endpoint,
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
    withinMs: number | undefined,
  ): Promise<readonly RpcReply<unknown>[]> => {
    signal.throwIfAborted();
    const deadline = now() + (withinMs ?? Number.POSITIVE_INFINITY);
    // Half of the time is left for the answer: too little would make a healthy endpoint count as failed.
    const waitMs = withinMs === undefined ? MAX_BACKOFF_MS : endpoint.circuit.isClosed ? withinMs / 2 : 0;
    if (!(await waitUntilReady(endpoint, calls.length, waitMs, signal))) {
      const { name, lastError } = endpoint.record;
      const reason = endpoint.circuit.isClosed ? 'at its rate limit' : `in backoff after: ${lastError}`;
      return failedReplies(calls, new RetryableRpcError('backoff', `${name} is ${reason}`));
    }
    const leftMs = () => Math.ceil(deadline - now());
    const attemptMs = () => Math.min(timeoutMs, leftMs());
    const error = isVerified(endpoint) ? null : await verifyChain(endpoint, signal, attemptMs());
    if (error) return failedReplies(calls, error);
    return requestInChunks(endpoint, calls, { signal, timeoutMs: attemptMs(), withinMs: leftMs(), now });
  };

  const requestFromEach = (calls: readonly RpcCall<unknown>[], signal: AbortSignal, withinMs?: number) =>
    Promise.all(
      endpoints
        .filter(({ record }) => !record.isExcluded)
        .map(async (endpoint) => {
          const endpointName = endpoint.record.name;
          const answered = await requestFromOne(endpoint, calls, signal, withinMs);
          return {
            endpoint: endpointName,
            replies: answered.map((reply) => ({ ...reply, endpointName })),
          };
        }),
    );

  const checkAfterMs = ({ record: { slotReportedAt } }: Endpoint): number =>
    slotReportedAt !== null && now() - slotReportedAt < IDLE_AFTER_MS ? MEASURE_MS : IDLE_AFTER_MS;

  const recordOf = (name: string) => endpoints.find(({ record }) => record.name === name)?.record;

  return {
    // Replies are in the order of the calls, as the mapped tuple types require.
    batch: <T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal) =>
      batch(calls, signal) as Promise<unknown> as Promise<PoolReplies<T>>,
    requestFromEach: <T extends readonly unknown[]>(
      calls: RpcCalls<T>,
      signal: AbortSignal,
      withinMs?: number,
    ) =>
      requestFromEach(calls, signal, withinMs) as Promise<unknown> as Promise<readonly EndpointReplies<T>[]>,
    requestWithoutPenalty: async <T extends readonly unknown[]>(
      calls: RpcCalls<T>,
      signal: AbortSignal,
      withinMs: number,
    ) => {
      const verified = trustedEndpoints().filter(isVerified);
      const best = verified.toSorted((a, b) => byHealth(a.record, b.record));
      const waitForRate = (endpoint: Endpoint) =>
        waitUntilReady(endpoint, calls.length, endpoint.circuit.isClosed ? MAX_BACKOFF_MS : 0, signal);
      const replies = await requestWithoutPenalty(best, calls, signal, withinMs, waitForRate);
      return replies as unknown as PoolReplies<T>;
    },
    distrust(name, reason) {
      const record = recordOf(name);
      if (!record || record.isDistrusted) return;
      record.distrust(reason);
      onFailure(name, new RetryableRpcError('contradiction', reason));
    },
    noteContradiction(name, reason) {
      const record = recordOf(name);
      if (!record) return;
      const error = new RetryableRpcError('contradiction', reason);
      record.noteCallError(error);
      onFailure(name, error);
    },
    noteHistoryGap(name, reason) {
      const record = recordOf(name);
      if (!record) return;
      const error = new RetryableRpcError('node', reason, { code: TRANSACTION_HISTORY_NOT_AVAILABLE });
      // Stops history calls to this endpoint only if other endpoints can take over.
      if (othersOf(name).exist()) record.noteHistoryGap();
      record.noteCallError(error);
      onFailure(name, error);
    },
    noteRequest: (name, methods) => recordOf(name)?.noteRequest(methods),
    probe: (signal) =>
      Promise.all(
        configured.flatMap((variables, index) => {
          const endpoint = endpoints[index];
          return endpoint ? [probeEndpoint(endpoint, variables, timeoutMs, signal)] : [];
        }),
      ),
    pinChain(genesisHash) {
      pinnedGenesisHash = genesisHash;
      for (const endpoint of endpoints) {
        endpoint.record.include();
        if (endpoint.record.genesisHash !== null && !isVerified(endpoint)) excludeOtherChain(endpoint);
      }
    },
    async measureIdleEndpoints(signal) {
      const idle = endpoints.filter(
        (endpoint) =>
          !endpoint.record.isDistrusted &&
          now() - (checkedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) >= checkAfterMs(endpoint) &&
          endpoint.waitMs(1) <= 0,
      );
      await Promise.all(
        idle.map(async (endpoint) => {
          checkedAt.set(endpoint, now());
          if (isVerified(endpoint) || (await verifyChain(endpoint, signal)) === null) {
            await endpoint.request([slotCall('confirmed')], { signal, timeoutMs, purpose: 'measure' });
          }
        }),
      );
    },
    health: () => endpoints.map(({ record, circuit }) => record.health(!circuit.isClosed)),
  };
}

function distrustedError({ record }: Endpoint): RetryableRpcError {
  return new RetryableRpcError('contradiction', `${record.name} is distrusted: ${record.lastError}`);
}

/**
 * Like `requestFromEach`, but drops the answers of distrusted endpoints, including those that became distrusted during the
 * request.
 * @returns an empty list if every endpoint is distrusted
 */
export async function requestFromTrusted<T extends readonly unknown[]>(
  pool: Pick<EndpointPool, 'requestFromEach' | 'health'>,
  calls: RpcCalls<T>,
  signal: AbortSignal,
  withinMs?: number,
): Promise<readonly EndpointReplies<T>[]> {
  const answers = await pool.requestFromEach<T>(calls, signal, withinMs);
  const health = pool.health();
  return answers.filter(
    ({ endpoint }) => !health.some(({ name, state }) => name === endpoint && state === 'distrusted'),
  );
}

/** @throws the reply's error: `RpcRequestError`, or `RetryableRpcError` */
export function resultOf<T>(reply: RpcReply<T>): T {
  if (reply.ok) return reply.value;
  throw reply.error;
}
