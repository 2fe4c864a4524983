import { useMemo, useState } from 'react';
import { chartMomentText, extentOf, type ValueAxis, valueAxis } from './axes.ts';
import styles from './chart.module.css';
import { type ChartLine, cursorStops, pointAt, stepArea, stepPath, stopIndexAt } from './chart-line.ts';
import { type PlottedSeries, SERIES_LABELS, seriesText } from './chart-texts.ts';
import { depthOf, Plot, percent } from './Plot.tsx';

/** The volume's axis ends at this multiple of the highest volume, so the area fills at most a fifth of the plot. */
const VOLUME_AXIS_FACTOR = 5;

const PERCENTAGES: ValueAxis = { bottom: 0, top: 100, marks: [0, 25, 50, 75, 100], step: 25 };

interface StepPlotProps {
  readonly series: PlottedSeries;
  readonly line: ChartLine;
  /** Drawn as an area at the bottom, on an axis of its own that begins at zero. */
  readonly volume?: ChartLine | undefined;
}

export function StepPlot({ series, line, volume }: StepPlotProps) {
  const { title, unit, isCount } = SERIES_LABELS[series];
  const [chosenMoment, setChosenMoment] = useState<number | null>(null);
  const axis = useMemo(() => {
    if (series === 'network') return PERCENTAGES;
    const [lowest, highest] = extentOf(line.points);
    return valueAxis(lowest, highest, isCount);
  }, [series, line, isCount]);
  // The line has no area below it: most axes do not begin at zero, so an area would exaggerate the changes.
  const path = useMemo(() => stepPath(line, axis.bottom, axis.top), [line, axis]);
  const area = useMemo(
    () => volume && stepArea(volume, VOLUME_AXIS_FACTOR * Math.max(extentOf(volume.points)[1], 1)),
    [volume],
  );
  const stops = useMemo(() => cursorStops(line), [line]);

  const { from, to } = line;
  const newest = stops.at(-1) ?? to;
  const moment = chosenMoment === null ? newest : Math.min(Math.max(chosenMoment, from), to);
  const point = pointAt(line, moment);
  const valueText = seriesText(series, point?.text ?? null);
  const volumeText = volume && seriesText('volume', pointAt(volume, moment)?.text ?? null);
  const isNow = chosenMoment === null && line.knownUntil === to && line.isPast !== true;
  const whenText = isNow ? 'Now' : `${chartMomentText(moment)} UTC`;
  const cursor = (moment - from) / (to - from);

  return (
    <>
      <p className={styles.readout} aria-hidden="true">
        <span className={styles.value}>{valueText}</span>
        <span> {unit}</span>
        <span className={styles.moment}>{whenText}</span>
      </p>
      <Plot
        title={title}
        axis={axis}
        from={from}
        to={to}
        stopsName="changes"
        stopCount={stops.length}
        stopIndex={stopIndexAt(stops, moment)}
        spokenText={`${whenText}: ${valueText}${point === null ? '' : ` ${unit}`}${volume ? `, ${SERIES_LABELS.volume.title} ${volumeText}` : ''}`}
        cursor={cursor}
        isChosen={chosenMoment !== null}
        onIndex={(next) =>
          setChosenMoment(next === null || next >= stops.length - 1 ? null : (stops[next] ?? null))
        }
        onPosition={(position) => setChosenMoment(from + position * (to - from))}
        shapes={
          <>
            {area && <path className={styles.area} d={area} />}
            <path className={styles.line} d={path} />
          </>
        }
      >
        {volume && (
          <span className={styles.volume}>
            {SERIES_LABELS.volume.title} {volumeText}
          </span>
        )}
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
