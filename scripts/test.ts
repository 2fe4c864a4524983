import '../data/runtime/node-version.ts';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { runMain } from '../data/runtime/shutdown.ts';
import { findOrInstallChromium } from './browser.ts';
import { buildProgramsIfStale } from './build-programs.ts';
import { buildSiteIfStale } from './build-site.ts';
import type { Tally } from './failures-reporter.ts';
import { playwrightTally, runCheck, runSummary, vitestTally } from './test-report.ts';

const ASTRO = 'node_modules/astro/bin/astro.mjs';
/** Limits `astro check` to pages and components, because `tsc` checks the TypeScript files ten times as fast. */
const PAGES_TSCONFIG = 'tsconfig.pages.json';
const UNIT_TESTS = '{api,bench,data,deploy,indexer,scripts,site}/**/*.test.{ts,tsx}';
const BROWSER_TESTS = 'e2e/*.spec.ts';
/** Programs that tests with the tag `debian` start and that come with neither Node nor the installed packages. */
const DEBIAN_PROGRAMS = ['age', 'caddy', 'nginx', 'openssl', 'systemd-analyze'];

/** The Debian programs that are not installed. `/usr/sbin` is searched too, because `PATH` may lack it. */
function missingPrograms(): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return DEBIAN_PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

function testFiles(glob: string, patterns: readonly string[]): readonly string[] {
  return globSync(glob).filter((file) => patterns.some((pattern) => file.includes(pattern)));
}

const buildSite = () => buildSiteIfStale(new AbortController().signal);

/** @param output the stream for what Playwright prints; standard output by default */
async function runBrowserTests(
  siteBuild: Promise<unknown>,
  output?: Writable,
  ...files: string[]
): Promise<Tally> {
  try {
    await siteBuild;
    await buildProgramsIfStale();
    process.env.CHROMIUM_PATH = findOrInstallChromium();
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${failure}\n`);
    return { passed: 0, failures: [{ name: 'browser and built site', error: failure }] };
  }
  return playwrightTally(output, ...files);
}

/**
 * Runs all checks and tests, and continues after a failure. It tests the newest version of PostgreSQL; `npm run test:postgres`
 * also tests the oldest. Tests that start programs from Debian packages run only where all those programs are installed.
 * `--fast` leaves out slow tests, browser tests and PostgreSQL. With patterns, it runs only the test files whose path contains
 * one of the patterns. The last line shows the totals.
 */
await runMain('test', async () => {
  const { values, positionals } = parseArgs({
    options: { fast: { type: 'boolean' } },
    allowPositionals: true,
  });
  const missing = missingPrograms();
  if (missing.length > 0)
    process.stdout.write(
      `Skipping the tests that start programs from Debian packages. Not installed: ${missing.join(', ')}.\n`,
    );
  const tags = [...(values.fast ? ['!slow'] : []), ...(missing.length > 0 ? ['!debian'] : [])];
  const tagsFilter = tags.length > 0 ? [`--tags-filter=${tags.join(' && ')}`] : [];
  const tallies: Tally[] = [];
  const runPhase = async (name: string, run: () => Promise<Tally>) => {
    process.stdout.write(`\n── ${name}\n`);
    tallies.push(await run());
  };
  const check = async (name: string, ...args: string[]) => {
    const { output, tally } = await runCheck(...args);
    process.stdout.write(`\n── ${name}\n${output}`);
    tallies.push(tally);
  };

  if (positionals.length > 0) {
    const unitTestFiles = testFiles(UNIT_TESTS, positionals);
    const browserTestFiles = testFiles(BROWSER_TESTS, positionals);
    if (unitTestFiles.length + browserTestFiles.length === 0) {
      throw new StartError(`No test file's path contains ${positionals.join(' or ')}.`, EXIT.usage);
    }
    if (unitTestFiles.length > 0)
      await runPhase('unit and contract tests', () => vitestTally(...tagsFilter, ...unitTestFiles));
    if (browserTestFiles.length > 0)
      await runPhase('browser tests', () => runBrowserTests(buildSite(), undefined, ...browserTestFiles));
  } else {
    // Everything runs at the same time, because each part often waits. But the unit tests start after the build, so
    // that the build ends sooner: the browser tests need it and take the longest. Their output is printed last.
    const builds = values.fast ? undefined : Promise.all([buildSite(), buildProgramsIfStale()]);
    const buildsEnded = builds?.catch(() => {});
    const heldOutput = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
    const browserTally = builds && runBrowserTests(builds, heldOutput);
    const checkTypes = async () => {
      // The build generates the types of the content collections, which both type checks read.
      await buildsEnded;
      if (!existsSync('.astro/types.d.ts')) await check('content types', ASTRO, 'sync');
      await Promise.all([
        ...(values.fast
          ? []
          : [check('types of pages', ASTRO, 'check', '--noSync', '--tsconfig', PAGES_TSCONFIG)]),
        // Uses a single checker, because each checker processes the libraries' types again: the default of four takes 1.7
        // times as much CPU time.
        check('types', 'node_modules/typescript7/bin/tsc', '-p', '.', '--checkers', '1'),
      ]);
    };
    await Promise.all([
      checkTypes(),
      check('lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
      runPhase('unit and contract tests', async () => {
        await buildsEnded;
        return vitestTally(...tagsFilter, `--project=!postgres-${values.fast ? '*' : '15'}`);
      }),
    ]);
    if (browserTally !== undefined)
      await runPhase('browser tests', async () => {
        const printing = pipeline(heldOutput, process.stdout, { end: false });
        const tally = await browserTally;
        heldOutput.end();
        await printing;
        return tally;
      });
  }

  process.stdout.write(`\n${runSummary(tallies)}\n`);
  const hasPassed = tallies.every(({ failures }) => failures.length === 0);
  process.exitCode = hasPassed && tallies.some(({ passed }) => passed > 0) ? EXIT.ok : EXIT.failure;
});
