import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

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
  return (await runNode(words)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

async function tallyOf(
  run: (reportFile: string) => Promise<number>,
  read: (report: Record<string, unknown>) => Tally,
): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-tests-'));
  try {
    const reportFile = join(folder, 'report.json');
    const code = await run(reportFile);
    const report: unknown = JSON.parse(await readFile(reportFile, 'utf8').catch(() => '{}'));
    const tally = read(typeof report === 'object' && report !== null ? { ...report } : {});
    // A runner can fail without a failed test: a file that does not load, or an error outside any test.
    return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the unit and contract tests. */
export function vitestTally(): Promise<Tally> {
  return tallyOf(
    (file) =>
      runNode([
        'node_modules/vitest/vitest.mjs',
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ]),
    (report) => ({ passed: count(report.numPassedTests), failed: count(report.numFailedTests) }),
  );
}

/** Runs the browser tests. */
export function playwrightTally(): Promise<Tally> {
  return tallyOf(
    (file) =>
      runNode(['node_modules/playwright/cli.js', 'test', '--reporter=list,json'], {
        PLAYWRIGHT_JSON_OUTPUT_FILE: file,
      }),
    (report) => {
      const stats: Record<string, unknown> =
        typeof report.stats === 'object' && report.stats !== null ? { ...report.stats } : {};
      return { passed: count(stats.expected) + count(stats.flaky), failed: count(stats.unexpected) };
    },
  );
}
