import { REPORT_KIND_LABELS } from '../../../data/model/reports.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import type { Report } from '../admin/admin-calls.ts';
import { type ChartSpec, type Series, type Tone, valueText } from '../chart/period-chart.ts';

type Period = Report['periods'][number];

const KIND_TONES = {
  'card-application': 'gold',
  'verification-request': 'pale',
  'contact-message': 'green',
  'loan-application': 'muted',
} as const satisfies Record<SubmissionKind, Tone>;

export const percentText = (percent: number | null): string | null =>
  percent === null ? null : `${percent}%`;

const CHANNELS = { mail: 'Email', telegram: 'Telegram', push: 'Browser' } as const;
export const channelLabel = (channel: keyof typeof CHANNELS): string => CHANNELS[channel];

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

function deliveries({ periods }: Report, channel: keyof typeof CHANNELS): ChartSpec {
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
    deliveries(report, 'push'),
  ];
}
