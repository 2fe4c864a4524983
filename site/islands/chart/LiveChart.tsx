import { useMemo } from 'react';
import { FRESHNESS, freshnessOfReads } from '../../../data/model/value-state.ts';
import { $callReads, $lastReads, type FigureRead, lastConfirmedAt } from '../../data/source-freshness.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { useFigureState } from '../../data/use-figure.ts';
import { Age } from '../ui/Figure.tsx';
import { sourceLabel } from '../ui/provenance.ts';
import { ChartActions } from './ChartActions.tsx';
import styles from './chart.module.css';
import { HISTORY_INTERVAL_MS, type HistoryBody, type LatestValue, type VolumeReading } from './chart-data.ts';
import { chartLine } from './chart-line.ts';
import { chartCsv, chartFileName, RESOLUTION_LABELS, SERIES_LABELS, spanText } from './chart-texts.ts';
import { PointTable } from './PointTable.tsx';
import { StepPlot } from './StepPlot.tsx';

interface LiveChartProps {
  readonly body: HistoryBody;
  readonly latest: LatestValue | null;
  readonly volume?: VolumeReading | undefined;
  readonly isLoading: boolean;
  readonly asTable: boolean;
  readonly onAsTableChange: (asTable: boolean) => void;
}

/** Milliseconds between two updates of the chart. In that time, the line grows by less than the width of its stroke. */
const STEP_MS: Readonly<Record<HistoryBody['range'], number>> = {
  '24h': 60_000,
  '7d': 600_000,
  '30d': 1_800_000,
  all: 1_800_000,
};

/** If the data is not live, the line ends where its newest value was last confirmed. */
export function LiveChart({
  body,
  latest,
  volume: volumeReading,
  isLoading,
  asTable,
  onAsTableChange,
}: LiveChartProps) {
  const { series, range, points, resolution, source: sources } = body;
  const figureSource = series === 'price' || series === 'volume' ? 'market' : 'chain';
  const asOf = Math.max(latest?.at ?? 0, Date.parse(body.asOf));
  const read: FigureRead =
    latest === null
      ? {
          asOf,
          source: figureSource,
          calls: [],
          freshness: freshnessOfReads(HISTORY_INTERVAL_MS, FRESHNESS[figureSource]),
        }
      : { asOf, source: figureSource, calls: [latest.call] };
  const state = useFigureState(read);
  const stepMs = STEP_MS[range];
  const now = useTicking((time) => Math.floor(time / stepMs) * stepMs);
  const latestReads = { sources: $lastReads.get(), calls: $callReads.get() };
  const knownUntil = state === 'live' ? Number.POSITIVE_INFINITY : lastConfirmedAt(read, latestReads);
  const { at = 0, text = null } = latest ?? {};
  const line = useMemo(
    () => chartLine(points, range, text === null ? null : { at, text }, knownUntil, now),
    [points, range, at, text, knownUntil, now],
  );
  const volume = useMemo(() => {
    if (volumeReading?.body.range !== range) return undefined;
    const volumeLine = chartLine(volumeReading.body.points, range, volumeReading.latest, knownUntil, now);
    return { ...volumeLine, from: line.from, to: line.to };
  }, [volumeReading, range, knownUntil, now, line]);
  const { title } = SERIES_LABELS[series];
  const lowestSuffix = series === 'network' ? ', lowest value' : '';
  const sourceText = `${RESOLUTION_LABELS[resolution]}${lowestSuffix}, UTC · ${sources.map(sourceLabel).join(', ')}`;
  return (
    <>
      <figure className={styles.body} data-state={state} aria-busy={isLoading} aria-label={title}>
        {asTable ? (
          <PointTable series={series} line={line} volume={volume} />
        ) : (
          <StepPlot key={range} series={series} line={line} volume={volume} />
        )}
      </figure>
      <div className={styles.foot}>
        <span className={styles.source}>{sourceText}</span>
        <Age read={read} />
        <ChartActions
          title={title}
          asTable={asTable}
          onAsTableChange={onAsTableChange}
          fileName={chartFileName(series, range, now)}
          csv={() => chartCsv(series, line.points, volume)}
          note={`${spanText(line)} · ${sourceText}`}
        />
      </div>
    </>
  );
}
