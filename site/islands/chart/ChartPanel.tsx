import { useId, useState } from 'react';
import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import type { HistoryBody } from '../../data/history-query.ts';
import type { Reading } from '../../data/reading.ts';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './chart.module.css';
import { SERIES_WORDS } from './chart-words.ts';
import { KnownChart } from './KnownChart.tsx';
import { RangeChoice } from './RangeChoice.tsx';
import type { LatestValue } from './use-latest.ts';

export interface ChartPanelProps {
  readonly series: ChartSeries;
  readonly range: ChartRange;
  readonly onRange: (range: ChartRange) => void;
  readonly reading: Reading<HistoryBody>;
  /** The live figure that the history goes on with; null until it is known. */
  readonly latest: LatestValue | null;
}

/** A chart with its heading and ranges. Every state takes the same room, so nothing moves when it changes. */
export function ChartPanel({ series, range, onRange, reading, latest }: ChartPanelProps) {
  const heading = useId();
  const [asTable, setAsTable] = useState(false);
  const { title } = SERIES_WORDS[series];
  return (
    <section className={styles.panel} aria-labelledby={heading}>
      <header className={styles.head}>
        <h2 id={heading}>{title}</h2>
        <RangeChoice label={`Range of ${title}`} range={range} onRange={onRange} />
      </header>
      {reading.kind === 'known' && reading.body.points.length > 0 ? (
        <KnownChart
          body={reading.body}
          latest={latest}
          isBehind={reading.body.range !== range}
          asTable={asTable}
          onTable={setAsTable}
        />
      ) : (
        <Vacant title={title} reading={reading} />
      )}
    </section>
  );
}

const LINES = [0, 1, 2, 3, 4];

/** The place of a chart that cannot be drawn, and why. */
function Vacant({ title, reading }: { readonly title: string; readonly reading: Reading<HistoryBody> }) {
  const loading = reading.kind === 'loading';
  return (
    <>
      <div className={styles.vacant} aria-busy={loading}>
        {LINES.map((line) => (
          <span key={line} className={styles.rule} aria-hidden="true" />
        ))}
        <p className={loading ? undefined : styles.notice}>
          {loading ? (
            <LoadingWords />
          ) : reading.kind === 'failed' ? (
            <>
              The history could not be read.{' '}
              <RetryButton
                retry={{ run: reading.retry, running: reading.retrying }}
                what={`the history of ${title}`}
              />
            </>
          ) : (
            'No history is known yet. It begins with the first reading.'
          )}
        </p>
      </div>
      <p className={styles.foot} />
    </>
  );
}
