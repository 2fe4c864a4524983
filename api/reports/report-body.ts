import type { adminReports } from '../../data/contract/admin-reports.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import {
  addTimings,
  type DayFigures,
  DELIVERY_KINDS,
  dayText,
  mondayOf,
  percentile,
  percentOf,
  type ReportStep,
  sumCounts,
  sumDeliveries,
} from '../../data/model/reports.ts';
import type { SubmissionKind } from '../../data/model/submission-status.ts';
import { DELIVERY_CHANNELS } from '../../data/store/delivery-port.ts';
import type { StoredReport } from '../../data/store/report-port.ts';

type Body = ResponseOf<typeof adminReports>;

interface ReportSpan {
  readonly from: number;
  readonly today: number;
  readonly step: ReportStep;
}

const DAYS_PER_STEP: Readonly<Record<ReportStep, number>> = { day: 1, week: 7 };

/** The last `days` days, including today. With weekly steps, the span begins on the Monday of its first week. */
export function reportSpan(days: number, step: ReportStep, today: number): ReportSpan {
  const first = today - days + 1;
  return { from: step === 'week' ? mondayOf(first) : first, today, step };
}

function timingOf(
  figures: readonly DayFigures[],
  field: 'answered' | 'decided',
): Body['totals'][number]['answer'] {
  const timings = addTimings(figures.map((day) => day[field]));
  return {
    records: timings.records,
    median: percentile(timings, 0.5),
    p90: percentile(timings, 0.9),
    withinPromise: percentOf(timings.withinPromiseCount, timings.promisedCount),
  };
}

const deliveryBody = (deliveries: StoredReport['deliveries']): Body['deliveries'] =>
  DELIVERY_CHANNELS.map((channel) => ({
    channel,
    ...sumDeliveries(deliveries.filter((one) => one.channel === channel)),
  }));

export function reportBody(
  { days, openBefore, firstDay, deliveries, firstDeliveryDay }: StoredReport,
  { from, today, step }: ReportSpan,
  kinds: readonly SubmissionKind[],
): Omit<Body, 'isComplete'> {
  const periodDays = DAYS_PER_STEP[step];
  const openCounts: Record<SubmissionKind, number> = { ...openBefore };
  const figuresByPeriod = Map.groupBy(days, ({ day }) => Math.floor((day - from) / periodDays));
  const deliveriesByPeriod = Map.groupBy(deliveries, ({ day }) => Math.floor((day - from) / periodDays));
  const periods: Body['periods'] = [];
  for (let first = from, period = 0; first <= today; first += periodDays, period += 1) {
    const last = first + periodDays - 1;
    const figures = (figuresByPeriod.get(period) ?? []).filter(({ kind }) => kinds.includes(kind));
    const isKnown = firstDay !== null && last >= firstDay;
    const kindFigures = kinds.map((kind) => {
      const { received, decided, openChange } = sumCounts(figures.filter((one) => one.kind === kind));
      openCounts[kind] += openChange;
      return { kind, received, decided, open: openCounts[kind] };
    });
    periods.push({
      from: dayText(first),
      to: dayText(last),
      isOver: last < today,
      kinds: isKnown ? kindFigures : null,
      answer: isKnown ? timingOf(figures, 'answered') : null,
      decision: isKnown ? timingOf(figures, 'decided') : null,
      deliveries:
        firstDeliveryDay !== null && last >= firstDeliveryDay
          ? deliveryBody(deliveriesByPeriod.get(period) ?? [])
          : null,
    });
  }
  return {
    firstDay: firstDay === null ? null : dayText(firstDay),
    periods,
    totals: kinds.map((kind) => {
      const figures = days.filter((one) => one.kind === kind);
      return {
        ...{ kind, received: sumCounts(figures).received },
        answer: timingOf(figures, 'answered'),
        decision: timingOf(figures, 'decided'),
        open: openCounts[kind],
      };
    }),
    deliveries: deliveryBody(deliveries),
    deliveryKinds: DELIVERY_KINDS.map((kind) => ({
      kind,
      ...sumDeliveries(deliveries.filter((one) => one.kind === kind)),
    })),
  };
}
