import { useId, useMemo, useState } from 'react';
import type { ChartRange, ChartSeries } from '../../../data/contract/history.ts';
import type { Reading } from '../../data/figure-query.ts';
import { liveIsland } from '../ui/Live.tsx';
import { LoadingText, RetryButton } from '../ui/ReadStates.tsx';
import styles from './chart.module.css';
import {
  type FigureSeries,
  type HistoryBody,
  type LatestValue,
  useHistory,
  useLatest,
  type VolumeReading,
} from './chart-data.ts';
import { RANGE_LABELS, SERIES_LABELS } from './chart-texts.ts';
import { LiveChart } from './LiveChart.tsx';

export default liveIsland(function HistoryChart({ series }: { readonly series: FigureSeries }) {
  const [range, setRange] = useState<ChartRange>('30d');
  const Panel = series === 'price' ? PricePanel : ChartPanel;
  return (
    <Panel
      series={series}
      range={range}
      onRange={setRange}
      reading={useHistory(series, range)}
      latest={useLatest(series)}
    />
  );
});

/** The share of endpoints that respond. The line has no live value at its end, because the footer shows the current state. */
export const NetworkChart = liveIsland(function NetworkChart() {
  const [range, setRange] = useState<ChartRange>('7d');
  const reading = useHistory('network', range);
  return <ChartPanel series="network" range={range} onRange={setRange} reading={reading} latest={null} />;
});

/** The price with the volume. While the volume is loading or unknown, only the price is shown. */
function PricePanel(props: ChartPanelProps) {
  const reading = useHistory('volume', props.range);
  const latest = useLatest('volume');
  const body = reading.kind === 'known' ? reading.body : null;
  const volume = useMemo(() => (body ? { body, latest } : undefined), [body, latest]);
  return <ChartPanel {...props} volume={volume} />;
}

interface ChartPanelProps {
  readonly series: ChartSeries;
  readonly range: ChartRange;
  readonly onRange: (range: ChartRange) => void;
  readonly reading: Reading<HistoryBody>;
  /** The live figure that continues the history; null until it is known. */
  readonly latest: LatestValue | null;
  readonly volume?: VolumeReading | undefined;
}

/** All states have the same height, so that nothing moves. */
export function ChartPanel({ series, range, onRange, reading, latest, volume }: ChartPanelProps) {
  const headingId = useId();
  const [asTable, setAsTable] = useState(false);
  const { title } = SERIES_LABELS[series];
  return (
    <section className={styles.panel} aria-labelledby={headingId}>
      <header className={styles.head}>
        <h2 id={headingId}>{title}</h2>
        <RangeChoice label={`${title}: time range`} range={range} onRange={onRange} />
      </header>
      {reading.kind === 'known' && reading.body.points.length > 0 ? (
        <LiveChart
          body={reading.body}
          latest={latest}
          volume={volume}
          isLoading={reading.body.range !== range}
          asTable={asTable}
          onAsTableChange={setAsTable}
        />
      ) : (
        <EmptyPlot title={title} reading={reading} />
      )}
    </section>
  );
}

// Taken from the labels, because importing the contract would add its schemas to the page.
const RANGES = Object.entries(RANGE_LABELS) as readonly [ChartRange, string][];

interface RangeChoiceProps {
  readonly label: string;
  readonly range: ChartRange;
  readonly onRange: (range: ChartRange) => void;
}

function RangeChoice({ label, range, onRange }: RangeChoiceProps) {
  const name = useId();
  return (
    <fieldset className={`${styles.ranges} script-only`}>
      <legend className="visually-hidden">{label}</legend>
      {RANGES.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === range}
            onChange={() => onRange(value)}
          />
          <span className={styles.range}>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

function EmptyPlot({ title, reading }: { readonly title: string; readonly reading: Reading<HistoryBody> }) {
  const isLoading = reading.kind === 'loading';
  return (
    <>
      <div className={styles.empty} data-plot={reading.kind} aria-busy={isLoading}>
        {[0, 1, 2, 3, 4].map((line) => (
          <span key={line} className={styles.rule} aria-hidden="true" />
        ))}
        <p className={isLoading ? undefined : styles.notice}>
          {isLoading ? (
            <LoadingText />
          ) : reading.kind === 'failed' ? (
            <>
              Could not load the history.{' '}
              <RetryButton
                retry={{ run: reading.retry, running: reading.isRetrying }}
                what={`the history of ${title}`}
              />
            </>
          ) : (
            'No history yet. The chart begins with the first reading.'
          )}
        </p>
      </div>
      <p className={styles.foot} />
    </>
  );
}
