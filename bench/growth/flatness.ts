export interface MeasuredOperation {
  readonly name: string;
  /** One function for each size of the data, the smallest size first. */
  readonly work: readonly (() => Promise<unknown>)[];
  readonly repetitions: number;
  /** One function for each size. It runs before each timing and is not timed. */
  readonly preparations?: readonly (() => Promise<unknown>)[];
}

export interface Flatness {
  readonly name: string;
  /** Microseconds at the smallest size. */
  readonly baseMicroseconds: number;
  /** The time at each size, as a multiple of the time at the smallest. */
  readonly ratios: readonly number[];
}

const ROUNDS = 25;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The smallest value `v` for which at least `share` of all values are at most `v`. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/**
 * The results are medians over the rounds. Each ratio is between timings of the same round, because the machine's load
 * hardly changes within a round.
 * @param rounds timings by round, then by size
 */
export function flatnessOf(name: string, rounds: readonly (readonly number[])[]): Flatness {
  const sizes = rounds[0]?.length ?? 0;
  const ratios = Array.from({ length: sizes }, (_, size) =>
    median(rounds.map((timings) => (timings[size] ?? Number.NaN) / (timings[0] ?? Number.NaN))),
  );
  return { name, baseMicroseconds: median(rounds.map((timings) => timings[0] ?? Number.NaN)), ratios };
}

async function meanMicroseconds(work: () => Promise<unknown>, runs: number): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < runs; done += 1) await work();
  return ((performance.now() - startedAt) / runs) * 1_000;
}

/** Measures the time at each size, in several rounds. The first round is a warm-up and does not count. */
export async function measureFlatness({
  name,
  work,
  repetitions,
  preparations = [],
}: MeasuredOperation): Promise<Flatness> {
  const rounds: number[][] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const timings = work.map(() => Number.NaN);
    for (const [step] of work.entries()) {
      // Each round starts with a different size.
      const size = (step + round) % work.length;
      await preparations[size]?.();
      const workAtSize = work[size];
      if (workAtSize) timings[size] = await meanMicroseconds(workAtSize, repetitions);
    }
    if (round > 0) rounds.push(timings);
  }
  return flatnessOf(name, rounds);
}
