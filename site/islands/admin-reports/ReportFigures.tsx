import { toCsv } from '../../../data/model/csv.ts';
import { DELIVERY_KIND_LABELS, REPORT_KIND_LABELS } from '../../../data/model/reports.ts';
import type { Report } from '../admin/admin-calls.ts';
import chart from '../chart/chart.module.css';
import { PeriodChart } from '../chart/PeriodChart.tsx';
import { periodText, periodValueText } from '../chart/period-chart.ts';
import { downloadText } from '../ui/download.ts';
import { Dash } from '../ui/ReadStates.tsx';
import styles from './admin-reports.module.css';
import { channelLabel, percentText, reportCharts } from './report-charts.ts';

export default function ReportFigures({ report }: { readonly report: Report }) {
  const { firstDay, isComplete } = report;
  return (
    <>
      <p className={styles.note}>
        Days are in UTC. Only the first answer and the first decision of each record count, on the day when
        they happened. Erased records are still counted, without personal data.
        {firstDay === null
          ? ' Nothing was received yet.'
          : ` Records begin on ${periodText({ from: firstDay, to: firstDay })}.`}
      </p>
      {isComplete ? null : (
        <p className={styles.note} role="status">
          The figures are not complete yet: earlier records are still being counted.
        </p>
      )}
      <KindTable report={report} />
      <div className={styles.charts}>
        {reportCharts(report).map((spec) => (
          <PeriodChart
            key={spec.id}
            spec={spec}
            periods={report.periods}
            source="the portal’s records"
            isLastPeriodOpen={report.periods.at(-1)?.isOver === false}
          />
        ))}
      </div>
      <ChannelTable report={report} />
      <DeliveryKindTable report={report} />
    </>
  );
}

const toFileName = (id: string, { periods }: Report) =>
  `blackduck-${id}-${periods[0]?.from ?? ''}-${periods.at(-1)?.to ?? ''}.csv`;

interface FiguresTableProps {
  readonly id: string;
  readonly title: string;
  readonly report: Report;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The rows of the CSV file, if they differ from `rows`. */
  readonly csvFileRows?: readonly (readonly (string | null)[])[];
}

/** Unknown values are shown as dashes. */
function FiguresTable({ id, title, report, header, rows, csvFileRows = rows }: FiguresTableProps) {
  const [firstLabel = '', ...otherLabels] = header;
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={chart.head}>
        <h2 id={id}>{title}</h2>
        <span className={chart.actions}>
          <button
            type="button"
            onClick={() => downloadText(toFileName(id, report), toCsv(header, csvFileRows), 'text/csv')}
          >
            CSV<span className="visually-hidden"> of {title}</span>
          </button>
        </span>
      </header>
      <table className={`table figures stacked ${styles.summary}`}>
        <thead className={styles.names}>
          <tr>
            <th scope="col">{firstLabel}</th>
            {otherLabels.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td key={otherLabels[index]} data-name={otherLabels[index]}>
                  {cell ?? <Dash />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const KIND_HEADER = [
  'Kind',
  'Received',
  'First answer, median',
  'First answer, 90% within',
  'Answered in time',
  'Decision, median',
  'Decision, 90% within',
  'Decided in time',
  'Open now',
];

function KindTable({ report }: { readonly report: Report }) {
  const rowsWith = (formatMinutes: (minutes: number | null) => string | null) =>
    report.totals.map(({ kind, received, answer, decision, open }) => [
      REPORT_KIND_LABELS[kind],
      periodValueText(received, 'count'),
      ...[answer, decision].flatMap(({ median, p90, withinPromise }) => [
        formatMinutes(median),
        formatMinutes(p90),
        percentText(withinPromise),
      ]),
      periodValueText(open, 'count'),
    ]);
  return (
    <FiguresTable
      id="kinds"
      title="By kind"
      report={report}
      header={KIND_HEADER}
      rows={rowsWith((minutes) => periodValueText(minutes, 'minutes'))}
      csvFileRows={rowsWith((minutes) => minutes?.toString() ?? null)}
    />
  );
}

const countTexts = (counts: readonly number[]) => counts.map((count) => periodValueText(count, 'count'));
const DELIVERY_HEADER = ['Sent', 'Failed', 'Bounced', 'Success'];

function ChannelTable({ report }: { readonly report: Report }) {
  const rows = report.deliveries.map(({ channel, sent, failed, bounced, percent }) => [
    channelLabel(channel),
    ...countTexts([sent, failed]),
    // Only emails can bounce.
    channel === 'mail' ? periodValueText(bounced, 'count') : null,
    percentText(percent),
  ]);
  return (
    <FiguresTable
      id="channels"
      title="Deliveries by channel"
      report={report}
      header={['Channel', ...DELIVERY_HEADER]}
      rows={rows}
    />
  );
}

function DeliveryKindTable({ report }: { readonly report: Report }) {
  const rows = report.deliveryKinds.map(({ kind, sent, failed, bounced, percent }) => [
    DELIVERY_KIND_LABELS[kind],
    ...countTexts([sent, failed, bounced]),
    percentText(percent),
  ]);
  return (
    <FiguresTable
      id="delivery-kinds"
      title="Deliveries by kind"
      report={report}
      header={['Message', ...DELIVERY_HEADER]}
      rows={rows}
    />
  );
}
