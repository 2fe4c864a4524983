import { useStore } from '@nanostores/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useSyncExternalStore } from 'react';
import { $network, $streamState, type NetworkState, type StreamState } from './connection.ts';
import { figureKey, figureQuery, type Reading, readingOf } from './figure-query.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { startPageStream } from './page-stream.ts';
import {
  $callReads,
  $lastReads,
  $pollIntervals,
  $storedReads,
  type FigureRead,
  figureState,
} from './source-freshness.ts';
import { $now } from './ticking-clock.ts';
import { useHydrated } from './use-hydrated.ts';

export function useStreamState(): StreamState {
  return useStore($streamState, { ssr: 'initial' });
}

/** Null until the first read. */
export function useNetwork(): NetworkState | null {
  return useStore($network, { ssr: 'initial' });
}

const wholeBody = <Body>(body: Body) => body;

/**
 * A live figure. The stream pushes it or announces its changes. While the stream is down, the figure is polled. The reading
 * stays the same object until its content changes, so that a memoized component renders only then.
 */
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
): Reading<FigureBodies[Path]>;
/** As above, but returns only the part of the body that `pick` selects. `pick` must be the same function in every render. */
export function useFigure<Path extends FigurePath, Part>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => Part,
): Reading<Part>;
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => unknown = wholeBody,
): Reading<unknown> {
  const { path } = strategy;
  const isHydrated = useHydrated();
  const client = useQueryClient();
  const { data, errorUpdateCount, isFetching, refetch } = useQuery({
    ...figureQuery(strategy, useStreamState()),
    select: (body) => (body === null ? null : pick(body)),
    // A screen with a known figure shows neither errors nor the progress of later reads, so these cause no render.
    notifyOnChangeProps: () =>
      client.getQueryData(figureKey(path)) === undefined
        ? ['data', 'errorUpdateCount', 'isFetching']
        : ['data'],
  });
  useEffect(startPageStream, []);
  const isRetrying = data === undefined && isFetching;
  const failures = data === undefined ? errorUpdateCount : 0;
  const reading = useMemo<Reading<unknown>>(
    () =>
      isHydrated
        ? readingOf({ data, errorUpdateCount: failures, isFetching: isRetrying, refetch })
        : { kind: 'loading' },
    [isHydrated, data, failures, isRetrying, refetch],
  );
  // The first message contains almost all figures. Because they are deferred, React renders a few at a time, and the browser
  // can handle input in between.
  return useDeferredValue(reading);
}

function subscribeToAges(onChange: () => void): () => void {
  const unsubscribers = [$now, $lastReads, $callReads, $pollIntervals, $storedReads].map((store) =>
    store.listen(onChange),
  );
  return () => {
    for (const stop of unsubscribers) stop();
  };
}

/** How far a figure can be trusted now. The component re-renders only when the result changes. */
export function useFigureState(read: FigureRead): 'live' | 'ageing' | 'stale' {
  const readLatest = () => ({
    sources: $lastReads.get(),
    calls: $callReads.get(),
    polls: $pollIntervals.get(),
    stored: $storedReads.get(),
  });
  const readState = () => figureState(read, readLatest(), $now.get());
  return useSyncExternalStore(subscribeToAges, readState, readState);
}
