import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhenResult,
} from 'cockatiel';
import { backoffDelayMs } from '../pause.ts';
import { isRecord } from './json-shape.ts';
import { type BatchRejection, RetryableRpcError } from './rpc-errors.ts';

/**
 * Counts events within a sliding window, in constant memory.
 * @param options.windowMs how far back it counts
 * @param options.buckets the window's resolution: counts expire a bucket at a time
 * @param options.now milliseconds of a monotonic clock
 */
export function createSlidingCounter(options: {
  readonly windowMs: number;
  readonly buckets: number;
  readonly now: () => number;
}) {
  const { windowMs, buckets, now } = options;
  const counts = new Array<number>(buckets).fill(0);
  const bucketMs = windowMs / buckets;
  let newest = Math.floor(now() / bucketMs);

  const expire = (): void => {
    const current = Math.floor(now() / bucketMs);
    for (let bucket = Math.max(newest + 1, current - buckets + 1); bucket <= current; bucket += 1) {
      counts[bucket % buckets] = 0;
    }
    newest = current;
  };

  return {
    add(amount = 1): void {
      expire();
      const at = newest % buckets;
      counts[at] = (counts[at] ?? 0) + amount;
    },
    total(): number {
      expire();
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

const DECREASE_FACTOR = 0.5;
/** Each second, the rate grows by this share of the threshold, or by the minimum (calls per second) if that is more. */
const INCREASE_SHARE = 0.01;
const MIN_INCREASE = 0.1;
/**
 * The lowest rate in calls per second. Solana's public endpoints allow this rate for each method (40 in 10 seconds,
 * solana.com/docs/references/clusters). If an endpoint rejects even this rate, only the backoff slows requests down.
 */
const MIN_RATE = 4;
/** Enough doublings to exceed the rate that any endpoint serves. */
const MAX_DOUBLINGS = 30;
/** The size of the token bucket, in seconds at the current rate. */
const BURST_SECONDS = 0.25;
/** The share of the highest served rate that is remembered after a rejection. */
const REMEMBERED_SHARE = 0.8;

interface Limit {
  /** Calls per second just after the rejection. */
  readonly rate: number;
  /** The rate above which growth is slow. Infinite if no served rate is known. */
  readonly threshold: number;
  readonly setAt: number;
}

/**
 * Limits calls per second. If the maximum is unknown, there is no limit at first. The first rejection sets a limit of half
 * the rate in the last second. Then the limit grows by a constant amount per second: additive increase, multiplicative
 * decrease (Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer Networks",
 * 1989), as in the adaptive retry mode of the AWS SDKs. Below half the rate that the endpoint has served, the limit
 * doubles each second, like TCP's slow start (RFC 5681 §3.1). Like providers, it counts calls, not requests.
 *
 * @param now milliseconds of a monotonic clock
 * @param max calls per second that the provider is known to allow
 */
export function createRateLimit(now: () => number, max = Number.POSITIVE_INFINITY) {
  const window = { windowMs: 1_000, buckets: 10, now };
  const sentCounter = createSlidingCounter(window);
  const servedCounter = createSlidingCounter(window);
  let highestServed = 0;
  let hasServedSinceRejection = false;
  let limit: Limit | null =
    max < Number.POSITIVE_INFINITY ? { rate: max, threshold: max, setAt: now() } : null;
  let tokens = 0;
  let filledAt = now();

  const grownRate = ({ rate, threshold, setAt }: Limit): number => {
    const seconds = (now() - setAt) / 1_000;
    const doublings = Math.min(MAX_DOUBLINGS, Math.max(0, Math.log2(threshold / rate)));
    const raisedRate = rate * 2 ** Math.min(seconds, doublings);
    if (seconds <= doublings || threshold === Number.POSITIVE_INFINITY) return raisedRate;
    return raisedRate + Math.max(MIN_INCREASE, INCREASE_SHARE * threshold) * (seconds - doublings);
  };
  const currentRate = (): number => Math.min(max, limit === null ? max : grownRate(limit));
  const burstSize = (): number => Math.max(1, Math.floor(currentRate() * BURST_SECONDS));
  const fill = (): void => {
    const moment = now();
    tokens = Math.min(burstSize(), tokens + (currentRate() * (moment - filledAt)) / 1_000);
    filledAt = moment;
  };

  /** Milliseconds until some of the calls are allowed. */
  const waitMs = (calls: number): number => {
    if (limit === null) return 0;
    fill();
    const missing = Math.min(calls, burstSize()) - tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / currentRate()) * 1_000);
  };

  return {
    waitMs,
    /** How many of the calls may be sent together now. */
    allowedCalls(calls: number): number {
      if (limit === null) return calls;
      return waitMs(calls) > 0 ? 0 : Math.min(calls, burstSize());
    },
    noteSent(calls: number): void {
      sentCounter.add(calls);
      if (limit === null) return;
      fill();
      tokens -= calls;
    },
    noteServed(calls: number): void {
      servedCounter.add(calls);
      highestServed = Math.max(highestServed, servedCounter.total());
      hasServedSinceRejection = true;
    },
    noteRejected(sentAt: number): void {
      // Concurrent requests are rejected together, so only the first rejection lowers the limit.
      if (limit !== null && sentAt < limit.setAt) return;
      const rejectedRate = Math.min(Math.max(1, sentCounter.total()), currentRate());
      let threshold = limit?.threshold ?? Number.POSITIVE_INFINITY;
      if (hasServedSinceRejection) {
        threshold = Math.max(MIN_RATE, DECREASE_FACTOR * Math.max(rejectedRate, highestServed));
        highestServed *= REMEMBERED_SHARE;
      }
      hasServedSinceRejection = false;
      limit = { rate: Math.max(MIN_RATE, DECREASE_FACTOR * rejectedRate), threshold, setAt: now() };
      tokens = 0;
      filledAt = limit.setAt;
    },
    /** Calls per second; null if there is no limit. */
    limit: (): number | null => (limit === null ? null : currentRate()),
  };
}

const GROWS_AFTER_MS = 60_000;
/** Rejections less than this many milliseconds apart are attributed to one request that is resent in smaller parts. */
const MAX_SERIES_GAP_MS = 5_000;
/**
 * How long (ms) an endpoint gets only single calls after it has refused JSON arrays: at first, and at most. Each further
 * refusal doubles the time.
 */
const FIRST_WITHOUT_ARRAYS_MS = 5 * 60_000;
const MAX_WITHOUT_ARRAYS_MS = 60 * 60_000;

/**
 * Limits calls per request. Each provider caps batches at a different size and with a different error. There is no limit
 * until a whole batch is rejected. The limit is then half the size of that batch, and doubles after each minute without a
 * rejection, because the size may not have been the reason.
 *
 * An endpoint that refuses arrays gets single calls, and another array after some minutes. If it refuses a single call in the
 * same way, the array was not the reason.
 *
 * @param now milliseconds of a monotonic clock
 */
export function createBatchLimit(now: () => number) {
  let max = Number.POSITIVE_INFINITY;
  let rejectedAt = Number.NEGATIVE_INFINITY;
  let maxBeforeSeries = max;
  let singleUntil = Number.NEGATIVE_INFINITY;
  let timesRefused = 0;
  /** Whether a single call has been answered since arrays were last refused. */
  let isSingleServed = false;
  /** Whether the last array was answered. If so, one rejection may be a temporary failure, but two in a row are not. */
  let isArrayServed = false;
  const limit = (): number => max * 2 ** Math.floor((now() - rejectedAt) / GROWS_AFTER_MS);
  return {
    /** How many of the calls may be sent in one request: at least one. */
    allowedCalls: (calls: number): number => Math.min(calls, now() < singleUntil ? 1 : limit()),
    noteServed(calls: number): void {
      if (calls === 1) {
        isSingleServed = true;
        return;
      }
      isArrayServed = true;
      timesRefused = 0;
    },
    /** @returns whether the endpoint may accept fewer calls in one request */
    noteRejected(calls: number, rejection: BatchRejection): boolean {
      if (calls === 1) {
        // The size or form of the batch was not the reason, so the previous limit is restored.
        if (rejection === 'size') max = maxBeforeSeries;
        else if (!isSingleServed) singleUntil = Number.NEGATIVE_INFINITY;
        return false;
      }
      if (rejection === 'arrays') {
        const isTemporary = isArrayServed;
        isArrayServed = false;
        if (isTemporary) return false;
        if (now() < singleUntil) return true;
        const waitMs = Math.min(MAX_WITHOUT_ARRAYS_MS, FIRST_WITHOUT_ARRAYS_MS * 2 ** timesRefused);
        timesRefused = Math.min(timesRefused + 1, 10);
        singleUntil = now() + waitMs;
        isSingleServed = false;
        return true;
      }
      if (now() - rejectedAt >= MAX_SERIES_GAP_MS)
        maxBeforeSeries = max === Number.POSITIVE_INFINITY ? max : limit();
      // Concurrent requests are rejected together, so the limit is not halved for each of them.
      max = Math.min(limit(), Math.max(1, Math.floor(calls / 2)));
      rejectedAt = now();
      return true;
    },
  };
}

/** `failure` is set if the whole request failed, not only some of its calls. */
export interface RequestOutcome {
  readonly failure: RetryableRpcError | null;
}

/**
 * An endpoint's circuit breaker. It opens for a jittered time when a whole request fails. The time grows with each failure in
 * a row, and is at least as long as the server requires. After that, one request decides whether the circuit breaker closes.
 *
 * @param clock.now milliseconds of a monotonic clock
 */
export function createEndpointCircuit({
  now,
  random,
}: {
  readonly now: () => number;
  readonly random: () => number;
}) {
  let notBefore = Number.NEGATIVE_INFINITY;
  const backOffFor = (milliseconds: number): void => {
    notBefore = Math.max(notBefore, now() + milliseconds);
  };
  const policy = circuitBreaker(
    handleWhenResult((outcome) => isRecord(outcome) && outcome.failure instanceof RetryableRpcError),
    {
      breaker: new ConsecutiveBreaker(1),
      halfOpenAfter: new DelegateBackoff(({ attempt }) => {
        backOffFor(backoffDelayMs(attempt, random));
        // The policy uses the system clock, which may be set back by hours. So `notBefore` determines the wait, and the
        // policy itself never waits.
        return Number.NEGATIVE_INFINITY;
      }),
    },
  );
  return {
    /** Milliseconds until a request may be sent. Infinite while another request tests whether the endpoint has recovered. */
    waitMs: (): number =>
      policy.state === CircuitState.HalfOpen ? Number.POSITIVE_INFINITY : Math.max(0, notBefore - now()),
    get isClosed(): boolean {
      return policy.state === CircuitState.Closed;
    },
    /** Sends a request without waiting and records its outcome. */
    async run<T extends RequestOutcome>(request: () => Promise<T>): Promise<T> {
      // While the circuit breaker is half-open, `policy.execute` would wait for the outcome of another request, the probe, and
      // ignore this request's abort signal. So this request bypasses the policy.
      const outcome =
        policy.state === CircuitState.HalfOpen ? await request() : await policy.execute(request);
      if (outcome.failure?.retryAfterMs) backOffFor(outcome.failure.retryAfterMs);
      return outcome;
    },
    onChange: (listener: () => void): void => void policy.onStateChange(listener),
  };
}
