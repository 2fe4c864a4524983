import type { ChartSeries } from '../../../data/contract/history.ts';
import styles from './chart.module.css';
import type { ChartLine } from './chart-line.ts';
import { exactWords, SERIES_WORDS } from './chart-words.ts';
import { momentWords } from './time-axis.ts';

/** Who scrolls by keyboard has to reach what scrolls. */
const reachable = (label: string) => ({ role: 'group', tabIndex: 0, 'aria-label': label }) as const;

interface PointTableProps {
  readonly series: ChartSeries;
  readonly line: ChartLine;
}

/** The points of a chart as a table, newest first, every value in full. */
export function PointTable({ series, line }: PointTableProps) {
  const { title, unit } = SERIES_WORDS[series];
  return (
    <div className={styles.rows} {...reachable(`${title} as a table`)}>
      <table>
        <caption className="visually-hidden">{title}: each value and since when it stands</caption>
        <thead>
          <tr>
            <th scope="col">Since (UTC)</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {line.points.toReversed().map(({ at, text }) => (
            <tr key={at}>
              <th scope="row">
                <time dateTime={new Date(at).toISOString()}>{momentWords(at)}</time>
              </th>
              <td>{text === null ? 'Not known' : exactWords(text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
