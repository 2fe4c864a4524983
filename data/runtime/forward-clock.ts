/**
 * Returns a clock that follows the wall clock, in whole Unix milliseconds, but never goes back. If the wall clock is set
 * back, the returned clock continues from its last time, so that no expired code becomes valid again.
 * @param now the wall clock, in Unix milliseconds
 * @param monotonicNow a monotonic clock, in milliseconds
 */
export function forwardClock(now: () => number, monotonicNow: () => number): () => number {
  let offset = Number.NEGATIVE_INFINITY;
  return () => {
    const elapsed = monotonicNow();
    offset = Math.max(offset, now() - elapsed);
    return Math.round(elapsed + offset);
  };
}
