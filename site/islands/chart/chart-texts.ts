import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import { toCsv } from '../../../data/model/csv.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { formatFull, formatPrice, priceDecimals } from '../../../data/model/format.ts';
import { chartMomentText } from './axes.ts';
import type { HistoryBody } from './chart-data.ts';
import { type ChartLine, type ChartPoint, pointAt } from './chart-line.ts';

interface SeriesTexts {
  readonly title: string;
  readonly prefix: string;
  readonly unit: string;
  /** The column name in the CSV file. */
  readonly column: string;
  /** Whether the values are whole numbers. */
  readonly isCount: boolean;
}

export type PlottedSeries = ChartSeries | 'stake';

export const SERIES_LABELS: Readonly<Record<PlottedSeries, SeriesTexts>> = {
  vault: { title: 'Vault balance', prefix: '', unit: 'BD', column: 'vault_bd', isCount: false },
  staked: { title: 'Total staked', prefix: '', unit: 'BD', column: 'staked_bd', isCount: false },
  stake: { title: 'Stake over time', prefix: '', unit: 'BD', column: 'staked_bd', isCount: false },
  stakers: { title: 'Active stakers', prefix: '', unit: 'wallets', column: 'stakers', isCount: true },
  volume: { title: '24 h volume', prefix: '$', unit: 'USD', column: 'volume_24h_usd', isCount: false },
  network: {
    title: 'Network health',
    prefix: '',
    unit: '% of endpoints responding',
    column: 'endpoints_answering_percent',
    isCount: false,
  },
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

/** The text for a value, without the currency sign and the unit. */
export function valueText(series: PlottedSeries, text: string): string {
  // A chart shows small changes in the price, so its prices have two more decimals than those on other screens.
  if (series === 'price') return formatPrice(text, Math.min(priceDecimals(text) + 2, 8));
  return series === 'stakers' || series === 'network' ? groupDecimalText(text) : formatFull(text);
}

/** The text for a value, with the currency sign but without the unit. */
export const seriesText = (series: PlottedSeries, text: string | null): string =>
  text === null ? 'Not available' : `${SERIES_LABELS[series].prefix}${valueText(series, text)}`;

/** The points of a series as CSV, oldest first, with ISO 8601 times (UTC) and exact values. Unknown values are empty. */
export function chartCsv(series: PlottedSeries, points: readonly ChartPoint[], volume?: ChartLine): string {
  const volumeCells = (at: number) => (volume ? [pointAt(volume, at)?.text ?? null] : []);
  const rows = points.map(({ at, text }) => [new Date(at).toISOString(), text, ...volumeCells(at)]);
  const volumeColumns = volume ? [SERIES_LABELS.volume.column] : [];
  return toCsv(['since_utc', SERIES_LABELS[series].column, ...volumeColumns], rows);
}

/** The name of a file that is saved at `now` (Unix ms), without an extension. */
export function chartFileName(series: ChartSeries, range: ChartRange, now: number): string {
  return `blackduck-${series}-${range}-${new Date(now).toISOString().slice(0, 10)}`;
}

export const spanText = ({ from, to }: ChartLine): string =>
  `${chartMomentText(from)} – ${chartMomentText(to)}`;
