// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playwrightTally, readPlaywrightReport, readTally, runSummary } from './test-report.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function unitTestSummary(...args: string[]): Promise<string> {
  const program = `
    import { runSummary, vitestTally } from '${resolve('scripts/test-report.ts')}';
    const tally = await vitestTally(...${JSON.stringify(args)});
    console.log('THE END\\n' + runSummary([tally]));`;
  const { VITEST: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env,
  });
  return stdout.slice(stdout.lastIndexOf('THE END\n') + 'THE END\n'.length);
}

describe('the summary of a run', () => {
  it('names every failed unit test with its error, an unhandled rejection, and a file whose process died', async () => {
    await writeFile(
      join(folder, 'dies.test.ts'),
      `it('dies', () => { process.kill(process.pid, 'SIGKILL'); });`,
    );
    await writeFile(join(folder, 'loads-not.test.ts'), `throw new Error('no such setting');`);
    await writeFile(
      join(folder, 'sums.test.ts'),
      `it('adds', () => { void Promise.reject(new Error('nobody waited')); });
       describe('a sum', () => {
         it('is right', () => expect(1 + 1).toBe(3));
         it('holds for every pair', () => { throw new Error('1 and 2', { cause: new Error('3 is odd') }); });
         it('is quick', async () => { await new Promise(() => {}); }, 10);
       });
       describe('a difference', () => {
         beforeAll(() => { throw new Error('no paper'); });
         it('is right', () => {});
       });`,
    );
    const summary = await unitTestSummary('--globals', '--root', folder);
    expect(summary).toMatch(/^FAILED \S*loads-not\.test\.ts\n {2}Error: no such setting$/m);
    expect(summary).toMatch(
      /^FAILED \S*sums\.test\.ts › a sum > is right\n {2}AssertionError: expected 2 to be 3/m,
    );
    expect(summary).toMatch(/^ {2}at .*sums\.test\.ts:3:/m);
    expect(summary).toMatch(/› a sum > holds for every pair\n {2}.*Error: 3 is odd$/m);
    expect(summary).toMatch(
      /^FAILED \S*sums\.test\.ts › a sum > is quick\n {2}TestTimeoutError: Test timed out in 10ms/m,
    );
    expect(summary).toMatch(/^FAILED \S*sums\.test\.ts › a difference\n {2}Error: no paper$/m);
    expect(summary.match(/^FAILED \S*(?:loads-not|sums)\.test\.ts/gm)).toHaveLength(5);
    expect(summary).toMatch(/^FAILED outside any test\n {2}Error: nobody waited$/m);
    expect(summary).toMatch(/^FAILED \S*dies\.test\.ts\n {2}did not finish$/m);
    expect(summary).toMatch(/\n\n1 passed, \d failed\n$/);
  });

  it('names every failed browser test with its error', async () => {
    const playwright = JSON.stringify(resolve('node_modules/playwright/test.mjs'));
    await writeFile(
      join(folder, 'page.spec.mjs'),
      `import { expect, test } from ${playwright};
       test('opens', () => {});
       test.describe('a page', () => {
         test('has a title', () => expect('Blue').toBe('Black'));
       });`,
    );
    const args = ['--config', folder, '--output', join(folder, 'results')];
    const summary = runSummary([await playwrightTally(new PassThrough().resume(), ...args)]);
    expect(summary).toMatch(/^FAILED page\.spec\.mjs:4 › a page › has a title\n {2}Error: expect/m);
    expect(summary).toContain('\n  Expected: "Black"\n  Received: "Blue"\n');
    expect(summary).toMatch(/\n\n1 passed, 1 failed$/);
  });

  it('has only the counts if nothing failed', () => {
    const tally = (passed: number) => ({ passed, failures: [] });
    expect(runSummary([tally(2), tally(1)])).toBe('3 passed, 0 failed');
  });

  it('names a runner that fails before the first test', async () => {
    const summary = await unitTestSummary('--no-such-option');
    expect(summary).toMatch(/^FAILED unit and contract tests\n {2}exited with code 1 without a failed test/);
    expect(summary).toMatch(/\n\n0 passed, 1 failed\n$/);
  });

  it('shows only the first lines of an error, without colors', () => {
    const error = [
      '\u001b[31mfirst\u001b[39m',
      '',
      ...Array.from({ length: 20 }, (_, line) => `line ${line}`),
    ];
    const summaryLines = runSummary([
      { passed: 0, failures: [{ name: 'one', error: error.join('\n') }] },
    ]).split('\n');
    expect(summaryLines.slice(0, 3)).toEqual(['FAILED one', '  first', '  line 0']);
    expect(summaryLines).toHaveLength(15);
  });
});

it('finds no tests in a document of a different shape', () => {
  const nothing = { passed: 0, failures: [] };
  expect([readTally({}), readPlaywrightReport(null)]).toEqual([nothing, nothing]);
});
