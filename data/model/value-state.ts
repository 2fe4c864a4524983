export interface Freshness {
  /** Milliseconds between two reads of the source. */
  readonly intervalMs: number;
  /** Milliseconds after which a value is stale. */
  readonly limitMs: number;
}

export const FRESHNESS = {
  chain: { intervalMs: 5_000, limitMs: 60_000 },
  market: { intervalMs: 15_000, limitMs: 180_000 },
} as const satisfies Record<string, Freshness>;

/**
 * Freshness of a value that is refreshed every `intervalMs`, even if its source is read more often. The value is stale after
 * three missed refreshes, but never before its source is stale.
 */
export function freshnessOfReads(intervalMs: number, source: Freshness): Freshness {
  return {
    intervalMs: Math.max(intervalMs, source.intervalMs),
    limitMs: Math.max(3 * intervalMs, source.limitMs),
  };
}

/**
 * Freshness of a reconciliation, which compares the accounts on the chain with the indexed events. Stale after three missed ones.
 */
export const RECONCILIATION_FRESHNESS: Freshness = { intervalMs: 300_000, limitMs: 900_000 };

/**
 * How many slots apart two healthy nodes may be. An Agave node that is 128 slots behind reports itself as unhealthy
 * (`--health-check-slot-distance`, `DELINQUENT_VALIDATOR_SLOT_DISTANCE` in `rpc-client-api/src/request.rs`), and its
 * provider takes it out of rotation.
 */
export const MAX_SLOT_DISTANCE = 128;

/**
 * How far (ms) the indexed events may be behind the accounts' balances. Usually the events follow within seconds. A round of
 * reads takes less than two minutes, even if every request nearly times out (15 seconds).
 */
export const MAX_HISTORY_LAG_MS = 300_000;

/** Freshness of the indexer's report on its endpoints. */
export const REPORT_FRESHNESS: Freshness = { intervalMs: 15_000, limitMs: 60_000 };
/** How far back (ms) the report counts requests. */
export const REQUEST_WINDOW_MS = 300_000;
/**
 * How the indexer treats an endpoint. `active`: in use. `backoff`: it failed and is skipped for a short time. `distrusted`: it
 * serves another chain or contradicts the other endpoints, so its responses are ignored.
 */
export const ENDPOINT_STATES = ['active', 'backoff', 'distrusted'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/**
 * Freshness of the count of holders: every minute on the embedded ledger, every hour on a cluster, because counting takes many
 * requests.
 */
export const HOLDER_COUNT_FRESHNESS = {
  'embedded-ledger': { intervalMs: 60_000, limitMs: 360_000 },
  solana: { intervalMs: 3_600_000, limitMs: 21_600_000 },
} as const satisfies Record<string, Freshness>;

/**
 * How much (ms) the host's clock may differ from the chain's time, in either direction. Validators keep the chain's time within
 * seconds of their own clocks. An endpoint that is `MAX_SLOT_DISTANCE` slots behind is about a minute behind.
 */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Whether the host's clock and the newest slot's time are too far apart. @param differenceMs host minus chain, in ms */
export function isClockOff(differenceMs: number | null): differenceMs is number {
  return differenceMs !== null && Math.abs(differenceMs) > MAX_CLOCK_DIFFERENCE_MS;
}

/** How far in the future (ms) a value's time may be. This allows for small differences between clocks. */
export const AHEAD_TOLERANCE_MS = 5_000;

/** Whether the time of a value is so far in the future that a clock must be wrong. The value's age is then unknown. */
export function isAgeUnknown(ageMs: number): boolean {
  return ageMs < -AHEAD_TOLERANCE_MS;
}

/** The state at `now` of a value read at `asOf` (Unix ms). A value of unknown age is stale. */
export function ageState(asOf: number, now: number, freshness: Freshness): 'live' | 'ageing' | 'stale' {
  const ageMs = now - asOf;
  if (isAgeUnknown(ageMs) || ageMs > freshness.limitMs) return 'stale';
  return ageMs > 2 * freshness.intervalMs ? 'ageing' : 'live';
}

/** The time (Unix ms) of the next state change after `now` for a value read at `asOf`; null if the value stays stale. */
export function nextStateChange(asOf: number, now: number, freshness: Freshness): number | null {
  if (isAgeUnknown(now - asOf)) return asOf - AHEAD_TOLERANCE_MS;
  if (ageState(asOf, now, freshness) === 'stale') return null;
  const ageingAt = asOf + 2 * freshness.intervalMs + 1;
  const staleAt = asOf + freshness.limitMs + 1;
  return now < ageingAt ? Math.min(ageingAt, staleAt) : staleAt;
}
