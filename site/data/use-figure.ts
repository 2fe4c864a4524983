import { useStore } from '@nanostores/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useSyncExternalStore } from 'react';
import { figureKey, figureQuery, type Reading, readingOf } from './figure-query.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { $streamState, type StreamState } from './live-stream.ts';
import { startPageStream } from './page-stream.ts';
import { $callReads, $lastReads, type FigureRead, figureState } from './source-freshness.ts';
import { $now } from './ticking-clock.ts';
import { useHydrated } from './use-hydrated.ts';

/** Whether the page's event stream is live. */
export function useStreamState(): StreamState {
  return useStore($streamState, { ssr: 'initial' });
}

const whole = <Body>(body: Body) => body;

/**
 * One live figure: pushed by the stream, or polled by its strategy while the stream is down. The reading stays the same
 * object until its content changes, so that a memoized tile renders for its own changes only.
 */
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
): Reading<FigureBodies[Path]>;
/** The same for the part of the body that `pick` returns. `pick` must be stable across renders. */
export function useFigure<Path extends FigurePath, Part>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => Part,
): Reading<Part>;
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => unknown = whole,
): Reading<unknown> {
  const { path } = strategy;
  const hydrated = useHydrated();
  const client = useQueryClient();
  const { data, errorUpdateCount, isFetching, refetch } = useQuery({
    ...figureQuery(strategy, useStreamState()),
    select: (body) => (body === null ? null : pick(body)),
    // Once there is a figure, screens do not show whether its next read succeeds.
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
      hydrated
        ? readingOf({ data, errorUpdateCount: failures, isFetching: isRetrying, refetch })
        : { kind: 'loading' },
    [hydrated, data, failures, isRetrying, refetch],
  );
  // The first message brings every figure at once: deferring renders a few tiles at a time and handles input in between.
  return useDeferredValue(reading);
}

function subscribeToAges(changed: () => void): () => void {
  const stops = [$now.listen(changed), $lastReads.listen(changed), $callReads.listen(changed)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** How far a figure can be trusted now. Renders only when that changes. */
export function useFigureState(read: FigureRead): 'live' | 'ageing' | 'stale' {
  const state = () => figureState(read, { sources: $lastReads.get(), calls: $callReads.get() }, $now.get());
  return useSyncExternalStore(subscribeToAges, state, state);
}
