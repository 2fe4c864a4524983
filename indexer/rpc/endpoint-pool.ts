import type { ConfiguredEndpoint } from '../../data/config/configured-endpoints.ts';
import { endpointNames } from '../../data/config/endpoint-names.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { askBeside } from './ask-beside.ts';
import { askInParts } from './ask-in-parts.ts';
import { LONGEST_BACKOFF_MS } from './backoff.ts';
import { type BatchProgress, createBatchProgress, pauseAfter } from './batch-progress.ts';
import { allFailed, createEndpoint, type Endpoint, faultOf, type OtherSlots } from './endpoint.ts';
import { byHealth, isClearlyBetter } from './endpoint-choice.ts';
import { probeEndpoint } from './endpoint-probe.ts';
import type { RpcCall, RpcCalls, RpcReply } from './json-rpc.ts';
import { RetryableRpcError } from './rpc-errors.ts';
import { type OutrunsTime, outrunsTime as outrunsChainTime } from './slot-plausibility.ts';
import { getGenesisHash, getSlot } from './solana-calls.ts';
import { createWakeUp } from './wake-up.ts';

/**
 * The value, the refusal of the request, or the last fault where every try failed: to be asked again later. `by` is the
 * endpoint that answered; of a fault, the one asked last, or empty where none was.
 */
export type PoolReply<T> = RpcReply<T> & { readonly by: string };
export type PoolReplies<T extends readonly unknown[]> = { readonly [K in keyof T]: PoolReply<T[K]> };

/** What an endpoint turned out to be when it was asked which chain it answers for. */
export type EndpointProbe =
  | (ProbedEndpoint & { readonly kind: 'solana'; readonly genesisHash: string })
  | (ProbedEndpoint & {
      readonly kind: 'not-solana' | 'refused' | 'unreachable';
      readonly reason: string;
    });
type ProbedEndpoint = { readonly name: string } & Omit<ConfiguredEndpoint, 'url'>;

/** What one endpoint answers, a fault where it does not. */
export interface EndpointAnswers<T extends readonly unknown[]> {
  readonly endpoint: string;
  readonly replies: PoolReplies<T>;
}

export interface EndpointPool {
  /**
   * Sends calls as one batch to a healthy endpoint and tries again, elsewhere and later, until every call has
   * its value or is refused, or each endpoint was tried a few times. What was answered is not asked again, and
   * a call that keeps failing takes no other call's answer away. A call that no endpoint can answer (its slot
   * was skipped, or none keeps history) is given back once each has said so.
   *
   * @throws the signal's reason where it aborts
   * @throws {RetryableRpcError} of the fault `put-aside`, where every endpoint is
   */
  batch<T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal): Promise<PoolReplies<T>>;
  /**
   * Asks every endpoint that is not put aside for good the same calls, once and as one batch each, or as few as it takes,
   * so that what they say can be compared. One that rests for long is not asked.
   * @param withinMs milliseconds for all of them together: one that rests at all is not asked, and one that takes longer
   * has failed
   * @throws the signal's reason where it aborts
   */
  askEach<T extends readonly unknown[]>(
    calls: RpcCalls<T>,
    signal: AbortSignal,
    withinMs?: number,
  ): Promise<readonly EndpointAnswers<T>[]>;
  /**
   * Asks for something heavy beside the work: the endpoints that are believed and do not rest, the best first, until one
   * has every value. One that refuses it or takes too long is not thought worse of.
   * @param withinMs milliseconds for each endpoint
   * @throws the signal's reason where it aborts
   * @throws {RetryableRpcError} of the fault `put-aside`, where every endpoint is
   */
  askBeside<T extends readonly unknown[]>(
    calls: RpcCalls<T>,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<PoolReplies<T>>;
  /**
   * Puts an endpoint aside whose answer contradicts what is known, for minutes that grow each time.
   * @param endpoint its name, as replies and health give it; an unknown one changes nothing
   */
  distrust(endpoint: string, reason: string): void;
  /**
   * Shows in an endpoint's health, and as its failure, that what it says contradicts others, where nobody knows who is
   * right. It is asked on.
   * @param endpoint its name; an unknown one changes nothing
   */
  noteContradiction(endpoint: string, reason: string): void;
  /** Asks every endpoint which chain it answers for. */
  probe(signal: AbortSignal): Promise<readonly EndpointProbe[]>;
  /** From now on an endpoint that answers for another chain is put aside. */
  pinChain(genesisHash: string): void;
  /**
   * Asks the endpoints that were not measured lately for their slot, so that their health is known when they
   * are needed, and those that failed may show that they recovered.
   */
  checkIdle(signal: AbortSignal): Promise<void>;
  health(): readonly EndpointHealth[];
}

export interface EndpointPoolOptions {
  readonly endpoints: readonly ConfiguredEndpoint[];
  readonly timeoutMs?: number;
  /** Told of each failed try; the name is the endpoint's host. */
  readonly onFailure?: (endpoint: string, error: RetryableRpcError) => void;
  /** What a chain cannot do; that of Solana where it is left out. A ledger may have a clock that is moved by hand. */
  readonly outrunsTime?: OutrunsTime;
  /** Milliseconds of a clock that never steps back. */
  readonly now?: () => number;
  readonly random?: () => number;
}

const TIMEOUT_MS = 15_000;
const IDLE_AFTER_MS = 15_000;
/** Milliseconds for which a slot that was told counts as told lately: an idle endpoint is asked more often. */
const LATELY_MS = 20_000;
/** Milliseconds for the other endpoints to tell their slots, where one's is in doubt. */
const COMPARE_MS = 2_000;
/** Failed tries of one batch, for each endpoint there is. */
const TRIES_PER_ENDPOINT = 3;
/** How often each endpoint failed a batch, and the moment from which it may be asked for it again. */
type BatchFailures = Map<Endpoint, { readonly times: number; readonly again: number }>;
const NO_FAILURE = { times: 0, again: Number.NEGATIVE_INFINITY } as const;

/**
 * The endpoints of one chain. Work stays with one endpoint while it is good; when it fails, or another is clearly
 * better, the healthiest takes over (fewest failures, not lagging, lowest latency). An endpoint that fails rests for a
 * jittered, growing time; one that refuses calls for their rate gets fewer, and one that refuses batches for their size
 * gets smaller ones; one that cannot be believed is put aside, and where all are, nothing is answered.
 */
export function createEndpointPool({
  endpoints: configured,
  timeoutMs = TIMEOUT_MS,
  onFailure = () => {},
  outrunsTime = outrunsChainTime,
  now = performance.now.bind(performance),
  random = Math.random,
}: EndpointPoolOptions): EndpointPool {
  const { sleep, wake } = createWakeUp();
  const names = endpointNames(configured.map(({ url }) => url));
  const furthestSlot = (): number =>
    endpoints.reduce(
      (furthest, { record }) => Math.max(furthest, record.isAside ? -1 : (record.slot ?? -1)),
      -1,
    );
  const othersOf = (name: string): OtherSlots => {
    const others = () => endpoints.filter(({ record }) => record.name !== name && !record.isAside);
    return {
      lately: () =>
        others().flatMap(({ record: { slot, slotToldAt } }) =>
          slot !== null && slotToldAt !== null && now() - slotToldAt < LATELY_MS ? [slot] : [],
        ),
      async atPresent(signal) {
        const options = { signal, timeoutMs: Math.min(timeoutMs, COMPARE_MS), purpose: 'compare' } as const;
        const asked = others().filter((endpoint) => isKnown(endpoint) && endpoint.waitFor(1) <= 0);
        const answers = await Promise.all(asked.map((one) => one.ask([getSlot('confirmed')], options)));
        return answers.flatMap(([reply]) => (reply?.ok ? [Number(reply.value)] : []));
      },
    };
  };
  const endpoints: readonly Endpoint[] = configured.map(({ url }, index) => {
    const name = names[index] ?? '';
    return createEndpoint({
      name,
      url,
      furthestSlot,
      others: othersOf(name),
      outrunsTime,
      onFailure,
      now,
      random,
    });
  });
  for (const { circuit } of endpoints) circuit.onChange(wake);
  const checkedAt = new Map<Endpoint, number>();
  let pinned: string | null = null;
  let current: Endpoint | undefined;

  /** @throws where every endpoint is put aside */
  const believed = (): readonly Endpoint[] => {
    const left = endpoints.filter(({ record }) => !record.isAside);
    if (left.length > 0) return left;
    const reasons = endpoints.map(({ record }) => `${record.name}: ${record.lastError}`).join('; ');
    throw new RetryableRpcError('put-aside', `No endpoint is left to ask. ${reasons}`);
  };

  const isGood = ({ record, circuit }: Endpoint): boolean =>
    !record.isAside && circuit.isClosed && record.failures === 0 && !record.isFaltering;

  /** Of endpoints that may be asked at this moment, the one to ask. */
  const choose = (ready: readonly Endpoint[]): Endpoint | undefined => {
    const [best] = ready.toSorted((a, b) => byHealth(a.record, b.record));
    if (!best) return undefined;
    const isToChange = !current || !isGood(current) || isClearlyBetter(best.record, current.record);
    if (isToChange) current = best;
    return current && ready.includes(current) ? current : best;
  };

  const isKnown = ({ record }: Endpoint): boolean => pinned === null || record.genesisHash === pinned;

  /**
   * Asks an endpoint which chain it answers for, and puts it aside where it is another than the pinned one.
   * @returns why it must not be asked, or null
   */
  const strangeness = async (
    endpoint: Endpoint,
    signal: AbortSignal,
    withinMs = timeoutMs,
  ): Promise<RetryableRpcError | null> => {
    const { record } = endpoint;
    const [reply] = await endpoint.ask([getGenesisHash()], { signal, timeoutMs: withinMs });
    if (!reply?.ok) {
      const fault = reply && faultOf(reply);
      if (fault) return fault;
      const refusal = new RetryableRpcError('not-json-rpc', reply?.error.message ?? 'no reply');
      record.failed(refusal);
      onFailure(record.name, refusal);
      return refusal;
    }
    record.genesisHash = String(reply.value);
    if (isKnown(endpoint)) return null;
    const fault = new RetryableRpcError(
      'contradiction',
      `${record.name} answers for another chain (genesis ${record.genesisHash})`,
    );
    record.putAsideForGood(fault.message);
    onFailure(record.name, fault);
    return fault;
  };

  /** Of endpoints that may have answers, those that may be asked now; where there is none, how long to wait. */
  const askableFor = (
    progress: BatchProgress,
    left: readonly Endpoint[],
    failures: BatchFailures,
  ): { readonly ready: readonly Endpoint[]; readonly wait: number } => {
    const useful: { endpoint: Endpoint; times: number; wait: number }[] = [];
    for (const endpoint of left) {
      const open = progress.openFor(endpoint).length;
      if (open === 0) continue;
      const { times, again } = failures.get(endpoint) ?? NO_FAILURE;
      useful.push({ endpoint, times, wait: Math.max(endpoint.waitFor(open), again - now()) });
    }
    // One that failed this batch often is left alone where another only needs a moment.
    const untired = useful.filter(({ times }) => times < TRIES_PER_ENDPOINT);
    const asked = untired.some(({ wait }) => wait <= LONGEST_BACKOFF_MS) ? untired : useful;
    const wait = Math.min(...asked.map((one) => one.wait));
    const rested = asked.filter((one) => one.wait <= 0);
    const fewest = Math.min(...rested.map(({ times }) => times));
    return { ready: rested.filter(({ times }) => times === fewest).map(({ endpoint }) => endpoint), wait };
  };

  const batch = async (
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
  ): Promise<readonly PoolReply<unknown>[]> => {
    const progress = createBatchProgress(calls);
    const mostTries = TRIES_PER_ENDPOINT * endpoints.length;
    const failures: BatchFailures = new Map();
    for (let tries = 0; progress.isOpen && tries < mostTries; ) {
      signal.throwIfAborted();
      const left = believed();
      progress.closeHopeless(left);
      const { ready, wait } = askableFor(progress, left, failures);
      const endpoint = choose(ready);
      if (!endpoint) {
        if (progress.isOpen) await sleep(wait, signal);
        continue;
      }
      const open = progress.openFor(endpoint);
      let fault: RetryableRpcError | null;
      if (isKnown(endpoint)) {
        const allowed = endpoint.allowed(open.length);
        const asked = allowed < open.length ? open.slice(0, allowed) : open;
        const answered = await endpoint.ask(progress.callsAt(asked), { signal, timeoutMs });
        // What was under way while the endpoint was put aside is not believed either.
        const believable = endpoint.record.isAside ? allFailed(asked, notBelieved(endpoint)) : answered;
        fault = progress.take(asked, believable, endpoint);
      } else {
        fault = await strangeness(endpoint, signal);
        if (fault) progress.take(open, allFailed(open, fault), endpoint);
      }
      if (!fault || fault.fault === 'too-large') continue;
      tries += 1;
      const times = (failures.get(endpoint) ?? NO_FAILURE).times + 1;
      failures.set(endpoint, { times, again: now() + pauseAfter(fault, times, random) });
    }
    return progress.replies();
  };

  /** Waits for an endpoint that rests for a moment. @returns whether it may be asked */
  const isRested = async (
    endpoint: Endpoint,
    calls: number,
    atMostMs: number,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const deadline = now() + atMostMs;
    for (let wait = endpoint.waitFor(calls); wait > 0; wait = endpoint.waitFor(calls)) {
      const left = deadline - now();
      if (left <= 0 || (wait > left && Number.isFinite(wait))) return false;
      await sleep(Math.min(wait, left), signal);
    }
    return true;
  };

  const askOne = async (
    endpoint: Endpoint,
    calls: readonly RpcCall<unknown>[],
    signal: AbortSignal,
    withinMs: number | undefined,
  ): Promise<readonly RpcReply<unknown>[]> => {
    signal.throwIfAborted();
    const restMs = withinMs === undefined ? LONGEST_BACKOFF_MS : 0;
    if (!(await isRested(endpoint, calls.length, restMs, signal))) {
      const { name, lastError } = endpoint.record;
      return allFailed(calls, new RetryableRpcError('resting', `${name} rests after: ${lastError}`));
    }
    const within = Math.min(timeoutMs, withinMs ?? timeoutMs);
    const strange = isKnown(endpoint) ? null : await strangeness(endpoint, signal, within);
    if (strange) return allFailed(calls, strange);
    return askInParts(endpoint, calls, { signal, timeoutMs: within, withinMs, now });
  };

  const askEach = (calls: readonly RpcCall<unknown>[], signal: AbortSignal, withinMs?: number) =>
    Promise.all(
      endpoints
        .filter(({ record }) => !record.isAsideForGood)
        .map(async (endpoint) => {
          const by = endpoint.record.name;
          const answered = await askOne(endpoint, calls, signal, withinMs);
          return { endpoint: by, replies: answered.map((reply) => ({ ...reply, by })) };
        }),
    );

  const recordOf = (name: string) => endpoints.find(({ record }) => record.name === name)?.record;

  return {
    // The runtime keeps replies in the order of the calls, which is what the mapped tuple types say.
    batch: <T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal) =>
      batch(calls, signal) as Promise<unknown> as Promise<PoolReplies<T>>,
    askEach: <T extends readonly unknown[]>(calls: RpcCalls<T>, signal: AbortSignal, withinMs?: number) =>
      askEach(calls, signal, withinMs) as Promise<unknown> as Promise<readonly EndpointAnswers<T>[]>,
    askBeside: async <T extends readonly unknown[]>(
      calls: RpcCalls<T>,
      signal: AbortSignal,
      withinMs: number,
    ) => {
      const ready = believed().filter((endpoint) => isKnown(endpoint) && endpoint.waitFor(1) <= 0);
      const best = ready.toSorted((a, b) => byHealth(a.record, b.record));
      return (await askBeside(best, calls, signal, withinMs)) as unknown as PoolReplies<T>;
    },
    distrust(name, reason) {
      const record = recordOf(name);
      if (!record || record.isDistrusted) return;
      record.putAside(reason);
      onFailure(name, new RetryableRpcError('contradiction', reason));
    },
    noteContradiction(name, reason) {
      const fault = new RetryableRpcError('contradiction', reason);
      recordOf(name)?.refusedCall(fault);
      if (recordOf(name)) onFailure(name, fault);
    },
    probe: (signal) =>
      Promise.all(
        configured.flatMap((variables, index) => {
          const endpoint = endpoints[index];
          return endpoint ? [probeEndpoint(endpoint, variables, timeoutMs, signal)] : [];
        }),
      ),
    pinChain(genesisHash) {
      pinned = genesisHash;
    },
    async checkIdle(signal) {
      const idle = endpoints.filter(
        (endpoint) =>
          // One that lags is looked at too: it comes back when it has caught up.
          !endpoint.record.isDistrusted &&
          now() - (checkedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) >= IDLE_AFTER_MS &&
          endpoint.waitFor(1) <= 0,
      );
      await Promise.all(
        idle.map(async (endpoint) => {
          checkedAt.set(endpoint, now());
          if (isKnown(endpoint) || (await strangeness(endpoint, signal)) === null) {
            await endpoint.ask([getSlot('confirmed')], { signal, timeoutMs, purpose: 'measure' });
          }
        }),
      );
    },
    health: () => endpoints.map(({ record, circuit }) => record.health(!circuit.isClosed)),
  };
}

function notBelieved({ record }: Endpoint): RetryableRpcError {
  return new RetryableRpcError('contradiction', `${record.name} is put aside: ${record.lastError}`);
}

/** The value of a reply. @throws the reply's error: `RpcRequestError`, or `RetryableRpcError` */
export function resultOf<T>(reply: RpcReply<T>): T {
  if (reply.ok) return reply.value;
  throw reply.error;
}
