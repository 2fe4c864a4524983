import { type Query, type QueryKey, queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import { $streamState, type StreamState } from './connection.ts';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import { bodyField, RequestError, request } from './request.ts';
import { serverClock } from './server-clock.ts';
import { recordPoll } from './source-freshness.ts';
import { keepFigure, recallFigure } from './stored-figures.ts';

/** What a screen shows for a call: the figure itself, or why there is none. */
export type Reading<Body> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'known'; readonly body: Body }
  /** The server has not read the figure from its source yet. */
  | { readonly kind: 'unknown' }
  /** The read failed and there is no earlier response. */
  | { readonly kind: 'failed'; readonly retry: () => void; readonly isRetrying: boolean };

interface QueryOutcome<Body> {
  readonly data: Body | null | undefined;
  /** How many reads have failed since the page opened. A read and its automatic retries count as one. */
  readonly errorUpdateCount: number;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** A known figure stays on the screen when later reads fail; its age shows how far to trust it. */
export function readingOf<Body>(outcome: QueryOutcome<Body>): Reading<Body> {
  const { data, errorUpdateCount, isFetching, refetch } = outcome;
  if (data !== undefined) return data === null ? { kind: 'unknown' } : { kind: 'known', body: data };
  // Does not use `error`: React Query clears it during the next attempt, so the screen would flicker.
  if (errorUpdateCount > 0) return { kind: 'failed', retry: () => void refetch(), isRetrying: isFetching };
  return { kind: 'loading' };
}

/** Fields that describe how current a body is. They are not figures. */
const READ_FIELDS: ReadonlySet<string> = new Set(['asOf', 'slot', 'state']);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOlder(body: Record<string, unknown>, other: Record<string, unknown>): boolean {
  return typeof body.slot === 'number' && typeof other.slot === 'number' && body.slot < other.slot;
}

/**
 * Returns `before` if `after` has the same figures, or has an earlier slot because a replica is behind. Otherwise returns
 * `after`, reusing the unchanged parts of `before`, so that React does not render them again.
 */
export function keepSameFigures(before: unknown, after: unknown): unknown {
  if (isRecord(before) && isRecord(after) && isOlder(after, before)) return before;
  const shared: unknown = replaceEqualDeep(before, after);
  if (!isRecord(before) || !isRecord(shared)) return shared;
  const names = Object.keys(shared);
  if (names.length !== Object.keys(before).length) return shared;
  return names.every((name) => READ_FIELDS.has(name) || shared[name] === before[name]) ? before : shared;
}

export function figureKey(path: string): QueryKey {
  return [path];
}

export function isFigureQuery({ meta }: Query): boolean {
  return meta?.isFigure === true;
}

/**
 * Whether the API itself reports that it has not read a figure yet. A proxy's 503 does not have the API's error body, and
 * counts as a failure.
 */
export function isNotKnownYet(error: unknown): boolean {
  return error instanceof RequestError && error.status === 503 && isApiError(error);
}

/** An error without the API's error body comes from the network or a proxy. */
function isApiError(error: unknown): boolean {
  return error instanceof RequestError && bodyField(error.body, 'success') === false;
}

/** @returns null while the server has no data for the call @throws {RequestError} */
export async function readBody<Body>(path: string, signal: AbortSignal): Promise<Body | null> {
  try {
    const response = await request('GET', path, { signal });
    // Heartbeats also carry the server's time, but there are none while the stream is down.
    serverClock.sync(Date.parse(response.headers.get('date') ?? ''));
    return (await response.json()) as Body;
  } catch (error) {
    if (isNotKnownYet(error)) return null;
    throw error;
  }
}

/**
 * Like `readBody`, but also stores the body on this device. If the API cannot be reached, returns the stored body.
 * @param intervalMs milliseconds between two polls; null while the stream is open
 * @throws {RequestError}
 */
export async function readFigure<Body>(
  path: string,
  intervalMs: number | null,
  signal: AbortSignal,
): Promise<Body | null> {
  try {
    const body = await readBody<Body>(path, signal);
    keepFigure(path, body);
    recordPoll(path, intervalMs);
    return body;
  } catch (error) {
    if (signal.aborted) throw error;
    recordPoll(path, null);
    // With an open stream the server can be reached, so a retry is better than a stored body.
    const isServerReachable = isApiError(error) || $streamState.get() === 'live';
    const stored = isServerReachable ? undefined : recallFigure(path);
    if (stored === undefined) throw error;
    return stored as Body;
  }
}

/**
 * The query for a figure. An open stream pushes the figure or announces that it changed. While the stream is down, the query
 * polls at the strategy's interval, except in a hidden tab. While the stream is opening for the first time, the query waits.
 */
export function figureQuery<Path extends FigurePath>(strategy: FigureStrategy<Path>, stream: StreamState) {
  return queryOptions<FigureBodies[Path] | null>({
    queryKey: figureKey(strategy.path),
    meta: { isFigure: true },
    queryFn: ({ signal }) =>
      readFigure<FigureBodies[Path]>(
        strategy.path,
        stream === 'reconnecting' ? strategy.intervalMs : null,
        signal,
      ),
    // The stream's first message contains almost every figure. Figures that it lacks are read once, and again after each
    // invalidation.
    enabled: ({ state }) =>
      stream === 'reconnecting' || (stream === 'live' && (state.data === undefined || state.isInvalidated)),
    refetchInterval: stream === 'reconnecting' ? strategy.intervalMs : false,
    refetchIntervalInBackground: false,
    structuralSharing: keepSameFigures,
    retry: strategy.retry,
    ...(strategy.retryDelay ? { retryDelay: strategy.retryDelay } : {}),
    ...(strategy.staleTime === undefined ? {} : { staleTime: strategy.staleTime }),
  });
}
