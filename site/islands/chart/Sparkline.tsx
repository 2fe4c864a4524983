import type { ChartSeries } from '../../../data/contract/history.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { rangeOf } from './axes.ts';
import styles from './chart.module.css';
import { type HistoryBody, useHistory } from './chart-data.ts';
import { chartLine, PLOT, stepPath } from './chart-line.ts';
import { SERIES_LABELS, valueText } from './chart-texts.ts';

const HALF_HOUR = 1_800_000;

interface SparkLineProps {
  readonly body: HistoryBody;
  readonly now: number;
}

/** The line of the last 30 days. It has a gap where the value is not known. */
export function SparkLine({ body: { series, points, asOf }, now }: SparkLineProps) {
  const line = chartLine(points, '30d', null, Date.parse(asOf), now);
  const [lowest, highest] = rangeOf(line.points);
  // Keeps a flat line in the middle.
  const room = highest === lowest ? 1 : (highest - lowest) / 20;
  const known = line.points.filter(({ value }) => value !== null);
  const text = (wanted: number) => {
    const { prefix, unit } = SERIES_LABELS[series];
    return `${prefix}${valueText(series, known.find(({ value }) => value === wanted)?.text ?? '0')} ${unit}`;
  };
  return (
    <>
      <svg viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path className={styles.line} d={stepPath(line, lowest - room, highest + room)} />
      </svg>
      {known.length > 0 && (
        <span className="visually-hidden">
          : between {text(lowest)} and {text(highest)}
        </span>
      )}
    </>
  );
}

export default function Sparkline({ series }: { readonly series: ChartSeries }) {
  const reading = useHistory(series, '30d');
  const now = useTicking((time) => Math.floor(time / HALF_HOUR) * HALF_HOUR);
  return reading.kind === 'known' ? <SparkLine body={reading.body} now={now} /> : null;
}
