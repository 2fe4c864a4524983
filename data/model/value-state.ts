export interface Freshness {
  /** Milliseconds between two reads of the source. */
  readonly interval: number;
  /** Milliseconds after which a value is stale. */
  readonly limit: number;
}

export const FRESHNESS = {
  chain: { interval: 5_000, limit: 60_000 },
  market: { interval: 15_000, limit: 180_000 },
} as const satisfies Record<string, Freshness>;

/**
 * Freshness of a figure that is refreshed every `interval` ms, which may be less often than its source is read. The figure is
 * stale once three refreshes in a row are missing.
 */
export function freshnessOfReads(interval: number, source: Freshness): Freshness {
  return { interval: Math.max(interval, source.interval), limit: Math.max(3 * interval, source.limit) };
}

/** How long a reconciliation is valid: until three reconciliations in a row are missing. */
export const RECONCILIATION_FRESHNESS: Freshness = { interval: 300_000, limit: 900_000 };

/**
 * How many slots apart two healthy nodes may be. An Agave node that is 128 slots behind reports itself as unhealthy
 * (`--health-check-slot-distance`, `DELINQUENT_VALIDATOR_SLOT_DISTANCE` in `rpc-client-api/src/request.rs`), and its
 * provider takes it out of rotation.
 */
export const MAX_SLOT_DISTANCE = 128;

/** Freshness of the indexer's report on its endpoints. */
export const REPORT_FRESHNESS: Freshness = { interval: 15_000, limit: 60_000 };
/** How far back (ms) the report counts requests. */
export const REQUEST_WINDOW = 300_000;
/**
 * How the indexer treats an endpoint. `active`: in use. `backoff`: it failed and pauses briefly. `distrusted`: it serves another
 * chain or contradicts the other endpoints, so its responses are ignored.
 */
export const ENDPOINT_STATES = ['active', 'backoff', 'distrusted'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/**
 * Freshness of the count of holders: every minute on the embedded ledger, every hour on a cluster, since counting takes
 * many requests.
 */
export const HOLDER_COUNT_FRESHNESS = {
  'embedded-ledger': { interval: 60_000, limit: 360_000 },
  solana: { interval: 3_600_000, limit: 21_600_000 },
} as const satisfies Record<string, Freshness>;

/**
 * How far (ms) the host's clock may be from the chain's time, in either direction. Validators keep the chain's time within
 * seconds of theirs; an endpoint that is behind by `MAX_SLOT_DISTANCE` is about a minute behind.
 */
const MAX_CLOCK_DIFFERENCE = 60_000;

/** Whether the host's clock and the newest slot's time are too far apart. @param difference host minus chain, in ms */
export function isClockOff(difference: number | null): difference is number {
  return difference !== null && Math.abs(difference) > MAX_CLOCK_DIFFERENCE;
}

/** How far in the future (ms) a reading may be, since clocks differ. */
export const AHEAD_TOLERANCE_MS = 5_000;

/** Whether a reading is so far in the future that a clock must be wrong, so that its age is unknown. */
export function isAgeUnknown(age: number): boolean {
  return age < -AHEAD_TOLERANCE_MS;
}

/** The state at `now` of a value read at `asOf` (Unix ms). A value of unknown age is stale. */
export function ageState(asOf: number, now: number, freshness: Freshness): 'live' | 'ageing' | 'stale' {
  const age = now - asOf;
  if (isAgeUnknown(age) || age > freshness.limit) return 'stale';
  return age > 2 * freshness.interval ? 'ageing' : 'live';
}

/** When (Unix ms) a value read at `asOf` next changes its state after `now`; null once it is stale. */
export function nextStateChange(asOf: number, now: number, freshness: Freshness): number | null {
  if (isAgeUnknown(now - asOf)) return asOf - AHEAD_TOLERANCE_MS;
  if (ageState(asOf, now, freshness) === 'stale') return null;
  const ageing = asOf + 2 * freshness.interval + 1;
  const stale = asOf + freshness.limit + 1;
  return now < ageing ? Math.min(ageing, stale) : stale;
}
