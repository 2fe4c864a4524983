// @module-tag slow
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { speedUpTime } from './testing/fast-time.ts';
import { type Outcome, runScenario, type Scenario } from './testing/fault-run.ts';
import { FAULT_KINDS, type FaultKind, LIE_KINDS, NO_ANSWER_KINDS } from './testing/fault-schedule.ts';

const RUNS = Number(process.env.FAULT_SEEDS ?? 1);
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
/** To repeat a single scenario, set FAULT_SEED and FAULT_RUN to the values in its failure message. */
const ONLY_RUN = process.env.FAULT_RUN;
const TIME_FACTOR = 25;
const MAX_SECONDS_PER_RUN = 30;
/** With at least this many runs, every kind of fault must have occurred. */
const MANY_RUNS = 100;

let time: ReturnType<typeof speedUpTime>;
beforeAll(() => {
  time = speedUpTime(TIME_FACTOR);
  return time.restore;
});

const between = (min: number, max: number) => fc.integer({ min, max });

const episodes = (kinds: readonly FaultKind[], minLength: number, maxLength: number) =>
  fc.array(
    fc.record({
      healthyRequests: between(0, 6),
      kind: fc.constantFrom(...kinds),
      faultyRequests: between(1, 4),
      variant: fc.nat(1_000),
    }),
    { minLength, maxLength },
  );

const alwaysDead = (kind: FaultKind): Scenario['endpoints'][number] => [
  { healthyRequests: 0, kind, faultyRequests: Number.POSITIVE_INFINITY, variant: 0 },
];

const faultyEndpoints = fc.array(episodes(FAULT_KINDS, 1, 12), { minLength: 1, maxLength: 3 });
/** Four endpoints: one that lies, two healthy ones, and one that is dead for a while or always. */
const oneLiar = fc.tuple(
  episodes(LIE_KINDS, 1, 4),
  fc.constant([]),
  fc.constant([]),
  fc.oneof(episodes(NO_ANSWER_KINDS, 1, 4), fc.constantFrom(...NO_ANSWER_KINDS).map(alwaysDead)),
);
/** A fork lasts at most 26 slots (eight steps of three, and two more), so none of its slots becomes final. */
const aFork = fc.record({ from: between(0, 6), steps: between(1, 8) });
const noFork = fc.constant(null);

function scenarios(
  endpoints: fc.Arbitrary<Scenario['endpoints']>,
  forks: fc.Arbitrary<Scenario['fork']>,
): fc.Arbitrary<Scenario> {
  const step = fc.record({ transactions: between(0, 3), slots: between(0, 3), requests: between(0, 6) });
  return fc.record({
    seed: fc.nat(),
    pastTransactionCount: between(0, 40),
    endpoints,
    steps: fc.array(step, { minLength: 8, maxLength: 16 }),
    fork: forks,
    lockEndStep: fc.option(between(10, 14), { freq: 1 }),
    sizes: fc.record({
      pageSize: between(2, 60),
      windowSize: between(1, 20),
      windowsAhead: between(1, 4),
      batchSize: between(1, 10),
      requestsAtOnce: between(1, 6),
    }),
  });
}

const figureFailures = ({ differences, wrongFigures }: Outcome): Partial<Outcome> => ({
  differences,
  wrongFigures,
});
const figureAndPastFailures = (outcome: Outcome): Partial<Outcome> => ({
  ...figureFailures(outcome),
  wrongPastBalances: outcome.wrongPastBalances,
});

/**
 * Runs scenarios until one fails.
 * @param share the share of `RUNS`, from 0 to 1
 * @param kinds the kinds of fault that must all occur if there are `MANY_RUNS` runs or more
 * @param failuresOf selects the lists that must be empty at the end of each run
 */
async function check(
  anyScenario: fc.Arbitrary<Scenario>,
  share: number,
  kinds: readonly FaultKind[] = FAULT_KINDS,
  failuresOf = figureFailures,
): Promise<void> {
  const faultCounts = new Map<string, number>();
  const durationsMs: number[] = [];
  const numRuns = ONLY_RUN === undefined ? Math.ceil(RUNS * share) : 1;
  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      const replay = `replay with FAULT_SEED=${SEED} FAULT_RUN=${ONLY_RUN ?? durationsMs.length}`;
      const startedAt = time.real.now();
      const outcome = await runScenario(scenario, time.real);
      durationsMs.push(time.real.now() - startedAt);
      for (const [kind, count] of outcome.faultCounts)
        faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + count);
      const found = Object.entries(failuresOf(outcome)).filter(
        ([, list]) => Array.isArray(list) && list.length > 0,
      );
      expect({ replay, found: Object.fromEntries(found) }).toEqual({ replay, found: {} });
      expect(outcome.checkCount).toBeGreaterThan(0);
    }),
    { seed: SEED, numRuns, endOnFailure: true, ...(ONLY_RUN === undefined ? {} : { path: ONLY_RUN }) },
  );
  durationsMs.sort((one, other) => one - other);
  const [median, longest] = [durationsMs[Math.floor(durationsMs.length / 2)] ?? 0, durationsMs.at(-1) ?? 0];
  const faults = [...faultCounts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  console.log(
    `${durationsMs.length} runs, ${Math.round(median)} ms each, ${Math.round(longest)} ms at most; faults met: ${faults}`,
  );
  if (ONLY_RUN === undefined && numRuns >= MANY_RUNS)
    expect([...faultCounts.keys()].toSorted()).toEqual(kinds.toSorted());
}

const timeout = (RUNS + 2) * MAX_SECONDS_PER_RUN * 1_000;

describe(`an indexer ends with the same index as without faults, and never shows a wrong figure (seed ${SEED})`, () => {
  it('with every kind of failing endpoint', { timeout }, () =>
    check(scenarios(faultyEndpoints, noFork), 0.6, FAULT_KINDS, figureAndPastFailures),
  );

  it('with failing endpoints and a fork', { timeout }, () => check(scenarios(faultyEndpoints, aFork), 0.3));

  it('if one of four endpoints lies about a balance, and one is dead', { timeout }, () =>
    check(scenarios(oneLiar, noFork), 0.1, [...LIE_KINDS, ...NO_ANSWER_KINDS]),
  );
});
