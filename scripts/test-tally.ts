import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TALLY_FILE } from './failures-reporter.ts';
import { readPlaywrightReport, readTally, type Tally } from './test-report.ts';

function runNode(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', ...env },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** One check that either passes or fails as a whole. */
export async function checkPasses(...words: string[]): Promise<Tally> {
  const code = await runNode(words);
  if (code === 0) return { passed: 1, failures: [] };
  return { passed: 0, failures: [{ name: words.join(' '), error: `ended with code ${code}` }] };
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
    // A runner can fail without a failed test: by an error outside any, or before it comes to one.
    const error = `ended with code ${code} and names no test; what it said stands where it ran`;
    return { ...tally, failures: [{ name, error }] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the unit and contract tests, of another folder than the portal's own where `words` say so. */
export function vitestTally(...words: string[]): Promise<Tally> {
  return tallyOf(
    'unit and contract tests',
    (file) =>
      runNode(
        [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--reporter=default',
          `--reporter=${import.meta.resolve('./failures-reporter.ts')}`,
          ...words,
        ],
        { [TALLY_FILE]: file },
      ),
    readTally,
  );
}

/** Runs the browser tests, of another folder than the portal's own where `words` say so. */
export function playwrightTally(...words: string[]): Promise<Tally> {
  return tallyOf(
    'browser tests',
    (file) =>
      runNode(['node_modules/playwright/cli.js', 'test', '--reporter=list,json', ...words], {
        PLAYWRIGHT_JSON_OUTPUT_FILE: file,
      }),
    readPlaywrightReport,
  );
}
