import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import { groupWhole } from '../../../data/model/count.ts';
import { toCsv } from '../../../data/model/csv.ts';
import { formatFull, formatPrice, priceDecimals } from '../../../data/model/format.ts';
import type { HistoryBody } from '../../data/history-query.ts';
import type { ChartPoint } from './chart-line.ts';

/** How a series is told. */
export interface SeriesWords {
  readonly title: string;
  readonly prefix: string;
  readonly unit: string;
  /** The name of its column in a file. */
  readonly column: string;
  /** Whether its values are counts, which have no fractions. */
  readonly isCount: boolean;
}

export const SERIES_WORDS: Readonly<Record<ChartSeries, SeriesWords>> = {
  vault: { title: 'Vault balance', prefix: '', unit: 'BD', column: 'vault_bd', isCount: false },
  staked: { title: 'Total staked', prefix: '', unit: 'BD', column: 'staked_bd', isCount: false },
  stakers: { title: 'Active stakers', prefix: '', unit: 'wallets', column: 'stakers', isCount: true },
  price: { title: 'BD price', prefix: '$', unit: 'USD', column: 'price_usd', isCount: false },
};

export const RANGE_WORDS: Readonly<Record<ChartRange, string>> = {
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  all: 'All',
};

export const RESOLUTION_WORDS: Readonly<Record<HistoryBody['resolution'], string>> = {
  minute: 'By the minute',
  hour: 'By the hour',
  day: 'By the day',
};

/** Decimals of a price on a chart: two more than elsewhere, since small moves are what a chart is for. */
function chartPrice(text: string): string {
  return formatPrice(text, Math.min(priceDecimals(text) + 2, 8));
}

/** A value as it is read on the chart, without unit. */
export function valueWords(series: ChartSeries, text: string): string {
  if (series === 'price') return chartPrice(text);
  return series === 'stakers' ? groupWhole(text) : formatFull(text);
}

/** A value in full, to its last decimal, without unit. */
export function exactWords(text: string): string {
  return groupWhole(text);
}

/** The points of a series as a file, oldest first: moments in ISO 8601 (UTC), values exact, nothing where none is known. */
export function chartCsv(series: ChartSeries, points: readonly ChartPoint[]): string {
  const rows = points.map(({ at, text }) => [new Date(at).toISOString(), text]);
  return toCsv(['since_utc', SERIES_WORDS[series].column], rows);
}

/** The name of such a file, made on the day of `now` (Unix ms). */
export function csvName(series: ChartSeries, range: ChartRange, now: number): string {
  return `blackduck-${series}-${range}-${new Date(now).toISOString().slice(0, 10)}.csv`;
}
