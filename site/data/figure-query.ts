import { type QueryKey, queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import type { FigureBodies, FigurePath, FigureStrategy } from './figure-strategies.ts';
import type { StreamState } from './live-stream.ts';
import { RequestError, request } from './request.ts';
import { serverClock } from './server-clock.ts';
import { recordCallRead } from './source-freshness.ts';

/** What a screen knows about a call's response. */
export type Reading<Body> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'known'; readonly body: Body }
  /** The server has not read it from its source yet. */
  | { readonly kind: 'unknown' }
  /** The read failed and there is no earlier response. */
  | { readonly kind: 'failed'; readonly retry: () => void; readonly retrying: boolean };

/** The fields of a query's result that a reading depends on. */
interface QueryOutcome<Body> {
  readonly data: Body | null | undefined;
  /** How many times the read has failed since the page opened, including retries. */
  readonly errorUpdateCount: number;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** A known figure stays when later reads fail. Its age shows how far to trust it. */
export function readingOf<Body>(outcome: QueryOutcome<Body>): Reading<Body> {
  const { data, errorUpdateCount, isFetching, refetch } = outcome;
  if (data !== undefined) return data === null ? { kind: 'unknown' } : { kind: 'known', body: data };
  // Not `error`: it is cleared while the next attempt runs, and the screen would flicker.
  if (errorUpdateCount > 0) return { kind: 'failed', retry: () => void refetch(), retrying: isFetching };
  return { kind: 'loading' };
}

/** Fields that describe when a body was read, not its figures. */
const READ_FIELDS: ReadonlySet<string> = new Set(['asOf', 'slot', 'state']);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns `before` if `after` has the same figures and was only read later. Otherwise returns `after` with the unchanged
 * parts of `before`, so that React does not render them again.
 */
export function keepSameFigures(before: unknown, after: unknown): unknown {
  const shared: unknown = replaceEqualDeep(before, after);
  if (!isRecord(before) || !isRecord(shared)) return shared;
  const names = Object.keys(shared);
  if (names.length !== Object.keys(before).length) return shared;
  return names.every((name) => READ_FIELDS.has(name) || shared[name] === before[name]) ? before : shared;
}

/** The key of a figure in the query cache. */
export function figureKey(path: string): QueryKey {
  return [path];
}

/**
 * Whether the API itself says that a figure has not been read from its source yet. A proxy's 503 has no such body and
 * counts as a failure.
 */
export function isNotKnownYet(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.status !== 503) return false;
  try {
    const body: unknown = JSON.parse(error.body);
    return isRecord(body) && body.success === false;
  } catch {
    return false;
  }
}

/** Reads the body of a call. @returns null while the server does not know it. @throws {RequestError} */
export async function readBody<Body>(path: string, signal: AbortSignal): Promise<Body | null> {
  try {
    const response = await request('GET', path, { signal });
    // While the stream is down, no heartbeat carries the time; this header does.
    serverClock.sync(Date.parse(response.headers.get('date') ?? ''));
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
  recordCallRead(path, body);
  return body;
}

/**
 * The query of a figure. While the stream is open it pushes the figure or announces that it changed; while it is down
 * the query polls at the strategy's interval, except in a hidden tab. It waits while the stream first opens.
 */
export function figureQuery<Path extends FigurePath>(strategy: FigureStrategy<Path>, stream: StreamState) {
  return queryOptions<FigureBodies[Path] | null>({
    queryKey: figureKey(strategy.path),
    queryFn: ({ signal }) => readFigure(strategy.path, signal),
    // The stream's first message has almost every figure. A missing one is fetched once.
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
