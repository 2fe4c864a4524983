import { useMemo, useState } from 'react';
import type { ChartSeries } from '../../../data/contract/history.ts';
import { momentText, rangeOf, valueAxis } from './axes.ts';
import styles from './chart.module.css';
import { type ChartLine, cursorStops, pointAt, stepPath, stopAt } from './chart-line.ts';
import { SERIES_LABELS, valueText } from './chart-texts.ts';
import { depthOf, Plot, percent } from './Plot.tsx';

/** A step line with its axes and the value at the cursor. */
export function StepPlot({ series, line }: { readonly series: ChartSeries; readonly line: ChartLine }) {
  const { title, prefix, unit, isCount } = SERIES_LABELS[series];
  const [chosen, setChosen] = useState<number | null>(null);
  const axis = useMemo(() => {
    const [lowest, highest] = rangeOf(line.points);
    return valueAxis(lowest, highest, isCount);
  }, [line, isCount]);
  // No area below the line: most axes do not begin at zero, and an area would show a wrong ratio.
  const path = useMemo(() => stepPath(line, axis.bottom, axis.top), [line, axis]);
  const stops = useMemo(() => cursorStops(line), [line]);

  const { from, to } = line;
  const newest = stops.at(-1) ?? to;
  const moment = chosen === null ? newest : Math.min(Math.max(chosen, from), to);
  const point = pointAt(line, moment);
  const value = point?.text == null ? 'Not available' : `${prefix}${valueText(series, point.text)}`;
  const when = chosen === null && line.knownUntil === to ? 'Now' : `${momentText(moment)} UTC`;
  const cursor = (moment - from) / (to - from);

  return (
    <>
      <p className={styles.readout} aria-hidden="true">
        <span className={styles.value}>{value}</span>
        <span> {unit}</span>
        <span className={styles.moment}>{when}</span>
      </p>
      <Plot
        title={title}
        axis={axis}
        from={from}
        to={to}
        stops="changes"
        count={stops.length}
        index={stopAt(stops, moment)}
        spoken={`${when}: ${value}${point === null ? '' : ` ${unit}`}`}
        cursor={cursor}
        isChosen={chosen !== null}
        onIndex={(next) =>
          setChosen(next === null || next >= stops.length - 1 ? null : (stops[next] ?? null))
        }
        onPosition={(position) => setChosen(from + position * (to - from))}
        shapes={<path className={styles.line} d={path} />}
      >
        {point?.value == null ? null : (
          <span
            className={styles.dot}
            style={{ left: percent(cursor), top: percent(depthOf(point.value, axis)) }}
          />
        )}
      </Plot>
    </>
  );
}
