import { createSlidingCount } from './sliding-count.ts';

/**
 * How many calls an endpoint may be sent, learnt from what it refuses. There is no limit until it refuses for the first
 * time. A refusal halves the rate that was refused, measured over the last second; from there the rate grows back by a
 * constant amount a second: additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the Increase and
 * Decrease Algorithms for Congestion Avoidance in Computer Networks", 1989), on the send rate as in the adaptive retry
 * mode of the AWS SDKs. Below half of what the endpoint is known to serve, the rate doubles each second, as TCP's slow
 * start does up to its threshold (RFC 5681 §3.1): an endpoint that refuses everything for a while tells nothing of the
 * rate that it serves afterwards. A token bucket keeps to the rate. Calls are counted and not requests, as providers
 * count the calls of a batch.
 */
export interface CallRate {
  /** How many of so many calls may be sent together now: all, a part, or none. */
  allowed(calls: number): number;
  /** Milliseconds until `allowed` is more than none; 0 where it is. */
  waitFor(calls: number): number;
  /** So many calls are sent, allowed or not. */
  sent(calls: number): void;
  /** So many calls came back, and not for their rate. */
  served(calls: number): void;
  /** The endpoint refused a request of that moment for its rate. */
  refused(sentAt: number): void;
  /** Calls a second; null where there is no limit. */
  limit(): number | null;
}

const DECREASE = 0.5;
/** What the rate grows by in a second: a part of the threshold, but calls enough to get on from a very low one. */
const INCREASE = 0.01;
const LEAST_INCREASE = 0.1;
/**
 * Calls a second below which the rate does not fall: what Solana's public endpoints allow of one method (40 in 10
 * seconds, solana.com/docs/references/clusters). One that refuses even these rests longer and longer.
 */
const LEAST_RATE = 4;
/** Doublings at most: more than any endpoint serves. */
const MOST_DOUBLINGS = 30;
/** Seconds of the rate that the bucket holds. */
const BURST_S = 0.25;
/** What is kept of the highest rate served when calls are refused although some were served: it may be gone. */
const SERVED_KEPT = 0.8;

interface Limit {
  /** Calls a second just after the refusal. */
  readonly rate: number;
  /** The rate from which on it grows slowly; infinite where nothing is known of what is served. */
  readonly threshold: number;
  readonly at: number;
}

/** @param now milliseconds of a clock that never steps back */
export function createCallRate(now: () => number): CallRate {
  const window = { windowMs: 1_000, buckets: 10, now };
  const sentLately = createSlidingCount(window);
  const servedLately = createSlidingCount(window);
  let highestServed = 0;
  let isServing = false;
  let limit: Limit | null = null;
  let tokens = 0;
  let filledAt = 0;

  const rate = (): number => {
    if (limit === null) return Number.POSITIVE_INFINITY;
    const { threshold, at } = limit;
    const seconds = (now() - at) / 1_000;
    const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, Math.log2(threshold / limit.rate)));
    const reached = limit.rate * 2 ** Math.min(seconds, doublings);
    if (seconds <= doublings || threshold === Number.POSITIVE_INFINITY) return reached;
    return reached + Math.max(LEAST_INCREASE, INCREASE * threshold) * (seconds - doublings);
  };
  const burst = (): number => Math.max(1, Math.floor(rate() * BURST_S));
  const fill = (): void => {
    const moment = now();
    tokens = Math.min(burst(), tokens + (rate() * (moment - filledAt)) / 1_000);
    filledAt = moment;
  };

  const waitFor = (calls: number): number => {
    if (limit === null) return 0;
    fill();
    const missing = Math.min(calls, burst()) - tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / rate()) * 1_000);
  };

  return {
    allowed(calls) {
      if (limit === null) return calls;
      return waitFor(calls) > 0 ? 0 : Math.min(calls, burst());
    },
    waitFor,
    sent(calls) {
      sentLately.add(calls);
      if (limit === null) return;
      fill();
      tokens -= calls;
    },
    served(calls) {
      servedLately.add(calls);
      highestServed = Math.max(highestServed, servedLately.total());
      isServing = true;
    },
    refused(sentAt) {
      // Requests that were under way together are refused together, and say the same thing once.
      if (limit !== null && sentAt < limit.at) return;
      const refused = Math.min(Math.max(1, sentLately.total()), rate());
      let threshold = limit?.threshold ?? Number.POSITIVE_INFINITY;
      if (isServing) {
        threshold = Math.max(LEAST_RATE, DECREASE * Math.max(refused, highestServed));
        highestServed *= SERVED_KEPT;
      }
      isServing = false;
      limit = { rate: Math.max(LEAST_RATE, DECREASE * refused), threshold, at: now() };
      tokens = 0;
      filledAt = limit.at;
    },
    limit: () => (limit === null ? null : rate()),
  };
}
