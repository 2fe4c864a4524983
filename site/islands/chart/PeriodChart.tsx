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
  /** Whether the periods are in the future. The first period is then shown until another one is chosen. */
  readonly isAhead?: boolean;
  /** Whether the last period is not over yet. */
  readonly isOpen?: boolean;
  /** Shown below the chart. */
  readonly children?: ReactNode;
}

/** A figure by day or week, as bars or lines, a table or a file. */
export function PeriodChart({
  spec,
  periods,
  source,
  isAhead = false,
  isOpen = false,
  children,
}: PeriodChartProps) {
  const { id, title, series, more } = spec;
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
          onTable={setAsTable}
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
                {title}, the {isAhead ? 'next' : 'newest'} period first
              </caption>
              <thead>
                <tr>
                  <th scope="col">Period (UTC)</th>
                  {[...series, ...more].map(({ label }) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {(isAhead ? rows : rows.toReversed()).map(([period = '', ...cells]) => (
                  <tr key={period}>
                    <th scope="row">{period}</th>
                    {cells.map((cell, index) => (
                      <td key={[...series, ...more][index]?.label}>{cell ?? '–'}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ) : (
          <PeriodPlot spec={spec} periods={periods} home={isAhead ? 0 : periods.length - 1} isOpen={isOpen} />
        )}
      </figure>
      {children}
    </section>
  );
}
