import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** Runs statements in a separate process. @returns the value of the variable `result`, which the statements declare */
async function numbersOf(statements: string): Promise<readonly number[]> {
  const { href } = new URL('lower-priority.ts', import.meta.url);
  const program = `
    import { readdirSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { lowerPriority } from '${href}';
    ${statements}
    process.stdout.write(JSON.stringify(result));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

it('a process lowers its priority below its parent’s, but not beyond the lowest', async () => {
  const result = await numbersOf(
    'const result = Array.from({ length: 9 }, () => { lowerPriority(); return getPriority(); });',
  );
  expect(result[0]).toBeGreaterThan(Math.min(18, getPriority()));
  expect(Math.max(...result)).toBeLessThanOrEqual(19);
});

it.runIf(process.platform === 'linux')('a process lowers the priority of all its threads', async () => {
  const [processPriority, ...threadPriorities] = await numbersOf(`
    const threads = readdirSync('/proc/self/task').map(Number);
    lowerPriority();
    const result = [getPriority(), ...threads.map((thread) => getPriority(thread))];`);
  expect(threadPriorities.length).toBeGreaterThan(1);
  expect(new Set(threadPriorities)).toEqual(new Set([processPriority]));
});
