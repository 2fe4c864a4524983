import type { ChartSeries } from '../../../data/contract/history.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { extentOf } from './axes.ts';
import styles from './chart.module.css';
import { type HistoryBody, useHistory } from './chart-data.ts';
import { chartLine, PLOT, stepPath } from './chart-line.ts';
import { SERIES_LABELS, valueText } from './chart-texts.ts';

const HALF_HOUR_MS = 1_800_000;

interface SparklineViewProps {
  readonly body: HistoryBody;
  readonly now: number;
}

/** A line for the last 30 days, with a gap where the value is not known. */
export function SparklineView({ body: { series, points, asOf }, now }: SparklineViewProps) {
  const line = chartLine(points, '30d', null, Date.parse(asOf), now);
  const [lowest, highest] = extentOf(line.points);
  // Keeps a flat line in the middle.
  const margin = highest === lowest ? 1 : (highest - lowest) / 20;
  const knownPoints = line.points.filter(({ value }) => value !== null);
  const valueLabel = (target: number) => {
    const { prefix, unit } = SERIES_LABELS[series];
    return `${prefix}${valueText(series, knownPoints.find(({ value }) => value === target)?.text ?? '0')} ${unit}`;
  };
  return (
    <>
      <svg viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path className={styles.line} d={stepPath(line, lowest - margin, highest + margin)} />
      </svg>
      {knownPoints.length > 0 && (
        <span className="visually-hidden">
          : between {valueLabel(lowest)} and {valueLabel(highest)}
        </span>
      )}
    </>
  );
}

export default function Sparkline({ series }: { readonly series: ChartSeries }) {
  const reading = useHistory(series, '30d');
  const now = useTicking((time) => Math.floor(time / HALF_HOUR_MS) * HALF_HOUR_MS);
  return reading.kind === 'known' ? <SparklineView body={reading.body} now={now} /> : null;
}
