import { useQuery } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import type { ChartRange, ChartSeries } from '../../data/contract/history.ts';
import { type HistoryBody, historyQuery } from './history-query.ts';
import { type Reading, readingOf } from './reading.ts';
import { $now } from './ticking-clock.ts';
import { useAwake } from './use-figure.ts';

/** The history of a series, read again every two minutes; while another range is read, the one shown before. */
export function useHistory(series: ChartSeries, range: ChartRange): Reading<HistoryBody> {
  const awake = useAwake();
  const outcome = useQuery(historyQuery(series, range));
  return awake ? readingOf(outcome) : { kind: 'loading' };
}

/** The time now (Unix ms), rounded down to whole steps; renders again only when a step is over. */
export function useTimeInSteps(stepMs: number): number {
  const rounded = useCallback(() => Math.floor($now.get() / stepMs) * stepMs, [stepMs]);
  return useSyncExternalStore(
    useCallback((changed: () => void) => $now.listen(changed), []),
    rounded,
    rounded,
  );
}
