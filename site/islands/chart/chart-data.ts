import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { ChartRange, ChartSeries, history } from '../../../data/contract/history.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { type Reading, readFigure, readingOf } from '../../data/figure-query.ts';
import {
  ANALYTICS_MARKET_DATA,
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
  type FigurePath,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { useHydrated } from '../../data/use-hydrated.ts';

export type HistoryBody = ResponseOf<typeof history>;

/** Milliseconds between two reads of a history. In between, the live figure extends the chart. */
export const HISTORY_INTERVAL_MS = 120_000;
const STALE_TIME_MS = 60_000;

function historyQuery(series: ChartSeries, range: ChartRange) {
  const path = `${PATHS.history}?series=${series}&range=${range}`;
  return queryOptions<HistoryBody | null>({
    queryKey: [path],
    queryFn: ({ signal }) => readFigure<HistoryBody>(path, null, signal),
    refetchInterval: HISTORY_INTERVAL_MS,
    refetchIntervalInBackground: false,
    staleTime: STALE_TIME_MS,
    placeholderData: keepPreviousData,
  });
}

/** While another range loads, the previous range is still shown. */
export function useHistory(series: ChartSeries, range: ChartRange): Reading<HistoryBody> {
  const isHydrated = useHydrated();
  const outcome = useQuery(historyQuery(series, range));
  return isHydrated ? readingOf(outcome) : { kind: 'loading' };
}

export interface LatestValue {
  /** When the value was read, Unix ms. */
  readonly at: number;
  /** Exact decimal text; for the volume, empty if the feed does not provide it. */
  readonly text: string;
  readonly call: FigurePath;
}

export interface VolumeReading {
  readonly body: HistoryBody;
  readonly latest: LatestValue | null;
}

/** The series whose newest value is a live figure. */
export type FigureSeries = Exclude<ChartSeries, 'network'>;

const FIGURES = {
  vault: ANALYTICS_VAULT_BALANCE,
  staked: ANALYTICS_STAKING_TOTAL,
  stakers: ANALYTICS_STAKING_TOTAL,
  price: ANALYTICS_MARKET_DATA,
  volume: ANALYTICS_MARKET_DATA,
} as const satisfies Record<FigureSeries, unknown>;
type LatestPath = (typeof FIGURES)[FigureSeries]['path'];

function textOf(series: FigureSeries, body: FigureBodies[LatestPath]): string {
  if ('vaultBalance' in body) return body.vaultBalance;
  if ('priceUsd' in body) return series === 'volume' ? (body.volume24h ?? '') : body.priceUsd;
  return series === 'stakers' ? String(body.stakerCount) : body.balance;
}

/** The newest value of a series; null until it is known. */
export function useLatest(series: FigureSeries): LatestValue | null {
  const reading = useFigure<LatestPath>(FIGURES[series]);
  return reading.kind === 'known'
    ? { at: Date.parse(reading.body.asOf), text: textOf(series, reading.body), call: FIGURES[series].path }
    : null;
}
