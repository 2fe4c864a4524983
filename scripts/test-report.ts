import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { TALLY_FILE, type Tally } from './failures-reporter.ts';

function startNode(
  args: readonly string[],
  output: 'inherit' | 'pipe',
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', ...env },
  });
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * The TypeScript compiler is written in Go. This setting makes Go's garbage collector run less often, which saves 9 of 25 s and
 * raises memory use from 1.8 to 2.2 GB. By default, the collector runs whenever the heap has doubled, and takes a third of the
 * CPU time.
 */
const RARE_GC_ENV = { GOGC: '400' };

/** Runs a command as one test, which passes if the command does. */
export async function runCheck(
  ...args: string[]
): Promise<{ readonly output: string; readonly tally: Tally }> {
  const child = startNode(args, 'pipe', RARE_GC_ENV);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await exitCode(child);
  const failures = code === 0 ? [] : [{ name: args.join(' '), error: `exited with code ${code}` }];
  return { output, tally: { passed: code === 0 ? 1 : 0, failures } };
}

async function tallyOf(
  name: string,
  run: (reportFile: string) => Promise<number>,
  read: (report: unknown) => Tally,
): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-tests-'));
  try {
    const reportFile = join(folder, 'report.json');
    const code = await run(reportFile);
    const tally = read(JSON.parse(await readFile(reportFile, 'utf8').catch(() => '{}')));
    if (code === 0 || tally.failures.length > 0) return tally;
    // A test runner can fail although no test failed, for example before it runs the first test.
    const error = `exited with code ${code} without a failed test; its output is above`;
    return { ...tally, failures: [{ name, error }] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const VITEST = 'node_modules/vitest/vitest.mjs';
const REPORTER = import.meta.resolve('./failures-reporter.ts');

/** Runs the unit and contract tests. @param args arguments for Vitest, such as files or a different root */
export function vitestTally(...args: string[]): Promise<Tally> {
  return tallyOf(
    'unit and contract tests',
    (file) =>
      exitCode(
        startNode([VITEST, 'run', '--reporter=default', `--reporter=${REPORTER}`, ...args], 'inherit', {
          [TALLY_FILE]: file,
        }),
      ),
    readTally,
  );
}

/**
 * Runs the browser tests.
 * @param output the stream for the text that Playwright prints
 * @param args arguments for Playwright, such as files or a different configuration
 */
export function playwrightTally(output: Writable = process.stdout, ...args: string[]): Promise<Tally> {
  return tallyOf(
    'browser tests',
    (file) => {
      const child = startNode(
        ['node_modules/playwright/cli.js', 'test', '--reporter=list,json', ...args],
        'pipe',
        // Lets Node run the TypeScript sources itself. Playwright's own transpiler would use a tenth more CPU time.
        { PLAYWRIGHT_JSON_OUTPUT_FILE: file, PW_DISABLE_TS_ESM: '1' },
      );
      for (const stream of [child.stdout, child.stderr]) stream?.pipe(output, { end: false });
      return exitCode(child);
    },
    readPlaywrightReport,
  );
}

const MAX_ERROR_LINES = 12;
const STACK_LINE = /^\s+at /;

const tallySchema = z.object({
  passed: z.number(),
  failures: z.array(z.object({ name: z.string(), error: z.string() })),
});

/** Reads the file that the unit tests' reporter writes. @returns an empty tally for anything else */
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
const playwrightReport = z.object({
  suites: z.array(playwrightSuite),
  errors: z.array(playwrightError).catch([]),
});

function readSuite(suite: z.infer<typeof playwrightSuite>, groups: readonly string[]): Tally[] {
  const specTallies = suite.specs.flatMap(({ title, file, line, tests }) =>
    tests.map(({ status, results }): Tally => {
      const name = [`${file}:${line}`, ...groups, title].join(' › ');
      const error = results.flatMap(({ errors }) => errors.map(({ message }) => message)).join('\n');
      return {
        passed: status === 'expected' || status === 'flaky' ? 1 : 0,
        failures: status === 'unexpected' ? [{ name, error }] : [],
      };
    }),
  );
  const innerTallies = (suite.suites ?? []).flatMap((one) => readSuite(one, [...groups, one.title]));
  return [...specTallies, ...innerTallies];
}

/** Reads Playwright's JSON report. @returns an empty tally for anything else */
export function readPlaywrightReport(report: unknown): Tally {
  const { suites = [], errors = [] } = playwrightReport.safeParse(report).data ?? {};
  // The outermost suite is the file. Its name is already part of each test's name.
  const tallies = suites.flatMap((suite) => readSuite(suite, []));
  const failuresOutsideTests = errors.map(({ message }) => ({
    name: 'outside any browser test',
    error: message,
  }));
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failures: [...tallies.flatMap((tally) => tally.failures), ...failuresOutsideTests],
  };
}

function firstLines(error: string): string[] {
  const lines = stripVTControlCharacters(error)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const firstStackLine = lines.findIndex((line) => STACK_LINE.test(line));
  const message = (firstStackLine === -1 ? lines : lines.slice(0, firstStackLine)).slice(0, MAX_ERROR_LINES);
  const stackFrame = lines.find(
    (line) => STACK_LINE.test(line) && !line.includes('node_modules') && !line.includes('node:'),
  );
  return [...message, ...(stackFrame === undefined ? [] : [stackFrame.trim()])];
}

export function runSummary(tallies: readonly Tally[]): string {
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failures = tallies.flatMap((tally) => tally.failures);
  const lines = failures.flatMap(({ name, error }) => [
    `FAILED ${name}`,
    ...firstLines(error).map((line) => `  ${line}`),
  ]);
  const counts = `${passed} passed, ${failures.length} failed`;
  return [...(lines.length === 0 ? [] : [...lines, '']), counts].join('\n');
}
