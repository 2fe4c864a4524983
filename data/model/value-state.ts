/**
 * How far a figure can be trusted. `live`: from the chain or the market, young. `ageing`: older than two of its
 * intervals. `stale`: older than its limit. `reference`: one of the published fixed fallbacks, never live.
 * `unavailable`: not known, shown as a dash and never as zero.
 */
export type ValueState = 'live' | 'ageing' | 'stale' | 'reference' | 'unavailable';

export interface Freshness {
  /** Milliseconds between two reads of the source. */
  readonly interval: number;
  /** Milliseconds after which a value is stale. */
  readonly limit: number;
}

/** Freshness of each source: the chain is read every few hundred milliseconds to seconds, the market every ten seconds. */
export const FRESHNESS = {
  chain: { interval: 5_000, limit: 60_000 },
  market: { interval: 15_000, limit: 180_000 },
} as const satisfies Record<string, Freshness>;

/**
 * How long the last comparison of accounts and history speaks for the present: they are compared every five minutes at
 * least, and where three such times passed without a result something keeps them from it.
 */
export const RECONCILIATION_FRESHNESS: Freshness = { interval: 300_000, limit: 900_000 };

/**
 * Freshness of the count of wallets that hold BD: each minute on the embedded ledger, which is at hand; each hour on a
 * cluster, whose endpoints are asked much by it.
 */
export const HOLDER_COUNT_FRESHNESS = {
  'embedded-ledger': { interval: 60_000, limit: 360_000 },
  solana: { interval: 3_600_000, limit: 21_600_000 },
} as const satisfies Record<string, Freshness>;

/** How far (ms) a reading may lie ahead of the clock by the clocks' own differences. */
export const AHEAD_TOLERANCE = 5_000;

/** Whether a reading lies so far in the future that one of the clocks is wrong: its age is then unknown. */
export function isAgeUnknown(age: number): boolean {
  return age < -AHEAD_TOLERANCE;
}

/**
 * The state of a value read at `asOf` (Unix ms), seen at `now`. One of unknown age is stale: nothing shows that it is
 * young.
 */
export function ageState(asOf: number, now: number, freshness: Freshness): 'live' | 'ageing' | 'stale' {
  const age = now - asOf;
  if (isAgeUnknown(age) || age > freshness.limit) return 'stale';
  return age > 2 * freshness.interval ? 'ageing' : 'live';
}

/** When (Unix ms) a value read at `asOf` changes its state next after `now`, or null once it is stale for good. */
export function nextStateChange(asOf: number, now: number, freshness: Freshness): number | null {
  if (isAgeUnknown(now - asOf)) return asOf - AHEAD_TOLERANCE;
  if (ageState(asOf, now, freshness) === 'stale') return null;
  const ageing = asOf + 2 * freshness.interval + 1;
  const stale = asOf + freshness.limit + 1;
  return now < ageing ? Math.min(ageing, stale) : stale;
}
