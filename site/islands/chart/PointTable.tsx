import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { chartMomentText } from './axes.ts';
import styles from './chart.module.css';
import { type ChartLine, pointAt } from './chart-line.ts';
import { type PlottedSeries, SERIES_LABELS, seriesText } from './chart-texts.ts';

interface PointTableProps {
  readonly series: PlottedSeries;
  readonly line: ChartLine;
  readonly volume?: ChartLine | undefined;
}

/** The newest point comes first. Values are exact. */
export function PointTable({ series, line, volume }: PointTableProps) {
  const { title, unit } = SERIES_LABELS[series];
  // Without a tab stop, the keyboard could not scroll the table.
  const scrollable = { role: 'group', tabIndex: 0, 'aria-label': `${title} as a table` };
  return (
    <div className={styles.rows} {...scrollable}>
      <table>
        <caption className="visually-hidden">{title}: each value and when it began</caption>
        <thead>
          <tr>
            <th scope="col">Since (UTC)</th>
            <th scope="col">{unit}</th>
            {volume && <th scope="col">{SERIES_LABELS.volume.title}</th>}
          </tr>
        </thead>
        <tbody>
          {line.points.toReversed().map(({ at, text }) => (
            <tr key={at}>
              <th scope="row">
                <time dateTime={new Date(at).toISOString()}>{chartMomentText(at)}</time>
              </th>
              <td>{text === null ? 'Not available' : groupDecimalText(text)}</td>
              {volume && <td>{seriesText('volume', pointAt(volume, at)?.text ?? null)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
