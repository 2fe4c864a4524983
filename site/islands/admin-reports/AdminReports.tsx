import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import {
  REPORT_KIND_LABELS,
  REPORT_RANGES,
  REPORT_STEPS,
  type ReportRange,
  type ReportStep,
} from '../../../data/model/reports.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../../data/model/submission-status.ts';
import { AdminPage, Loaded } from '../admin/AdminPage.tsx';
import { reportQuery } from '../admin/admin-calls.ts';
import chart from '../chart/chart.module.css';
import styles from './admin-reports.module.css';

// Loaded once there is a report, so that the page itself loads with fewer requests.
const ReportFigures = lazy(() => import('./ReportFigures.tsx'));

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
  const [step, setStep] = useState<ReportStep>('day');
  const [kind, setKind] = useState<SubmissionKind | ''>('');
  const reading = useQuery(reportQuery({ days, by: step, kind }));
  return (
    <div className={styles.reports} aria-busy={reading.isPlaceholderData}>
      <div className={styles.controls}>
        <Choice label="Range" values={REPORT_RANGES} labels={RANGE_LABELS} value={days} onValue={setDays} />
        <Choice label="Period" values={REPORT_STEPS} labels={STEP_LABELS} value={step} onValue={setStep} />
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
        {(report) => (
          <Suspense fallback={null}>
            <ReportFigures report={report} />
          </Suspense>
        )}
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
