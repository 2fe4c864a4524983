/**
 * How many calls an endpoint takes in one request, learnt from what it refuses: providers cap batches, each at a number of
 * its own, and say so in words of their own. There is no limit until a request of several calls is refused as a whole; half
 * of that request is the limit then. It doubles with each minute without a refusal: what was refused may have been no
 * matter of the size, and where it was, a request a minute is in vain.
 */
export interface BatchSize {
  /** How many of so many calls may be sent in one request: at least one. */
  allowed(calls: number): number;
  /**
   * A request of so many calls was refused as a whole. Where it was one call, size was not the reason: what was concluded
   * from the refusals before it no longer counts.
   */
  refused(calls: number): void;
}

const GROWS_AFTER_MS = 60_000;
/** Refusals less than this apart are of one request that is sent again in parts. */
const SERIES_MS = 5_000;

/** @param now milliseconds of a clock that never steps back */
export function createBatchSize(now: () => number): BatchSize {
  let most = Number.POSITIVE_INFINITY;
  let refusedAt = Number.NEGATIVE_INFINITY;
  /** The limit before the refusals that came one upon another. */
  let before = most;
  const limit = (): number => most * 2 ** Math.floor((now() - refusedAt) / GROWS_AFTER_MS);
  return {
    allowed: (calls) => Math.min(calls, limit()),
    refused(calls) {
      if (calls === 1) {
        most = before;
        return;
      }
      if (now() - refusedAt >= SERIES_MS) before = most === Number.POSITIVE_INFINITY ? most : limit();
      // Requests that were under way together are refused together: the limit is not halved for each.
      most = Math.min(limit(), Math.max(1, Math.floor(calls / 2)));
      refusedAt = now();
    },
  };
}
