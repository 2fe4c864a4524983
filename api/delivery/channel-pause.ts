import type { PauseReason } from './send-outcome.ts';

/** Milliseconds before a channel that is not there is tried again: at first, and at most. */
const FIRST_PROBE = 5_000;
const LONGEST_PROBE = 300_000;
/** Milliseconds before credentials that were refused are tried again: only the operator can mend them. */
const REFUSED_PROBE = 600_000;
const BUSY_PROBE = 30_000;

/** How long the channel rests before the next try, by how often it failed in a row (from 1 on). Milliseconds. */
function rest(reason: PauseReason, failures: number, random: number): number {
  if (reason === 'refused') return REFUSED_PROBE;
  if (reason === 'busy') return BUSY_PROBE;
  const longest = Math.min(LONGEST_PROBE, FIRST_PROBE * 2 ** (failures - 1));
  return longest / 2 + (longest / 2) * random;
}

/**
 * Whether a channel may be used. A paused one keeps its messages as they are and lets one through now and then; the
 * first that arrives ends the pause.
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

  /** When the next message may be let through, Unix ms; 0 where nothing is paused. */
  get until(): number {
    return this.#reason === null ? 0 : this.#until;
  }

  /** How many messages may be under way at this moment (Unix ms), of those that could be. */
  room(now: number, atMost: number): number {
    if (this.#reason === null) return atMost;
    return now >= this.#until ? Math.min(1, atMost) : 0;
  }

  /** @param retryAfterMs what the peer asked for itself */
  pause(reason: PauseReason, now: number, retryAfterMs?: number): void {
    // Several under way at once meet the same fault: it is one.
    if (now >= this.until) this.#failures += 1;
    this.#reason = reason;
    const until = now + (retryAfterMs ?? rest(reason, this.#failures, this.#random()));
    this.#until = Math.max(this.#until, until);
  }

  end(): void {
    this.#reason = null;
    this.#failures = 0;
  }
}
