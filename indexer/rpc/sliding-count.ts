/** Counts what happened within the last while, at the cost of a few numbers however much it is. */
export interface SlidingCount {
  add(amount?: number): void;
  /** What was added within the window, which is as coarse as a bucket. */
  total(): number;
}

/**
 * @param options.windowMs how far back it counts
 * @param options.buckets parts that the window is cut in: what leaves it leaves a part at a time
 * @param options.now milliseconds of a clock that never steps back
 */
export function createSlidingCount(options: {
  readonly windowMs: number;
  readonly buckets: number;
  readonly now: () => number;
}): SlidingCount {
  const { windowMs, buckets, now } = options;
  const counts = new Array<number>(buckets).fill(0);
  const bucketMs = windowMs / buckets;
  let newest = Math.floor(now() / bucketMs);

  const forget = (): void => {
    const current = Math.floor(now() / bucketMs);
    for (let bucket = Math.max(newest + 1, current - buckets + 1); bucket <= current; bucket += 1) {
      counts[bucket % buckets] = 0;
    }
    newest = current;
  };

  return {
    add(amount = 1) {
      forget();
      const at = newest % buckets;
      counts[at] = (counts[at] ?? 0) + amount;
    },
    total() {
      forget();
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
