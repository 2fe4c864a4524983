import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { ChartRange, ChartSeries, history } from '../../data/contract/history.ts';
import { readBody } from './figure-query.ts';

export type HistoryBody = ResponseOf<typeof history>;

/**
 * Milliseconds between two reads of a history. In between a chart goes on with the live figure, which the stream brings:
 * what is read again are the steps between.
 */
const INTERVAL = 120_000;
const STALE_TIME = 60_000;

/** The query of a history. While another range is read, the one shown before stays. */
export function historyQuery(series: ChartSeries, range: ChartRange) {
  const path = `/api/history?series=${series}&range=${range}`;
  return queryOptions<HistoryBody | null>({
    queryKey: [path],
    queryFn: ({ signal }) => readBody<HistoryBody>(path, signal),
    refetchInterval: INTERVAL,
    refetchIntervalInBackground: false,
    staleTime: STALE_TIME,
    placeholderData: keepPreviousData,
  });
}
