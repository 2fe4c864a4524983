import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { figureQuery } from './figure-query.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { startPageStream } from './page-stream.ts';
import { type Reading, readingOf } from './reading.ts';
import { $lastReads, figureState, type Source } from './source-freshness.ts';
import { $streamState, type StreamState } from './stream-state.ts';
import { $now } from './ticking-clock.ts';

const never = () => () => {};

/**
 * False while the first render repeats the built page, which knows no figure; true from then on. An island that wakes
 * late would else meet figures in the cache that its static HTML does not have.
 */
function useAwake(): boolean {
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

/** One live figure: pushed by the stream, polled by its strategy while the stream is down. */
export function useFigure<Path extends FigurePath>(
  strategy: FigureStrategy<Path>,
): Reading<FigureBodies[Path]> {
  const awake = useAwake();
  const outcome = useQuery(figureQuery(strategy, useStreamState()));
  useEffect(startPageStream, []);
  return awake ? readingOf(outcome) : { kind: 'loading' };
}

function subscribeToAges(changed: () => void): () => void {
  const stopClock = $now.listen(changed);
  const stopReads = $lastReads.listen(changed);
  return () => {
    stopClock();
    stopReads();
  };
}

/** How far a figure read at `asOf` (Unix ms) can be trusted now; renders again only when that changes. */
export function useFigureState(asOf: number, source: Source): 'live' | 'ageing' | 'stale' {
  const state = () => figureState(asOf, source, $lastReads.get(), $now.get());
  return useSyncExternalStore(subscribeToAges, state, state);
}
