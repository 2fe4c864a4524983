import { minutesText, REPORT_KIND_LABELS } from '../../../data/model/reports.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import type { Report } from '../admin/admin-calls.ts';

type Period = Report['periods'][number];

/** The color of a series. */
type Tone = 'gold' | 'green' | 'muted' | 'pale' | 'red';
const KIND_TONES = {
  'card-application': 'gold',
  'verification-request': 'pale',
  'contact-message': 'green',
  'loan-application': 'muted',
} as const satisfies Record<SubmissionKind, Tone>;

export interface Series {
  readonly label: string;
  readonly tone: Tone;
  /** One for each period; null if the value is not known. */
  readonly values: readonly (number | null)[];
}

/** What a chart shows, also as a table. */
export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly shape: 'stack' | 'lines';
  /** `minutes`: durations in minutes. */
  readonly unit: 'count' | 'minutes';
  readonly series: readonly Series[];
  /** Columns of the table that the chart does not show, as text. */
  readonly more: readonly { readonly label: string; readonly texts: readonly (string | null)[] }[];
}

/** A value for people; null if it is not known. */
export const valueText = (value: number | null, unit: ChartSpec['unit']): string | null =>
  value === null ? null : unit === 'minutes' ? minutesText(value) : value.toLocaleString('en-US');

export const percentText = (percent: number | null): string | null =>
  percent === null ? null : `${percent}%`;

const CHANNELS = { mail: 'Email', telegram: 'Telegram' } as const;
export const channelLabel = (channel: 'mail' | 'telegram'): string => CHANNELS[channel];

function byKind({ periods, totals }: Report, field: 'received' | 'decided' | 'open'): readonly Series[] {
  return totals.map(({ kind }) => ({
    label: REPORT_KIND_LABELS[kind],
    tone: KIND_TONES[kind],
    values: periods.map(({ kinds }) => kinds?.find((one) => one.kind === kind)?.[field] ?? null),
  }));
}

function times(id: string, title: string, { periods }: Report, field: 'answer' | 'decision'): ChartSpec {
  const of = (read: (timing: NonNullable<Period['answer']>) => number | null) =>
    periods.map((period) => {
      const timing = period[field];
      return timing === null ? null : read(timing);
    });
  return {
    ...{ id, title, shape: 'lines', unit: 'minutes' },
    series: [
      { label: 'Median', tone: 'gold', values: of(({ median }) => median) },
      { label: '90% within', tone: 'muted', values: of(({ p90 }) => p90) },
    ],
    more: [
      { label: 'Records', texts: of(({ records }) => records).map((value) => valueText(value, 'count')) },
      { label: 'In time', texts: of(({ withinPromise }) => withinPromise).map(percentText) },
    ],
  };
}

function deliveries({ periods }: Report, channel: 'mail' | 'telegram'): ChartSpec {
  const found = periods.map((period) => period.deliveries?.find((one) => one.channel === channel) ?? null);
  const series = (label: string, tone: Tone, field: 'sent' | 'failed' | 'bounced') => ({
    ...{ label, tone },
    values: found.map((one) => one?.[field] ?? null),
  });
  return {
    ...{ id: `deliveries-${channel}`, title: `Deliveries: ${channelLabel(channel)}` },
    ...{ shape: 'stack', unit: 'count' },
    series: [
      series('Sent', 'gold', 'sent'),
      series('Failed', 'red', 'failed'),
      ...(channel === 'mail' ? [series('Bounced', 'muted', 'bounced')] : []),
    ],
    more: [{ label: 'Success', texts: found.map((one) => percentText(one?.percent ?? null)) }],
  };
}

/** The charts of a report. */
export function reportCharts(report: Report): readonly ChartSpec[] {
  const counts = (id: string, title: string, field: 'received' | 'decided' | 'open'): ChartSpec => ({
    ...{ id, title, shape: 'stack', unit: 'count', series: byKind(report, field), more: [] },
  });
  return [
    counts('received', 'Received', 'received'),
    counts('decided', 'Decided', 'decided'),
    counts('open', 'Open at the end', 'open'),
    times('answer', 'Time to first answer', report, 'answer'),
    times('decision', 'Time to decision', report, 'decision'),
    deliveries(report, 'mail'),
    deliveries(report, 'telegram'),
  ];
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day, or the first and the last day of a week. */
export function periodText({ from, to }: Pick<Period, 'from' | 'to'>): string {
  return from === to ? DATE.format(Date.parse(from)) : DATE.formatRange(Date.parse(from), Date.parse(to));
}

/** The cells of a chart's table, without a header, oldest first. */
export function tableRows(
  { series, more, unit }: ChartSpec,
  periods: readonly Period[],
): readonly (readonly (string | null)[])[] {
  return periods.map((period, index) => [
    periodText(period),
    ...series.map(({ values }) => valueText(values[index] ?? null, unit)),
    ...more.map(({ texts }) => texts[index] ?? null),
  ]);
}

/** The rows of a chart's CSV file: dates, whole numbers and percentages, so that programs can read them. */
export function csvRows(
  { series, more }: ChartSpec,
  periods: readonly Period[],
): readonly (readonly (string | null)[])[] {
  return periods.map(({ from, to }, index) => [
    ...[from, to],
    ...series.map(({ values }) => values[index]?.toString() ?? null),
    ...more.map(({ texts }) => texts[index]?.replace(/[,%]/g, '') ?? null),
  ]);
}

export function csvHeader({ series, more, unit }: ChartSpec): readonly string[] {
  const named = series.map(({ label }) => (unit === 'minutes' ? `${label} (minutes)` : label));
  return ['From', 'To', ...named, ...more.map(({ label }) => label)];
}
