import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { StakeHistory } from '../../../data/contract/wallet-history.ts';
import { request } from '../../data/request.ts';
import { ChartActions } from '../chart/ChartActions.tsx';
import chart from '../chart/chart.module.css';
import { chartCsv, SERIES_LABELS, spanText } from '../chart/chart-texts.ts';
import { PointTable } from '../chart/PointTable.tsx';
import { StepPlot } from '../chart/StepPlot.tsx';
import { sourceLabel } from '../ui/provenance.ts';
import { LoadingText, RetryButton } from '../ui/ReadStates.tsx';
import { type HistoryView, historyQuery, stakeLine } from './history-view.ts';

const UNKNOWN_REASONS: Readonly<Record<NonNullable<StakeHistory['unknownFor']>, string>> = {
  'not-read-yet': 'the events of this wallet are being read from the chain',
  'too-many-events': 'this wallet has too many events for a chart',
  'no-match': 'the indexed events do not add up to the stake of this wallet',
};

const TITLE = SERIES_LABELS.stake.title;

interface StakeChartProps {
  readonly position: WalletPosition;
  readonly view: HistoryView;
  /** A string that changes when the wallet's events change, so that the chart is read again. */
  readonly refreshKey: string;
}

export function StakeChart({ position, view, refreshKey }: StakeChartProps) {
  const { walletAddress } = position;
  const [asTable, setAsTable] = useState(false);
  const path = `${PATHS.stakeHistory}?${historyQuery(walletAddress, { ...view, type: null })}`;
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: [path, refreshKey],
    queryFn: async ({ signal }): Promise<StakeHistory> => (await request('GET', path, { signal })).json(),
    placeholderData: keepPreviousData,
  });
  const isCurrent = data?.staked === position.staked;
  const knownUntil = Math.max(
    Date.parse(data?.asOf ?? position.asOf),
    isCurrent ? Date.parse(position.asOf) : 0,
  );
  const line = data?.points ? stakeLine(data.points, view, knownUntil) : null;
  const sourceText = `From the wallet’s events, UTC · ${sourceLabel(position.source)}`;
  return (
    <section className={chart.panel} aria-label={TITLE} data-stake-chart={line ? 'known' : 'unknown'}>
      <header className={chart.head}>
        <h3>{TITLE}</h3>
      </header>
      {line === null ? (
        <div className={chart.empty} aria-busy={data === undefined && !isError}>
          {[0, 1, 2, 3, 4].map((rule) => (
            <span key={rule} className={chart.rule} aria-hidden="true" />
          ))}
          <p className={chart.notice}>
            {data !== undefined ? (
              data.unknownFor === null ? (
                'No stake in this range.'
              ) : (
                `Not available: ${UNKNOWN_REASONS[data.unknownFor]}.`
              )
            ) : isError ? (
              <>
                Could not load the chart.{' '}
                <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what="the chart" />
              </>
            ) : (
              <LoadingText />
            )}
          </p>
        </div>
      ) : (
        <>
          <figure className={chart.body} aria-label={TITLE} aria-busy={isFetching}>
            {asTable ? <PointTable series="stake" line={line} /> : <StepPlot series="stake" line={line} />}
          </figure>
          <div className={chart.foot}>
            <span className={chart.source}>{sourceText}</span>
            <ChartActions
              title={TITLE}
              asTable={asTable}
              onAsTableChange={setAsTable}
              fileName={`blackduck-stake-${walletAddress.slice(0, 8)}`}
              csv={() => chartCsv('stake', line.points)}
              note={`${spanText(line)} · ${sourceText}`}
            />
          </div>
        </>
      )}
    </section>
  );
}
