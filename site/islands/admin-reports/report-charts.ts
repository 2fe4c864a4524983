import { REPORT_KIND_LABELS } from '../../../data/model/reports.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import type { Report } from '../admin/admin-calls.ts';
import { type ChartSpec, periodValueText, type Series, type Tone } from '../chart/period-chart.ts';

type Period = Report['periods'][number];

const KIND_TONES = {
  'card-application': 'gold',
  'verification-request': 'pale',
  'contact-message': 'green',
  'loan-application': 'muted',
} as const satisfies Record<SubmissionKind, Tone>;

export const percentText = (percent: number | null): string | null =>
  percent === null ? null : `${percent}%`;

const CHANNEL_LABELS = { mail: 'Email', telegram: 'Telegram', push: 'Browser' } as const;
export const channelLabel = (channel: keyof typeof CHANNEL_LABELS): string => CHANNEL_LABELS[channel];

function seriesByKind(
  { periods, totals }: Report,
  field: 'received' | 'decided' | 'open',
): readonly Series[] {
  return totals.map(({ kind }) => ({
    label: REPORT_KIND_LABELS[kind],
    tone: KIND_TONES[kind],
    values: periods.map(({ kinds }) => kinds?.find((one) => one.kind === kind)?.[field] ?? null),
  }));
}

function timesChart(id: string, title: string, { periods }: Report, field: 'answer' | 'decision'): ChartSpec {
  const mapTimings = (read: (timing: NonNullable<Period['answer']>) => number | null) =>
    periods.map((period) => {
      const timing = period[field];
      return timing === null ? null : read(timing);
    });
  return {
    ...{ id, title, shape: 'lines', unit: 'minutes' },
    series: [
      { label: 'Median', tone: 'gold', values: mapTimings(({ median }) => median) },
      { label: '90% within', tone: 'muted', values: mapTimings(({ p90 }) => p90) },
    ],
    extraColumns: [
      {
        label: 'Records',
        texts: mapTimings(({ records }) => records).map((value) => periodValueText(value, 'count')),
      },
      { label: 'In time', texts: mapTimings(({ withinPromise }) => withinPromise).map(percentText) },
    ],
  };
}

function deliveriesChart({ periods }: Report, channel: keyof typeof CHANNEL_LABELS): ChartSpec {
  const channelTotals = periods.map(
    (period) => period.deliveries?.find((one) => one.channel === channel) ?? null,
  );
  const createSeries = (label: string, tone: Tone, field: 'sent' | 'failed' | 'bounced') => ({
    ...{ label, tone },
    values: channelTotals.map((one) => one?.[field] ?? null),
  });
  return {
    ...{ id: `deliveries-${channel}`, title: `Deliveries: ${channelLabel(channel)}` },
    ...{ shape: 'stack', unit: 'count' },
    series: [
      createSeries('Sent', 'gold', 'sent'),
      createSeries('Failed', 'red', 'failed'),
      ...(channel === 'mail' ? [createSeries('Bounced', 'muted', 'bounced')] : []),
    ],
    extraColumns: [
      { label: 'Success', texts: channelTotals.map((one) => percentText(one?.percent ?? null)) },
    ],
  };
}

export function reportCharts(report: Report): readonly ChartSpec[] {
  const countsChart = (id: string, title: string, field: 'received' | 'decided' | 'open'): ChartSpec => ({
    ...{ id, title, shape: 'stack', unit: 'count', series: seriesByKind(report, field), extraColumns: [] },
  });
  return [
    countsChart('received', 'Received', 'received'),
    countsChart('decided', 'Decided', 'decided'),
    countsChart('open', 'Open at period end', 'open'),
    timesChart('answer', 'Time to first answer', report, 'answer'),
    timesChart('decision', 'Time to decision', report, 'decision'),
    deliveriesChart(report, 'mail'),
    deliveriesChart(report, 'telegram'),
    deliveriesChart(report, 'push'),
  ];
}
