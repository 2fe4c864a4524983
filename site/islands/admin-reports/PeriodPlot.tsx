import { type KeyboardEvent, memo, type PointerEvent, useId, useState } from 'react';
import type { Report } from '../admin/admin-calls.ts';
import { markLabels, timeMarks, type ValueAxis, valueAxis } from '../chart/axes.ts';
import chart from '../chart/chart.module.css';
import { nextStop } from '../chart/chart-line.ts';
import styles from './admin-reports.module.css';
import { type ChartSpec, periodText, type Series, valueText } from './report-charts.ts';

const DAY = 86_400_000;
const HOUR = 60;
/** The size of the drawing, which is stretched to the plot. */
const HEIGHT = 240;
const WIDTH = 1_000;
/** The space between two bars, as a share of their distance. */
const GAP = 0.2;

interface Scale {
  readonly axis: ValueAxis;
  /** What a value is divided by on the axis: durations of many minutes are shown in hours. */
  readonly divisor: number;
  readonly unit: string;
}

function scaleOf({ shape, unit, series }: ChartSpec, count: number): Scale {
  const values = Array.from({ length: count }, (_, index) => {
    const known = series.map(({ values: all }) => all[index] ?? 0);
    return shape === 'stack' ? known.reduce((sum, value) => sum + value, 0) : Math.max(0, ...known);
  });
  const highest = Math.max(0, ...values);
  if (unit === 'count') return { axis: valueAxis(0, highest, true), divisor: 1, unit: '' };
  return highest >= 2 * HOUR
    ? { axis: valueAxis(0, highest / HOUR, true), divisor: HOUR, unit: 'hours' }
    : { axis: valueAxis(0, highest, true), divisor: 1, unit: 'minutes' };
}

interface ShapesProps {
  readonly spec: ChartSpec;
  readonly scale: Scale;
  readonly count: number;
}

/** A line that is level in each period, and interrupted where the value is not known. */
function linePath({ values }: Series, step: number, y: (value: number) => number): string {
  let path = '';
  let wasKnown = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${wasKnown ? 'L' : 'M'}${index * step} ${y(value)}H${(index + 1) * step}`;
    wasKnown = value !== null;
  }
  return path;
}

/** The grid and the bars or lines. They do not render again when the cursor moves. */
const Shapes = memo(function Shapes({ spec: { shape, series }, scale, count }: ShapesProps) {
  const { axis, divisor } = scale;
  const y = (value: number) => ((axis.top - value / divisor) / (axis.top - axis.bottom)) * HEIGHT;
  const step = WIDTH / count;
  const bars = (one: Series, order: number) =>
    one.values.map((value, index) => {
      const below = series.slice(0, order).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
      if (value === null || value <= 0) return '';
      const [x, width] = [index * step + (step * GAP) / 2, step * (1 - GAP)];
      return `M${x} ${y(below)}V${y(below + value)}h${width}V${y(below)}Z`;
    });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {axis.marks.map((mark) => {
        const at = y(mark * divisor);
        return <path key={mark} className={chart.grid} d={`M0 ${at}H${WIDTH}`} />;
      })}
      {series.map((one, order) =>
        shape === 'stack' ? (
          <path key={one.label} className={styles.bar} data-tone={one.tone} d={bars(one, order).join('')} />
        ) : (
          <path key={one.label} className={styles.level} data-tone={one.tone} d={linePath(one, step, y)} />
        ),
      )}
    </svg>
  );
});

interface PeriodPlotProps {
  readonly spec: ChartSpec;
  readonly periods: Report['periods'];
}

/** Bars or lines by day or week. Keyboard, mouse or touch moves a cursor, which screen readers announce. */
export default function PeriodPlot({ spec, periods }: PeriodPlotProps) {
  const { title, series, unit, more } = spec;
  const help = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const count = periods.length;
  const index = Math.min(chosen ?? count - 1, count - 1);
  const period = periods[index];
  if (period === undefined) return null;
  const scale = scaleOf(spec, count);
  const labels = markLabels(scale.axis);
  const widest = Math.max(...labels.map(({ length }) => length));
  const from = Date.parse(periods[0]?.from ?? period.from);
  const to = Date.parse(periods.at(-1)?.to ?? period.to) + DAY;
  const percent = (share: number) => `${share * 100}%`;
  const shown = series.map(({ label, tone, values }) => ({
    ...{ label, tone },
    text: valueText(values[index] ?? null, unit),
  }));
  const moreShown = more.map(({ label, texts }) => ({ label, text: texts[index] ?? null }));
  const when = `${periodText(period)}${period.isOver ? '' : ', not over yet'}`;
  const spoken = [...shown, ...moreShown].map(({ label, text }) => `${label} ${text ?? 'not available'}`);

  const moveByKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key === 'Escape' ? count - 1 : nextStop(event.key, index, count);
    if (next === null) return;
    event.preventDefault();
    setChosen(next >= count - 1 ? null : next);
  };
  const moveByPointer = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width <= 0) return;
    const place = Math.floor(((event.clientX - left) / width) * count);
    setChosen(Math.min(Math.max(place, 0), count - 1));
  };

  return (
    <>
      <div className={styles.readout} aria-hidden="true">
        <p className={styles.when}>
          {when}
          {scale.unit === '' ? null : <span className={styles.unit}>{scale.unit}</span>}
        </p>
        <ul className={styles.legend}>
          {shown.map(({ label, tone, text }) => (
            <li key={label}>
              <span className={styles.swatch} data-tone={tone} data-shape={spec.shape} />
              {label} <strong>{text ?? '–'}</strong>
            </li>
          ))}
        </ul>
      </div>
      <div className={chart.frame} style={{ gridTemplateColumns: `${widest + 1}ch minmax(0, 1fr)` }}>
        <div className={chart.marks} aria-hidden="true">
          {scale.axis.marks.map((mark, order) => (
            <span
              key={mark}
              className={chart.mark}
              style={{ top: percent((scale.axis.top - mark) / (scale.axis.top - scale.axis.bottom)) }}
            >
              {labels[order]}
            </span>
          ))}
        </div>
        <div
          className={chart.plot}
          role="slider"
          tabIndex={0}
          aria-label={`${title} over time`}
          aria-describedby={help}
          aria-valuemin={0}
          aria-valuemax={count - 1}
          aria-valuenow={index}
          aria-valuetext={`${when}: ${spoken.join(', ')}`}
          onKeyDown={moveByKey}
          onPointerDown={moveByPointer}
          onPointerMove={moveByPointer}
          onPointerLeave={(event) => event.pointerType === 'mouse' && setChosen(null)}
        >
          <Shapes spec={spec} scale={scale} count={count} />
          <span
            className={chart.cursor}
            data-chosen={chosen !== null}
            style={{ left: percent((index + 0.5) / count) }}
          />
        </div>
        <div className={chart.times} aria-hidden="true">
          {timeMarks(from, to).map(({ at, label }) => (
            <span key={at} className={chart.time} style={{ left: percent((at - from) / (to - from)) }}>
              {label}
            </span>
          ))}
        </div>
        <span className="visually-hidden" id={help}>
          Use the arrow keys to move between periods, Page Up and Page Down to move further, and Home and End
          to move to either end.
        </span>
      </div>
    </>
  );
}
