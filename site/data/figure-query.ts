import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { noteAnswer } from './call-reads.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { RequestError, request } from './request.ts';
import { keepSameFigures } from './same-figures.ts';
import { serverClock } from './server-clock.ts';
import type { StreamState } from './stream-state.ts';

/** The key of a figure in the query cache. */
export function figureKey(path: string): QueryKey {
  return [path];
}

/**
 * Whether a failure is the API's own word that a figure has not been read from its source yet. A 503 of something
 * between the page and the API carries no such body and is a failure like any other.
 */
export function isNotKnownYet(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.status !== 503) return false;
  try {
    const body: unknown = JSON.parse(error.body);
    return typeof body === 'object' && body !== null && 'success' in body && body.success === false;
  } catch {
    return false;
  }
}

/** Reads the body of a call. @returns null while the server does not know it. @throws {RequestError} */
export async function readBody<Body>(path: string, signal: AbortSignal): Promise<Body | null> {
  try {
    const response = await request('GET', path, { signal });
    // While the stream is down its heartbeat tells no time; the head of an answer does.
    serverClock.hear(Date.parse(response.headers.get('date') ?? ''));
    return (await response.json()) as Body;
  } catch (error) {
    if (isNotKnownYet(error)) return null;
    throw error;
  }
}

/** Reads one figure. @returns its body, or null while the server does not know it. @throws {RequestError} */
export async function readFigure<Path extends FigurePath>(
  path: Path,
  signal: AbortSignal,
): Promise<FigureBodies[Path] | null> {
  const body = await readBody<FigureBodies[Path]>(path, signal);
  noteAnswer(path, body);
  return body;
}

/**
 * The query of a figure: pushed by the stream while that is open, or read again when the stream announces it; polled at
 * the strategy's interval while the stream is down, and left alone for the moment in which it is first being opened.
 * Polling pauses in a hidden tab.
 */
export function figureQuery<Path extends FigurePath>(strategy: FigureStrategy<Path>, stream: StreamState) {
  return queryOptions<FigureBodies[Path] | null>({
    queryKey: figureKey(strategy.path),
    queryFn: ({ signal }) => readFigure(strategy.path, signal),
    // An open stream brings every figure with its first message; one that it did not bring is asked for once.
    enabled: ({ state }) =>
      stream === 'reconnecting' || (stream === 'live' && (state.data === undefined || state.isInvalidated)),
    refetchInterval: stream === 'reconnecting' ? strategy.interval : false,
    refetchIntervalInBackground: false,
    structuralSharing: keepSameFigures,
    retry: strategy.retry,
    ...(strategy.retryDelay ? { retryDelay: strategy.retryDelay } : {}),
    ...(strategy.staleTime === undefined ? {} : { staleTime: strategy.staleTime }),
  });
}
