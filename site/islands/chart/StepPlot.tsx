import { type KeyboardEvent, memo, type PointerEvent, useId, useMemo, useState } from 'react';
import type { ChartSeries } from '../../../data/contract/history.ts';
import { markLabels, momentText, rangeOf, timeMarks, type ValueAxis, valueAxis } from './axes.ts';
import styles from './chart.module.css';
import { type ChartLine, cursorStops, nextStop, PLOT, pointAt, stepPath, stopAt } from './chart-line.ts';
import { SERIES_LABELS, valueText } from './chart-texts.ts';

interface PlotLinesProps {
  readonly line: ChartLine;
  readonly axis: ValueAxis;
}

/** The grid and the line. They render when the data changes, but not when the cursor moves. */
const PlotLines = memo(function PlotLines({ line, axis: { bottom, top, marks } }: PlotLinesProps) {
  return (
    <svg viewBox={`0 0 ${PLOT.width} ${PLOT.height}`} preserveAspectRatio="none" aria-hidden="true">
      {marks.map((mark) => {
        const y = ((top - mark) / (top - bottom)) * PLOT.height;
        return <path key={mark} className={styles.grid} d={`M0 ${y}H${PLOT.width}`} />;
      })}
      {/* No area below the line: most axes do not begin at zero, and an area would show a wrong ratio. */}
      <path className={styles.line} d={stepPath(line, bottom, top)} />
    </svg>
  );
});

/** A step line with its axes. Keyboard, mouse or touch moves a cursor, which screen readers announce. */
export function StepPlot({ series, line }: { readonly series: ChartSeries; readonly line: ChartLine }) {
  const { title, prefix, unit, isCount } = SERIES_LABELS[series];
  const help = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const axis = useMemo(() => {
    const [lowest, highest] = rangeOf(line.points);
    return valueAxis(lowest, highest, isCount);
  }, [line, isCount]);
  const labels = useMemo(() => markLabels(axis), [axis]);
  const widest = Math.max(...labels.map(({ length }) => length));
  const times = useMemo(() => timeMarks(line.from, line.to), [line.from, line.to]);
  const stops = useMemo(() => cursorStops(line), [line]);

  const newest = stops.at(-1) ?? line.to;
  const moment = chosen === null ? newest : Math.min(Math.max(chosen, line.from), line.to);
  const point = pointAt(line, moment);
  const value = point?.text == null ? 'Not available' : `${prefix}${valueText(series, point.text)}`;
  const when = chosen === null && line.knownUntil === line.to ? 'Now' : `${momentText(moment)} UTC`;
  const index = stopAt(stops, moment);
  const left = (at: number) => `${((at - line.from) / (line.to - line.from)) * 100}%`;
  const top = (height: number) => `${((axis.top - height) / (axis.top - axis.bottom)) * 100}%`;

  const moveByKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key === 'Escape' ? stops.length - 1 : nextStop(event.key, index, stops.length);
    if (next === null) return;
    event.preventDefault();
    setChosen(next >= stops.length - 1 ? null : (stops[next] ?? null));
  };
  const moveByPointer = (event: PointerEvent) => {
    const { left: begin, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) setChosen(line.from + ((event.clientX - begin) / width) * (line.to - line.from));
  };

  return (
    <>
      <p className={styles.readout} aria-hidden="true">
        <span className={styles.value}>{value}</span>
        <span> {unit}</span>
        <span className={styles.moment}>{when}</span>
      </p>
      <div className={styles.frame} style={{ gridTemplateColumns: `${widest + 1}ch minmax(0, 1fr)` }}>
        <div className={styles.marks} aria-hidden="true">
          {axis.marks.map((mark, markIndex) => (
            <span key={mark} className={styles.mark} style={{ top: top(mark) }}>
              {labels[markIndex]}
            </span>
          ))}
        </div>
        <div
          className={styles.plot}
          role="slider"
          tabIndex={0}
          aria-label={`${title} over time`}
          aria-describedby={help}
          aria-valuemin={0}
          aria-valuemax={Math.max(stops.length - 1, 0)}
          aria-valuenow={index}
          aria-valuetext={`${when}: ${value}${point === null ? '' : ` ${unit}`}`}
          onKeyDown={moveByKey}
          onPointerDown={moveByPointer}
          onPointerMove={moveByPointer}
          onPointerLeave={(event) => event.pointerType === 'mouse' && setChosen(null)}
        >
          <PlotLines line={line} axis={axis} />
          <span className={styles.cursor} data-chosen={chosen !== null} style={{ left: left(moment) }} />
          {point?.value == null ? null : (
            <span className={styles.dot} style={{ left: left(moment), top: top(point.value) }} />
          )}
        </div>
        <div className={styles.times} aria-hidden="true">
          {times.map(({ at, label }) => (
            <span key={at} className={styles.time} style={{ left: left(at) }}>
              {label}
            </span>
          ))}
        </div>
        <span className="visually-hidden" id={help}>
          Use the arrow keys to move between changes, Page Up and Page Down to move further, and Home and End
          to move to either end.
        </span>
      </div>
    </>
  );
}
