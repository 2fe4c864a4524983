/**
 * The wall clock, in whole Unix milliseconds, until it is set back: then it goes on from the time that it had. For what an
 * earlier time would make valid again, such as a code.
 * @param now the wall clock, in Unix milliseconds
 * @param steady a monotonic clock, in milliseconds
 */
export function forwardClock(now: () => number, steady: () => number): () => number {
  let ahead = Number.NEGATIVE_INFINITY;
  return () => {
    const passed = steady();
    ahead = Math.max(ahead, now() - passed);
    return Math.round(passed + ahead);
  };
}
