import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import { groupDecimalText } from '../../../data/model/count.ts';
import { toCsv } from '../../../data/model/csv.ts';
import { formatFull, formatPrice, priceDecimals } from '../../../data/model/format.ts';
import type { HistoryBody } from './chart-data.ts';
import type { ChartPoint } from './chart-line.ts';

/** The labels of a series. */
interface SeriesTexts {
  readonly title: string;
  readonly prefix: string;
  readonly unit: string;
  /** The name of its CSV column. */
  readonly column: string;
  /** Whether its values are whole numbers. */
  readonly isCount: boolean;
}

export const SERIES_LABELS: Readonly<Record<ChartSeries, SeriesTexts>> = {
  vault: { title: 'Vault balance', prefix: '', unit: 'BD', column: 'vault_bd', isCount: false },
  staked: { title: 'Total staked', prefix: '', unit: 'BD', column: 'staked_bd', isCount: false },
  stakers: { title: 'Active stakers', prefix: '', unit: 'wallets', column: 'stakers', isCount: true },
  price: { title: 'BD price', prefix: '$', unit: 'USD', column: 'price_usd', isCount: false },
};

export const RANGE_LABELS: Readonly<Record<ChartRange, string>> = {
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  all: 'All',
};

export const RESOLUTION_LABELS: Readonly<Record<HistoryBody['resolution'], string>> = {
  minute: 'Per minute',
  hour: 'Hourly',
  day: 'Daily',
};

/** A price with two more decimals than on other screens, because a chart shows small moves. */
function chartPrice(text: string): string {
  return formatPrice(text, Math.min(priceDecimals(text) + 2, 8));
}

/** A value as the chart's cursor shows it, without unit. */
export function valueText(series: ChartSeries, text: string): string {
  if (series === 'price') return chartPrice(text);
  return series === 'stakers' ? groupDecimalText(text) : formatFull(text);
}

/** A value with all its decimals, without unit. */
export function exactText(text: string): string {
  return groupDecimalText(text);
}

/** The points of a series as CSV, oldest first: ISO 8601 times (UTC), exact values, empty if unknown. */
export function chartCsv(series: ChartSeries, points: readonly ChartPoint[]): string {
  const rows = points.map(({ at, text }) => [new Date(at).toISOString(), text]);
  return toCsv(['since_utc', SERIES_LABELS[series].column], rows);
}

/** The name of a CSV file made at `now` (Unix ms). */
export function csvName(series: ChartSeries, range: ChartRange, now: number): string {
  return `blackduck-${series}-${range}-${new Date(now).toISOString().slice(0, 10)}.csv`;
}
