import { useMemo, useState } from 'react';
import { type ValueAxis, valueAxis } from './axes.ts';
import { PLOT } from './chart-line.ts';
import { depthOf, Plot } from './Plot.tsx';
import styles from './period-chart.module.css';
import { type ChartSpec, type Period, periodSeriesText, periodText, type Series } from './period-chart.ts';

const DAY_MS = 86_400_000;
const MINUTES_PER_HOUR = 60;
/** The space between two bars, as a share of the distance between their centers. */
const GAP = 0.2;

interface Scale {
  readonly axis: ValueAxis;
  /** The number by which values are divided: 60 if durations in minutes are shown in hours, otherwise 1. */
  readonly divisor: number;
  readonly unit: string;
}

function scaleOf({ shape, unit, series }: ChartSpec, count: number): Scale {
  const values = Array.from({ length: count }, (_, index) => {
    const seriesValues = series.map(({ values: all }) => all[index] ?? 0);
    return shape === 'stack'
      ? seriesValues.reduce((sum, value) => sum + value, 0)
      : Math.max(0, ...seriesValues);
  });
  const highest = Math.max(0, ...values);
  if (unit !== 'minutes')
    return { axis: valueAxis(0, highest, true), divisor: 1, unit: unit === 'count' ? '' : unit };
  return highest >= 2 * MINUTES_PER_HOUR
    ? { axis: valueAxis(0, highest / MINUTES_PER_HOUR, true), divisor: MINUTES_PER_HOUR, unit: 'hours' }
    : { axis: valueAxis(0, highest, true), divisor: 1, unit: 'minutes' };
}

/** A line that is level within each period, with a gap where the value is not known. */
function linePath({ values }: Series, step: number, y: (value: number) => number): string {
  let path = '';
  let wasKnown = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${wasKnown ? 'L' : 'M'}${index * step} ${y(value)}H${(index + 1) * step}`;
    wasKnown = value !== null;
  }
  return path;
}

function shapesOf({ shape, series }: ChartSpec, { axis, divisor }: Scale, count: number) {
  const y = (value: number) => depthOf(value / divisor, axis) * PLOT.height;
  const step = PLOT.width / count;
  const bars = (barSeries: Series, seriesIndex: number) =>
    barSeries.values.map((value, index) => {
      const below = series.slice(0, seriesIndex).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
      if (value === null || value <= 0) return '';
      const [x, width] = [index * step + (step * GAP) / 2, step * (1 - GAP)];
      return `M${x} ${y(below)}V${y(below + value)}h${width}V${y(below)}Z`;
    });
  return series.map((one, seriesIndex) =>
    shape === 'stack' ? (
      <path key={one.label} className={styles.bar} data-tone={one.tone} d={bars(one, seriesIndex).join('')} />
    ) : (
      <path key={one.label} className={styles.level} data-tone={one.tone} d={linePath(one, step, y)} />
    ),
  );
}

interface PeriodPlotProps {
  readonly spec: ChartSpec;
  readonly periods: readonly Period[];
  readonly defaultIndex: number;
  readonly isLastPeriodOpen?: boolean;
}

export function PeriodPlot({ spec, periods, defaultIndex, isLastPeriodOpen = false }: PeriodPlotProps) {
  const { title, series, unit, extraColumns } = spec;
  const [chosenIndex, setChosenIndex] = useState<number | null>(null);
  const count = periods.length;
  const scale = useMemo(() => scaleOf(spec, count), [spec, count]);
  // Memoized, so that moving the cursor does not draw the shapes again.
  const shapes = useMemo(() => shapesOf(spec, scale, count), [spec, scale, count]);
  const index = Math.min(chosenIndex ?? defaultIndex, count - 1);
  const period = periods[index];
  if (period === undefined) return null;
  const shownSeries = series.map((one) => ({ ...one, text: periodSeriesText(one, index, unit) }));
  const shownTexts = extraColumns.map(({ label, texts }) => ({ label, text: texts[index] ?? null }));
  const periodLabel = `${periodText(period)}${isLastPeriodOpen && index === count - 1 ? ', in progress' : ''}`;
  const spokenValues = [...shownSeries, ...shownTexts].map(
    ({ label, text }) => `${label} ${text ?? 'not available'}`,
  );

  return (
    <>
      <div className={styles.readout} aria-hidden="true">
        <p className={styles.periodLabel}>
          {periodLabel}
          {scale.unit === '' ? null : <span>{scale.unit}</span>}
        </p>
        <ul className={styles.legend}>
          {shownSeries.map(({ label, tone, text }) => (
            <li key={label}>
              <span className={styles.swatch} data-tone={tone} data-shape={spec.shape} />
              {label} <strong>{text ?? '–'}</strong>
            </li>
          ))}
        </ul>
      </div>
      <Plot
        title={title}
        axis={scale.axis}
        from={Date.parse(periods[0]?.from ?? period.from)}
        to={Date.parse(periods.at(-1)?.to ?? period.to) + DAY_MS}
        stopsName="periods"
        stopCount={count}
        stopIndex={index}
        spokenText={`${periodLabel}: ${spokenValues.join(', ')}`}
        cursor={(index + 0.5) / count}
        isChosen={chosenIndex !== null}
        onIndex={(next) => setChosenIndex(next === defaultIndex ? null : next)}
        onPosition={(position) =>
          setChosenIndex(Math.min(Math.max(Math.floor(position * count), 0), count - 1))
        }
        shapes={shapes}
      />
    </>
  );
}
