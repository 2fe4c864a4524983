import { formatFull } from '../../../data/model/format.ts';
import { minutesText } from '../../../data/model/reports.ts';

/** A day or a week, given by its first and last day (`2026-11-23`, UTC). */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export type Tone = 'gold' | 'green' | 'muted' | 'pale' | 'red';

export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One value for each period; null for an unknown one. */
  readonly values: readonly (number | null)[];
  /** The exact values as decimal text, for tables, files and screen readers, if `values` are rounded. */
  readonly texts?: readonly string[];
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly shape: 'stack' | 'lines';
  readonly unit: 'count' | 'minutes' | 'BD';
  readonly series: readonly Series[];
  /** Values that are not drawn, as text for the table, the CSV file and screen readers. */
  readonly extraColumns: readonly { readonly label: string; readonly texts: readonly (string | null)[] }[];
}

export const periodValueText = (value: number | null, unit: ChartSpec['unit']): string | null =>
  value === null ? null : unit === 'minutes' ? minutesText(value) : value.toLocaleString('en-US');

export function periodSeriesText(
  { values, texts }: Series,
  index: number,
  unit: ChartSpec['unit'],
): string | null {
  const exactText = texts?.[index];
  return exactText === undefined ? periodValueText(values[index] ?? null, unit) : formatFull(exactText);
}

const DATE_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export function periodText({ from, to }: Period): string {
  return from === to
    ? DATE_FORMAT.format(Date.parse(from))
    : DATE_FORMAT.formatRange(Date.parse(from), Date.parse(to));
}

/** The rows of the table without the header, oldest period first. */
export function tableRows(
  { series, extraColumns, unit }: ChartSpec,
  periods: readonly Period[],
): readonly (readonly (string | null)[])[] {
  return periods.map((period, index) => [
    periodText(period),
    ...series.map((one) => periodSeriesText(one, index, unit)),
    ...extraColumns.map(({ texts }) => texts[index] ?? null),
  ]);
}

/** The rows of the CSV file. Dates are ISO 8601. Numbers have no commas, units or percent signs, so programs can read them. */
export function csvRows(
  { series, extraColumns }: ChartSpec,
  periods: readonly Period[],
): readonly (readonly (string | null)[])[] {
  return periods.map(({ from, to }, index) => [
    ...[from, to],
    ...series.map(({ values, texts }) => texts?.[index] ?? values[index]?.toString() ?? null),
    ...extraColumns.map(({ texts }) => texts[index]?.replace(/[,%]/g, '') ?? null),
  ]);
}

export function csvHeader({ series, extraColumns, unit }: ChartSpec): readonly string[] {
  const seriesHeaders = series.map(({ label }) => (unit === 'count' ? label : `${label} (${unit})`));
  return ['From', 'To', ...seriesHeaders, ...extraColumns.map(({ label }) => label)];
}
