/** What a screen has of one figure's call. */
export type Reading<Body> =
  /** Asked for, not here yet. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'known'; readonly body: Body }
  /** The server has not read it from its source yet. */
  | { readonly kind: 'unknown' }
  /** The read failed and nothing was had before; `retry` reads again. */
  | { readonly kind: 'failed'; readonly retry: () => void; readonly retrying: boolean };

/** The part of a query's result that a reading is made of. */
export interface QueryOutcome<Body> {
  readonly data: Body | null | undefined;
  /** How often the read has failed for good since the page opened. */
  readonly errorUpdateCount: number;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** A figure once had stays, and ages, when later reads fail: its own age says how far to trust it. */
export function readingOf<Body>(outcome: QueryOutcome<Body>): Reading<Body> {
  const { data, errorUpdateCount, isFetching, refetch } = outcome;
  if (data !== undefined) return data === null ? { kind: 'unknown' } : { kind: 'known', body: data };
  // Not the error's presence: it is cleared while the next attempt runs, and the screen would flicker between the two.
  if (errorUpdateCount > 0) return { kind: 'failed', retry: () => void refetch(), retrying: isFetching };
  return { kind: 'loading' };
}
