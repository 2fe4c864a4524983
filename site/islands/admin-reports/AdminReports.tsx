import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { toCsv } from '../../../data/model/csv.ts';
import {
  REPORT_KIND_LABELS,
  REPORT_RANGES,
  REPORT_STEPS,
  type ReportRange,
  type ReportStep,
} from '../../../data/model/reports.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../../data/model/submission-status.ts';
import { AdminPage, Loaded } from '../admin/AdminPage.tsx';
import { type Report, reportQuery } from '../admin/admin-calls.ts';
import chart from '../chart/chart.module.css';
import { offerDownload } from '../ui/offer-download.ts';
import styles from './admin-reports.module.css';
import {
  type ChartSpec,
  channelLabel,
  csvHeader,
  csvRows,
  percentText,
  periodText,
  reportCharts,
  tableRows,
  valueText,
} from './report-charts.ts';

const PeriodPlot = lazy(() => import('./PeriodPlot.tsx'));

/** The team's work and the deliveries over time. */
export default function AdminReports() {
  return (
    <AdminPage>
      <Reports />
    </AdminPage>
  );
}

const RANGE_LABELS = Object.fromEntries(
  REPORT_RANGES.map((days) => [days, days === '365' ? '1 year' : `${days} days`]),
) as Readonly<Record<ReportRange, string>>;
const STEP_LABELS: Readonly<Record<ReportStep, string>> = { day: 'By day', week: 'By week' };

function Reports() {
  const [days, setDays] = useState<ReportRange>('30');
  const [by, setBy] = useState<ReportStep>('day');
  const [kind, setKind] = useState<SubmissionKind | ''>('');
  const reading = useQuery(reportQuery({ days, by, kind }));
  return (
    <div className={styles.reports} aria-busy={reading.isPlaceholderData}>
      <div className={styles.controls}>
        <Choice label="Range" values={REPORT_RANGES} labels={RANGE_LABELS} value={days} onValue={setDays} />
        <Choice label="Period" values={REPORT_STEPS} labels={STEP_LABELS} value={by} onValue={setBy} />
        <select
          className={styles.select}
          aria-label="Kind"
          value={kind}
          onChange={({ target }) => setKind(target.value as SubmissionKind | '')}
        >
          <option value="">All kinds</option>
          {SUBMISSION_KINDS.map((one) => (
            <option key={one} value={one}>
              {REPORT_KIND_LABELS[one]}
            </option>
          ))}
        </select>
      </div>
      <Loaded reading={reading} what="the reports">
        {(report) => <Figures report={report} />}
      </Loaded>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly labels: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

function Choice<Value extends string>({ label, values, labels, value, onValue }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className={chart.ranges}>
      <legend className="visually-hidden">{label}</legend>
      {values.map((one) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => onValue(one)} />
          <span className={chart.range}>{labels[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Figures({ report }: { readonly report: Report }) {
  const { firstDay, isComplete } = report;
  return (
    <>
      <p className={styles.note}>
        Days are in UTC. Answers and decisions count on the day when they happened, the first of each record
        only. Erased records stay counted, without personal data.
        {firstDay === null
          ? ' Nothing was received yet.'
          : ` Records begin on ${periodText({ from: firstDay, to: firstDay })}.`}
      </p>
      {isComplete ? null : (
        <p className={styles.note} role="status">
          The figures are not complete yet: earlier records are still being added up.
        </p>
      )}
      <KindTable report={report} />
      <div className={styles.charts}>
        {reportCharts(report).map((spec) => (
          <ChartPanel key={spec.id} spec={spec} report={report} />
        ))}
      </div>
      <ChannelTable report={report} />
    </>
  );
}

const fileName = (id: string, { periods }: Report) =>
  `blackduck-${id}-${periods[0]?.from ?? ''}-${periods.at(-1)?.to ?? ''}.csv`;

interface CsvButtonProps {
  readonly id: string;
  readonly title: string;
  readonly report: Report;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

function CsvButton({ id, title, report, header, rows }: CsvButtonProps) {
  return (
    <button
      type="button"
      onClick={() => offerDownload(fileName(id, report), toCsv(header, rows), 'text/csv')}
    >
      CSV<span className="visually-hidden"> of {title}</span>
    </button>
  );
}

interface FiguresTableProps {
  readonly id: string;
  readonly title: string;
  readonly report: Report;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The rows of the file, if they differ. */
  readonly csv?: readonly (readonly (string | null)[])[];
}

/** A table with a heading and a CSV file. A dash is a value that is not known. */
function FiguresTable({ id, title, report, header, rows, csv = rows }: FiguresTableProps) {
  const [first = '', ...others] = header;
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={chart.head}>
        <h2 id={id}>{title}</h2>
        <span className={chart.actions}>
          <CsvButton id={id} title={title} report={report} header={header} rows={csv} />
        </span>
      </header>
      <table className={`table figures stacked ${styles.summary}`}>
        <thead className={styles.names}>
          <tr>
            <th scope="col">{first}</th>
            {others.map((label) => (
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
                <td key={others[index]} data-name={others[index]}>
                  {cell ?? '–'}
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
  const cells = (text: (minutes: number | null) => string | null) =>
    report.totals.map(({ kind, received, answer, decision, open }) => [
      REPORT_KIND_LABELS[kind],
      valueText(received, 'count'),
      ...[answer, decision].flatMap(({ median, p90, withinPromise }) => [
        text(median),
        text(p90),
        percentText(withinPromise),
      ]),
      valueText(open, 'count'),
    ]);
  return (
    <FiguresTable
      id="kinds"
      title="By kind"
      report={report}
      header={KIND_HEADER}
      rows={cells((minutes) => valueText(minutes, 'minutes'))}
      csv={cells((minutes) => minutes?.toString() ?? null)}
    />
  );
}

const CHANNEL_HEADER = ['Channel', 'Sent', 'Failed', 'Bounced', 'Success'];

function ChannelTable({ report }: { readonly report: Report }) {
  const rows = report.deliveries.map(({ channel, sent, failed, bounced, percent }) => [
    channelLabel(channel),
    ...[sent, failed].map((count) => valueText(count, 'count')),
    // Nothing that was sent by Telegram comes back.
    channel === 'mail' ? valueText(bounced, 'count') : null,
    percentText(percent),
  ]);
  return (
    <FiguresTable
      id="channels"
      title="Deliveries by channel"
      report={report}
      header={CHANNEL_HEADER}
      rows={rows}
    />
  );
}

function ChartPanel({ spec, report }: { readonly spec: ChartSpec; readonly report: Report }) {
  const { id, title, series, more } = spec;
  const [asTable, setAsTable] = useState(false);
  const columns = ['Period (UTC)', ...series.map(({ label }) => label), ...more.map(({ label }) => label)];
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={chart.head}>
        <h2 id={id}>{title}</h2>
        <span className={chart.actions}>
          <button type="button" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as chart' : 'Show as table'}
            <span className="visually-hidden">: {title}</span>
          </button>
          <CsvButton
            id={id}
            title={title}
            report={report}
            header={csvHeader(spec)}
            rows={csvRows(spec, report.periods)}
          />
        </span>
      </header>
      <div className={styles.body}>
        {asTable ? (
          <Scrollable title={title}>
            <PeriodTable
              title={title}
              columns={columns}
              rows={tableRows(spec, report.periods).toReversed()}
            />
          </Scrollable>
        ) : (
          <Suspense fallback={null}>
            <PeriodPlot spec={spec} periods={report.periods} />
          </Suspense>
        )}
      </div>
    </section>
  );
}

/** Without a tab stop, the keyboard could not scroll the table. */
function Scrollable({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const scrollable = { role: 'group', tabIndex: 0, 'aria-label': `${title} as a table` };
  return (
    <div className={styles.rows} {...scrollable}>
      {children}
    </div>
  );
}

interface PeriodTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

function PeriodTable({ title, columns, rows }: PeriodTableProps) {
  return (
    <table>
      <caption className="visually-hidden">{title}, the newest period first</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([period = '', ...cells]) => (
          <tr key={period}>
            <th scope="row">{period}</th>
            {cells.map((cell, index) => (
              <td key={columns[index + 1]}>{cell ?? '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
