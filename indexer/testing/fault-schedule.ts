import type { SeededRandom } from '../ledger/seeded-random.ts';

/** What a faulty endpoint does, in place of an answer or to it. */
export const FAULT_KINDS = [
  // The request never gets an answer.
  'hang',
  'reset',
  'reset-in-body',
  // HTTP says no.
  'rate-limit',
  'rate-limit-for-a-second',
  'rate-limit-until-a-date',
  'server-error',
  // The body is not what it should be.
  'truncated-json',
  'not-json',
  'odd-shape',
  // The batch does not hold together.
  'wrong-id',
  'duplicate-id',
  'reordered',
  'missing-reply',
  'batch-error',
  'call-error',
  // The node knows less than it did, or less than others.
  'null-transaction',
  'unknown-cursor',
  'short-page',
  'stale',
] as const;
/** What a lying endpoint does: it answers what is not so. From the future it tells a false balance at a slot far ahead. */
export const LIES = ['lying-balance', 'lying-from-the-future'] as const;
/** What an endpoint does that is not there. */
export const DEAD = ['reset', 'hang'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof LIES)[number];

/** JSON-RPC codes that a node answers with when it cannot answer. */
export const FAULT_CODES = [
  429, -32004, -32005, -32007, -32009, -32011, -32014, -32015, -32016, -32019, -32020,
] as const;

/** A run of requests that meet one fault, after a run that meet none. */
export interface Episode {
  /** Requests before it. */
  readonly peace: number;
  readonly kind: FaultKind;
  /** Requests that meet it. */
  readonly times: number;
  /** Chooses among the fault's forms: which code, which reply. Not negative. */
  readonly form: number;
}

/** The fault that one request meets. */
export interface Fault {
  readonly kind: FaultKind;
  readonly form: number;
}

/** What an endpoint does to its requests, by their number: the same episodes give the same faults. */
export interface FaultSchedule {
  /** The fault of the next request; null where it is answered as it should be. */
  next(): Fault | null;
  /** From now on there is none. */
  end(): void;
}

export function faultSchedule(episodes: Iterable<Episode>): FaultSchedule {
  const rest = episodes[Symbol.iterator]();
  let episode: Episode | undefined;
  let peace = 0;
  let met = 0;
  let isOver = false;
  const begin = (): void => {
    const { done, value } = rest.next();
    episode = done === true ? undefined : value;
    peace = episode?.peace ?? 0;
    met = 0;
  };
  begin();
  return {
    next() {
      if (episode && met >= episode.times) begin();
      if (isOver || !episode) return null;
      if (peace > 0) {
        peace -= 1;
        return null;
      }
      met += 1;
      return { kind: episode.kind, form: episode.form + met };
    },
    end() {
      isOver = true;
    },
  };
}

/** Episodes without end, of the kinds given. */
export function* randomEpisodes(
  random: SeededRandom,
  kinds: readonly FaultKind[],
): Generator<Episode, never> {
  for (;;) {
    yield {
      peace: random.between(0, 8),
      kind: random.pick(kinds),
      times: random.between(1, 4),
      form: random.between(0, 1_000),
    };
  }
}
