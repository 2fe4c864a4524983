import { useMemo } from 'react';
import { $callReads } from '../../data/call-reads.ts';
import type { HistoryBody } from '../../data/history-query.ts';
import { $lastReads, type FigureRead, heldAt } from '../../data/source-freshness.ts';
import { useFigureState } from '../../data/use-figure.ts';
import { useTimeInSteps } from '../../data/use-history.ts';
import { offerDownload } from '../download/offer-download.ts';
import { Age } from '../figure/Age.tsx';
import { sourceWords } from '../figure/source-words.ts';
import styles from './chart.module.css';
import { chartLine } from './chart-line.ts';
import { chartCsv, csvName, RESOLUTION_WORDS } from './chart-words.ts';
import { PointTable } from './PointTable.tsx';
import { StepPlot } from './StepPlot.tsx';
import type { LatestValue } from './use-latest.ts';

interface KnownChartProps {
  readonly body: HistoryBody;
  readonly latest: LatestValue | null;
  /** Whether another range is on its way. */
  readonly isBehind: boolean;
  readonly asTable: boolean;
  readonly onTable: (asTable: boolean) => void;
}

/** How often (ms) the end of a chart moves on while nothing happens: less than a stroke's width of it. */
const MOVES_EVERY: Readonly<Record<HistoryBody['range'], number>> = {
  '24h': 60_000,
  '7d': 600_000,
  '30d': 1_800_000,
  all: 1_800_000,
};

/** A chart or its table, the newest value at its end; where that is no longer known to hold, the line ends before. */
export function KnownChart({ body, latest, isBehind, asTable, onTable }: KnownChartProps) {
  const { series, range, points, resolution, source: sources } = body;
  const read: FigureRead = {
    asOf: Math.max(latest?.at ?? 0, Date.parse(body.asOf)),
    source: series === 'price' ? 'market' : 'chain',
    calls: latest === null ? [] : [latest.call],
  };
  const state = useFigureState(read);
  const now = useTimeInSteps(MOVES_EVERY[range]);
  const heard = { sources: $lastReads.get(), calls: $callReads.get() };
  const knownUntil = state === 'live' ? Number.POSITIVE_INFINITY : heldAt(read, heard);
  const { at = 0, text = null } = latest ?? {};
  const line = useMemo(
    () => chartLine(points, range, text === null ? null : { at, text }, knownUntil, now),
    [points, range, at, text, knownUntil, now],
  );
  return (
    <>
      <div className={styles.body} data-state={state} aria-busy={isBehind}>
        {asTable ? (
          <PointTable series={series} line={line} />
        ) : (
          <StepPlot key={range} series={series} line={line} />
        )}
      </div>
      <div className={styles.foot}>
        <span className={styles.from}>
          {RESOLUTION_WORDS[resolution]}, UTC · {sources.map(sourceWords).join(', ')}
        </span>
        <Age read={read} />
        <span className={styles.actions}>
          <button type="button" onClick={() => onTable(!asTable)}>
            {asTable ? 'Show as chart' : 'Show as table'}
          </button>
          <button
            type="button"
            onClick={() =>
              offerDownload(csvName(series, range, Date.now()), chartCsv(series, line.points), 'text/csv')
            }
          >
            CSV<span className="visually-hidden"> download</span>
          </button>
        </span>
      </div>
    </>
  );
}
