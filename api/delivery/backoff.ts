import type { PauseReason } from './send-outcome.ts';

/** The maximum wait in milliseconds after the first attempt. It grows by a factor with each attempt, up to a limit. */
const FIRST_WAIT_MS = 5_000;
const GROWTH = 3;
const MAX_WAIT_MS = 6 * 3_600_000;

/** A message fails after this many counted attempts, which take at most a day and on average half a day. */
export const MAX_ATTEMPTS = 12;

/** The maximum wait in milliseconds after this many attempts. @param attempts at least 1 */
export function maxWaitMs(attempts: number): number {
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * GROWTH ** (Math.max(1, attempts) - 1));
}

/**
 * The wait in milliseconds after this many attempts. It is random up to the maximum ("full jitter"), so that messages that
 * failed together are not retried together.
 * @param random at least 0 and less than 1
 */
export function retryWaitMs(attempts: number, random: number): number {
  return Math.floor(maxWaitMs(attempts) * random);
}

/** The maximum wait in milliseconds before an unreachable channel is probed. It doubles with each failure, up to a limit. */
const FIRST_PROBE_WAIT_MS = 5_000;
const MAX_PROBE_WAIT_MS = 300_000;
/** Milliseconds before rejected credentials are retried. An operator has to fix them first. */
const REFUSED_PROBE_WAIT_MS = 600_000;
const BUSY_PROBE_WAIT_MS = 30_000;

/** Milliseconds before the next probe. @param failures consecutive failures, at least 1 */
function probeWaitMs(reason: PauseReason, failures: number, random: number): number {
  if (reason === 'refused') return REFUSED_PROBE_WAIT_MS;
  if (reason === 'busy') return BUSY_PROBE_WAIT_MS;
  const maxMs = Math.min(MAX_PROBE_WAIT_MS, FIRST_PROBE_WAIT_MS * 2 ** (failures - 1));
  return maxMs / 2 + (maxMs / 2) * random;
}

/**
 * During a pause, one message at a time probes the channel. A probe that finds the channel still unusable does not count as an
 * attempt. The pause ends once a probe is delivered, or fails because of the message and not the channel.
 */
export class ChannelPause {
  #reason: PauseReason | null = null;
  #until = 0;
  #failures = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  get reason(): PauseReason | null {
    return this.#reason;
  }

  /** When the next probe is allowed, by the monotonic clock; 0 if the channel is not paused. */
  get until(): number {
    return this.#reason === null ? 0 : this.#until;
  }

  /** How many messages may be in flight at `now` (monotonic ms), at most `limit`. */
  capacity(now: number, limit: number): number {
    if (this.#reason === null) return limit;
    return now >= this.#until ? Math.min(1, limit) : 0;
  }

  /** @param now monotonic ms @param retryAfterMs the wait that the peer requested */
  pause(reason: PauseReason, now: number, retryAfterMs?: number): void {
    // Messages in flight that fail together count as one failure.
    if (now >= this.until) this.#failures += 1;
    this.#reason = reason;
    const until = now + (retryAfterMs ?? probeWaitMs(reason, this.#failures, this.#random()));
    this.#until = Math.max(this.#until, until);
  }

  end(): void {
    this.#reason = null;
    this.#failures = 0;
  }
}
