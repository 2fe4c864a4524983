/**
 * The wall clock, in whole Unix milliseconds. If the wall clock is set back, this clock continues from its last time, so that
 * an expired code does not become valid again.
 * @param now the wall clock, in Unix milliseconds
 * @param monotonicNow a monotonic clock, in milliseconds
 */
export function forwardClock(now: () => number, monotonicNow: () => number): () => number {
  let ahead = Number.NEGATIVE_INFINITY;
  return () => {
    const passed = monotonicNow();
    ahead = Math.max(ahead, now() - passed);
    return Math.round(passed + ahead);
  };
}
