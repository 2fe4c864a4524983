import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

/** A test that failed, or a file or a check that did as a whole. */
export interface Failure {
  /** Its file, the groups it stands in and its name. */
  readonly name: string;
  /** What it failed with, as its runner tells it. */
  readonly error: string;
}

export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** Lines of an error that are shown again at the end; all of it stands where the test ran. */
const MOST_LINES = 12;
const STACK_LINE = /^\s+at /;

const tallySchema = z.object({
  passed: z.number(),
  failures: z.array(z.object({ name: z.string(), error: z.string() })),
});

/** What the reporter of the unit tests wrote; anything else tells of no test. */
export function readTally(report: unknown): Tally {
  return tallySchema.safeParse(report).data ?? { passed: 0, failures: [] };
}

const playwrightError = z.object({ message: z.string().catch('') });
const playwrightSpec = z.object({
  title: z.string(),
  file: z.string(),
  line: z.number(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.array(z.object({ errors: z.array(playwrightError).catch([]) })),
    }),
  ),
});
const playwrightSuite = z.object({
  title: z.string(),
  specs: z.array(playwrightSpec),
  get suites() {
    return z.array(playwrightSuite).optional();
  },
});
/** What Playwright's JSON reporter writes, as far as it is read. */
const playwrightReport = z.object({
  suites: z.array(playwrightSuite),
  errors: z.array(playwrightError).catch([]),
});

function readSuite(suite: z.infer<typeof playwrightSuite>, groups: readonly string[]): Tally[] {
  const specs = suite.specs.flatMap(({ title, file, line, tests }) =>
    tests.map(({ status, results }): Tally => {
      const name = [`${file}:${line}`, ...groups, title].join(' › ');
      const error = results.flatMap(({ errors }) => errors.map(({ message }) => message)).join('\n');
      return {
        passed: status === 'expected' || status === 'flaky' ? 1 : 0,
        failures: status === 'unexpected' ? [{ name, error }] : [],
      };
    }),
  );
  const inner = (suite.suites ?? []).flatMap((one) => readSuite(one, [...groups, one.title]));
  return [...specs, ...inner];
}

/** The tests of a report of Playwright. A report that is none tells of no test. */
export function readPlaywrightReport(report: unknown): Tally {
  const { suites = [], errors = [] } = playwrightReport.safeParse(report).data ?? {};
  // The outermost suite is the file, which every test tells beside its line.
  const tallies = suites.flatMap((suite) => readSuite(suite, []));
  const outside = errors.map(({ message }) => ({ name: 'outside any browser test', error: message }));
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failures: [...tallies.flatMap((tally) => tally.failures), ...outside],
  };
}

/** What an error says first, and the first line of its stack that is the project's own. */
function firstLines(error: string): string[] {
  const lines = stripVTControlCharacters(error)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const end = lines.findIndex((line) => STACK_LINE.test(line));
  const said = (end === -1 ? lines : lines.slice(0, end)).slice(0, MOST_LINES);
  const place = lines.find(
    (line) => STACK_LINE.test(line) && !line.includes('node_modules') && !line.includes('node:'),
  );
  return [...said, ...(place === undefined ? [] : [place.trim()])];
}

/** The end of a whole run: every failure once more, by name, and as the last line how many there were of each. */
export function endOfRun(tallies: readonly Tally[]): string {
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failures = tallies.flatMap((tally) => tally.failures);
  const told = failures.flatMap(({ name, error }) => [
    `FAILED ${name}`,
    ...firstLines(error).map((line) => `  ${line}`),
  ]);
  return [...(told.length === 0 ? [] : [...told, '']), `${passed} passed, ${failures.length} failed`].join(
    '\n',
  );
}
