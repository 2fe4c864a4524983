import { type ReactNode, useState } from 'react';
import { toCsv } from '../../../data/model/csv.ts';
import { ChartActions } from './ChartActions.tsx';
import chart from './chart.module.css';
import { PeriodPlot } from './PeriodPlot.tsx';
import styles from './period-chart.module.css';
import { type ChartSpec, csvHeader, csvRows, type Period, periodText, tableRows } from './period-chart.ts';

interface PeriodChartProps {
  readonly spec: ChartSpec;
  readonly periods: readonly Period[];
  readonly source: string;
  /** Whether the periods are in the future. If so, the cursor starts at the first period; if not, at the last. */
  readonly isFuture?: boolean;
  /** Whether the last period is not over yet. */
  readonly isLastPeriodOpen?: boolean;
  readonly children?: ReactNode;
}

export function PeriodChart({
  spec,
  periods,
  source,
  isFuture = false,
  isLastPeriodOpen = false,
  children,
}: PeriodChartProps) {
  const { id, title, series, extraColumns } = spec;
  const [asTable, setAsTable] = useState(false);
  const [first, last] = [periods[0], periods.at(-1)];
  const range = first && last ? { from: first.from, to: last.to } : { from: '', to: '' };
  const rows = tableRows(spec, periods);
  // Without a tab stop, the keyboard could not scroll the table.
  const scrollable = { role: 'group', tabIndex: 0, 'aria-label': `${title} as a table` };
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={chart.head}>
        <h2 id={id}>{title}</h2>
        <ChartActions
          title={title}
          asTable={asTable}
          onAsTableChange={setAsTable}
          fileName={`blackduck-${id}-${range.from}-${range.to}`}
          csv={() => toCsv(csvHeader(spec), csvRows(spec, periods))}
          note={`${periodText(range)}, UTC · ${source}`}
        />
      </header>
      <figure className={styles.body} aria-labelledby={id}>
        {asTable ? (
          <div className={styles.rows} {...scrollable}>
            <table>
              <caption className="visually-hidden">
                {title}, the {isFuture ? 'next' : 'newest'} period first
              </caption>
              <thead>
                <tr>
                  <th scope="col">Period (UTC)</th>
                  {[...series, ...extraColumns].map(({ label }) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {(isFuture ? rows : rows.toReversed()).map(([period = '', ...cells]) => (
                  <tr key={period}>
                    <th scope="row">{period}</th>
                    {cells.map((cell, index) => (
                      <td key={[...series, ...extraColumns][index]?.label}>{cell ?? '–'}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : (
          <PeriodPlot
            spec={spec}
            periods={periods}
            defaultIndex={isFuture ? 0 : periods.length - 1}
            isLastPeriodOpen={isLastPeriodOpen}
          />
        )}
      </figure>
      {children}
    </section>
  );
}
