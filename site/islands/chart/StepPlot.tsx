import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from 'react';
import type { ChartSeries } from '../../../data/contract/history.ts';
import styles from './chart.module.css';
import { cursorStops, nextStop, stopAt } from './chart-cursor.ts';
import { type ChartLine, pointAt } from './chart-line.ts';
import { SERIES_WORDS, valueWords } from './chart-words.ts';
import { PlotLines } from './PlotLines.tsx';
import { momentWords, timeMarks } from './time-axis.ts';
import { markWords, rangeOf, valueAxis } from './value-axis.ts';

interface StepPlotProps {
  readonly series: ChartSeries;
  readonly line: ChartLine;
}

/** A line of steps with its axes, and a cursor that is moved by arrow keys, pointer or finger and read out. */
export function StepPlot({ series, line }: StepPlotProps) {
  const { title, prefix, unit, isCount } = SERIES_WORDS[series];
  const help = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const axis = useMemo(() => {
    const [lowest, highest] = rangeOf(line.points);
    return valueAxis(lowest, highest, isCount);
  }, [line, isCount]);
  const words = useMemo(() => markWords(axis), [axis]);
  const widest = Math.max(...words.map(({ length }) => length));
  const times = useMemo(() => timeMarks(line.from, line.to), [line.from, line.to]);
  const stops = useMemo(() => cursorStops(line), [line]);

  const newest = stops.at(-1) ?? line.to;
  const moment = chosen === null ? newest : Math.min(Math.max(chosen, line.from), line.to);
  const point = pointAt(line, moment);
  const value = point?.text == null ? 'Not known' : `${prefix}${valueWords(series, point.text)}`;
  const when = chosen === null && line.knownUntil === line.to ? 'Now' : `${momentWords(moment)} UTC`;
  const index = stopAt(stops, moment);
  const left = (at: number) => `${((at - line.from) / (line.to - line.from)) * 100}%`;
  const top = (height: number) => `${((axis.top - height) / (axis.top - axis.bottom)) * 100}%`;

  const walk = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.key === 'Escape' ? stops.length - 1 : nextStop(event.key, index, stops.length);
    if (next === null) return;
    event.preventDefault();
    setChosen(next >= stops.length - 1 ? null : (stops[next] ?? null));
  };
  const follow = (event: PointerEvent) => {
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
          {axis.marks.map((mark, place) => (
            <span key={mark} className={styles.mark} style={{ top: top(mark) }}>
              {words[place]}
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
          onKeyDown={walk}
          onPointerDown={follow}
          onPointerMove={follow}
          onPointerLeave={(event) => event.pointerType === 'mouse' && setChosen(null)}
        >
          <PlotLines line={line} axis={axis} />
          <span className={styles.cursor} data-chosen={chosen !== null} style={{ left: left(moment) }} />
          {point?.value == null ? null : (
            <span className={styles.dot} style={{ left: left(moment), top: top(point.value) }} />
          )}
        </div>
        <div className={styles.times} aria-hidden="true">
          {times.map(({ at, words: time }) => (
            <span key={at} className={styles.time} style={{ left: left(at) }}>
              {time}
            </span>
          ))}
        </div>
        <span className="visually-hidden" id={help}>
          Arrow keys move from change to change, page keys further, Home and End to the ends.
        </span>
      </div>
    </>
  );
}
