import type { SeededRandom } from '../ledger/seeded-random.ts';

export const FAULT_KINDS = [
  // No complete answer.
  'hang',
  'reset',
  'reset-in-body',
  // An HTTP error.
  'rate-limit',
  'rate-limit-for-a-second',
  'rate-limit-until-a-date',
  'server-error',
  // An invalid body.
  'truncated-json',
  'not-json',
  'odd-shape',
  // A batch with wrong or missing ids, in a different order, or with errors.
  'wrong-id',
  'duplicate-id',
  'reordered',
  'missing-reply',
  'batch-error',
  'call-error',
  // A node that has less data than before, or than others.
  'null-transaction',
  'unknown-cursor',
  'short-page',
  'stale',
  'pruned',
  // Rows of one slot in a different order than before.
  'flipped-order',
] as const;
/** A false balance, at the current slot or at one far in the future. */
export const LIE_KINDS = ['lying-balance', 'lying-from-the-future'] as const;
export const NO_ANSWER_KINDS = ['reset', 'hang'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof LIE_KINDS)[number];

/** A series of healthy requests, then a series of faulty ones. */
export interface Episode {
  readonly healthyRequests: number;
  readonly kind: FaultKind;
  readonly faultyRequests: number;
  /** Selects a variation of the fault, such as which error code is returned or which reply is changed. Not negative. */
  readonly variant: number;
}

export interface Fault {
  readonly kind: FaultKind;
  readonly variant: number;
}

export type FaultSchedule = ReturnType<typeof faultSchedule>;

/** Returns the fault for each request, if any. The same episodes always give the same faults. */
export function faultSchedule(episodes: Iterable<Episode>) {
  const remainingEpisodes = episodes[Symbol.iterator]();
  let episode: Episode | undefined;
  let healthyLeft = 0;
  let faultyCount = 0;
  let isOver = false;
  const beginEpisode = (): void => {
    const { done, value } = remainingEpisodes.next();
    episode = done === true ? undefined : value;
    healthyLeft = episode?.healthyRequests ?? 0;
    faultyCount = 0;
  };
  beginEpisode();
  return {
    next(): Fault | null {
      if (episode && faultyCount >= episode.faultyRequests) beginEpisode();
      if (isOver || !episode) return null;
      if (healthyLeft > 0) {
        healthyLeft -= 1;
        return null;
      }
      faultyCount += 1;
      return { kind: episode.kind, variant: episode.variant + faultyCount };
    },
    end(): void {
      isOver = true;
    },
  };
}

/** An endless sequence of episodes of the given kinds. */
export function* randomEpisodes(
  random: SeededRandom,
  kinds: readonly FaultKind[],
): Generator<Episode, never> {
  for (;;) {
    yield {
      healthyRequests: random.between(0, 8),
      kind: random.pick(kinds),
      faultyRequests: random.between(1, 4),
      variant: random.between(0, 1_000),
    };
  }
}
