import { useStore } from '@nanostores/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useSyncExternalStore } from 'react';
import { $callReads } from './call-reads.ts';
import { figureKey, figureQuery } from './figure-query.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { startPageStream } from './page-stream.ts';
import { type Reading, readingOf } from './reading.ts';
import { $lastReads, type FigureRead, figureState } from './source-freshness.ts';
import { $streamState, type StreamState } from './stream-state.ts';
import { $now } from './ticking-clock.ts';

const never = () => () => {};

/**
 * False while the first render repeats the built page, which knows no figure; true from then on. An island that wakes
 * late would else meet figures in the cache that its static HTML does not have.
 */
export function useAwake(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Whether the page's event stream delivers. */
export function useStreamState(): StreamState {
  return useStore($streamState, { ssr: 'initial' });
}

const whole = <Body>(body: Body) => body;

/**
 * One live figure: pushed by the stream, polled by its strategy while the stream is down. The reading is the same object
 * until what it shows changes, so that a tile behind `memo` is drawn for its own news alone.
 */
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
): Reading<FigureBodies[Path]>;
/** The same of the part that `pick` takes of the body; `pick` has to be one function, not one made for each render. */
export function useFigure<Path extends FigurePath, Part>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => Part,
): Reading<Part>;
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
  pick: (body: FigureBodies[Path]) => unknown = whole,
): Reading<unknown> {
  const { path } = strategy;
  const awake = useAwake();
  const client = useQueryClient();
  const { data, errorUpdateCount, isFetching, refetch } = useQuery({
    ...figureQuery(strategy, useStreamState()),
    select: (body) => (body === null ? null : pick(body)),
    // Once there is a figure, how its next read goes is not shown.
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
      awake
        ? readingOf({ data, errorUpdateCount: failures, isFetching: isRetrying, refetch })
        : { kind: 'loading' },
    [awake, data, failures, isRetrying, refetch],
  );
  // A first message brings every figure at once: tiles are drawn a few at a time, and a touch is answered in between.
  return useDeferredValue(reading);
}

function subscribeToAges(changed: () => void): () => void {
  const stops = [$now.listen(changed), $lastReads.listen(changed), $callReads.listen(changed)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** How far a figure can be trusted now; renders again only when that changes. */
export function useFigureState(read: FigureRead): 'live' | 'ageing' | 'stale' {
  const state = () => figureState(read, { sources: $lastReads.get(), calls: $callReads.get() }, $now.get());
  return useSyncExternalStore(subscribeToAges, state, state);
}
