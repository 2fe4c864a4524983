import { REPORT_FRESHNESS } from '../../model/value-state.ts';
import type { ChainEvent, ChainSnapshot, MarketQuote } from '../chain-rows.ts';
import type { EndpointHealth, HistoryPoint, HistoryResolution, HistorySeries } from '../ports.ts';

/** Where the points come from. Made-up prices from the demo feed are never mixed with real ones. */
export const HISTORY_ORIGINS = ['chain', 'made-up', 'market'] as const;
type HistoryOrigin = (typeof HISTORY_ORIGINS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const INTERVAL_MS: Readonly<Record<HistoryResolution, number>> = {
  minute: 60_000,
  hour: HOUR_MS,
  day: DAY_MS,
};

/** How long (ms) points are kept. Daily points are never deleted. */
export const POINT_RETENTION_MS = { minute: 48 * HOUR_MS, hour: 100 * DAY_MS } as const;

/** The feed `demo` has made-up prices. */
export function originOfPrice(source: string): HistoryOrigin {
  return source === 'demo' ? 'made-up' : 'market';
}

export function intervalStart(at: number, resolution: HistoryResolution): number {
  return Math.floor(at / INTERVAL_MS[resolution]) * INTERVAL_MS[resolution];
}

/** A value to store in the current interval of every resolution, unless it repeats the previous value. */
export interface Sample {
  readonly series: HistorySeries;
  readonly origin: HistoryOrigin;
  readonly source: string | null;
  readonly value: string;
  /**
   * The previous value, if it was lower or empty and lasted into this interval. It is stored instead of `value`. Only for the
   * series `network`.
   */
  readonly lowest?: string;
}

export function snapshotSamples(
  { vaultBalance, totalStaked }: Pick<ChainSnapshot, 'vaultBalance' | 'totalStaked'>,
  stakers: number | null,
): readonly Sample[] {
  const figures = { vault: vaultBalance, staked: totalStaked, stakers };
  return (['vault', 'staked', 'stakers'] as const).flatMap((series): Sample[] => {
    const value = figures[series];
    return value === null ? [] : [{ series, origin: 'chain', source: null, value: value.toString() }];
  });
}

/** An unknown volume is stored as an empty string. If nothing were stored, the previous volume would seem to still apply. */
export function quoteSamples({ priceUsd, volume24h, source }: MarketQuote): readonly Sample[] {
  const originAndSource = { origin: originOfPrice(source), source };
  return [
    { series: 'price', ...originAndSource, value: priceUsd },
    { series: 'volume', ...originAndSource, value: volume24h ?? '' },
  ];
}

export interface EndpointReport {
  readonly endpoints: readonly Pick<EndpointHealth, 'active'>[];
  readonly reportedAt: number;
}

/**
 * The share of endpoints that answer, as text; empty if there are no endpoints. The text has a fixed width, so that it sorts like
 * the number. The share is rounded down, so that it is 1 only if all endpoints answer.
 */
function activeShare({ endpoints }: EndpointReport): string {
  const activeCount = endpoints.filter((endpoint) => endpoint.active).length;
  if (endpoints.length === 0) return '';
  return (Math.floor((activeCount / endpoints.length) * 1_000) / 1_000).toFixed(3);
}

/**
 * The samples to store for a report on the endpoints. The previous state lasted into the interval of this report, so the interval
 * gets the worse of the two states. If the indexer was silent for too long, an empty sample comes first, at the time when the
 * previous report became stale.
 * @param at the time of the report by the host's clock, or the time of the stored snapshot if that is later
 */
export function reportSamples(
  report: EndpointReport,
  previous: EndpointReport | null,
  at: number,
): readonly { readonly at: number; readonly sample: Sample }[] {
  const silentMs = previous ? report.reportedAt - previous.reportedAt - REPORT_FRESHNESS.limitMs : 0;
  const isAfterSilence = silentMs > 0;
  const value = activeShare(report);
  const valueBefore = isAfterSilence ? '' : activeShare(previous ?? report);
  const series = { series: 'network', origin: 'chain', source: null } as const;
  const sample = { ...series, value, ...(valueBefore < value && { lowest: valueBefore }) };
  return [
    ...(isAfterSilence ? [{ at: at - silentMs, sample: { ...series, value: '' } }] : []),
    { at, sample },
  ];
}

/**
 * The resolutions that are backfilled. Points for single minutes are deleted after two days, so backfilling them is not
 * worthwhile.
 */
export const FILLED_RESOLUTIONS = ['hour', 'day'] as const satisfies readonly HistoryResolution[];

type SeriesValue = bigint | number | string;

/** Collects the points of a series before its first sample. Values are added oldest first. */
export class PastPoints {
  readonly #firstSampleAt: number;
  readonly #points = { hour: new Map<number, string>(), day: new Map<number, string>() };
  /** The newest hourly point from before the retention period. It provides the value at the start of that period. */
  #hourBefore: HistoryPoint | null = null;
  #last: { readonly at: number; readonly value: SeriesValue } | null = null;

  constructor(firstSampleAt: number) {
    this.#firstSampleAt = firstSampleAt;
  }

  /** Adds a value that is valid from `at` on. */
  add(at: number, value: SeriesValue): void {
    const last = this.#last;
    if (last !== null && intervalStart(last.at, 'hour') !== intervalStart(at, 'hour')) this.#keep(last);
    this.#last = { at, value };
  }

  #keep({ at, value }: { readonly at: number; readonly value: SeriesValue }): void {
    const text = String(value);
    for (const resolution of FILLED_RESOLUTIONS) {
      const interval = intervalStart(at, resolution);
      if (interval >= intervalStart(this.#firstSampleAt, resolution)) continue;
      if (resolution === 'hour' && interval < this.#firstSampleAt - POINT_RETENTION_MS.hour) {
        this.#hourBefore = { at: interval, value: text };
      } else this.#points[resolution].set(interval, text);
    }
  }

  /** Oldest first, without repeated values. */
  pointsOf(resolution: (typeof FILLED_RESOLUTIONS)[number]): HistoryPoint[] {
    if (this.#last !== null) this.#keep(this.#last);
    this.#last = null;
    const points = [...this.#points[resolution]].map(([at, value]) => ({ at, value }));
    if (resolution === 'hour' && this.#hourBefore) points.unshift(this.#hourBefore);
    return points.filter(({ value }, index) => value !== points[index - 1]?.value);
  }
}

/** @param prices in any order */
export function pastPricePoints(firstQuoteAt: number, prices: readonly HistoryPoint[]): PastPoints {
  const past = new PastPoints(firstQuoteAt);
  for (const { at, value } of prices.toSorted((one, other) => one.at - other.at)) past.add(at, value);
  return past;
}

/**
 * Counts stakers from the pool's events, which are added oldest first. A wallet is a staker while it has staked more than it has
 * got back. When a stake entry ends, the amount counts as returned to the wallet that opened the entry.
 */
export class StakerCounter {
  readonly #staked = new Map<string, bigint>();
  readonly #openers = new Map<string, string>();
  #count = 0;
  #isKnown = true;

  /** The number of stakers; null once a stake or unstake names neither a wallet nor a stake entry. */
  get count(): number | null {
    return this.#isKnown ? this.#count : null;
  }

  add({
    kind,
    wallet,
    delta,
    stakeEntry,
  }: Pick<ChainEvent, 'kind' | 'wallet' | 'delta' | 'stakeEntry'>): void {
    if (kind !== 'stake' && kind !== 'unstake') return;
    const opener = stakeEntry === null || kind === 'stake' ? undefined : this.#openers.get(stakeEntry);
    const staker = opener ?? wallet ?? stakeEntry;
    if (staker === null) {
      this.#isKnown = false;
      return;
    }
    if (stakeEntry !== null) {
      if (kind === 'stake') this.#openers.set(stakeEntry, staker);
      else this.#openers.delete(stakeEntry);
    }
    const before = this.#staked.get(staker) ?? 0n;
    const after = before + delta;
    if (after === 0n) this.#staked.delete(staker);
    else this.#staked.set(staker, after);
    this.#count += Number(after > 0n) - Number(before > 0n);
  }
}
