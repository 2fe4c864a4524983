import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('a program that yields the processor stands behind the one that started it, and never beyond the last place', async () => {
  const { href } = new URL('yield-processor.ts', import.meta.url);
  const program = `
    const { yieldProcessor } = await import('${href}');
    const { getPriority } = await import('node:os');
    const places = Array.from({ length: 9 }, () => { yieldProcessor(); return getPriority(); });
    process.stdout.write(JSON.stringify(places));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  const places: number[] = JSON.parse(stdout);
  expect(places[0]).toBeGreaterThan(Math.min(18, getPriority()));
  expect(Math.max(...places)).toBeLessThanOrEqual(19);
});

it.runIf(process.platform === 'linux')(
  'all threads of a program stand back with it, not the first alone',
  async () => {
    const { href } = new URL('yield-processor.ts', import.meta.url);
    const program = `
    const { yieldProcessor } = await import('${href}');
    const { getPriority } = await import('node:os');
    const { readdirSync } = await import('node:fs');
    const threads = readdirSync('/proc/self/task').map(Number);
    yieldProcessor();
    process.stdout.write(JSON.stringify([getPriority(), ...threads.map((thread) => getPriority(thread))]));
  `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    const [own, ...threads]: number[] = JSON.parse(stdout);
    expect(threads.length).toBeGreaterThan(1);
    expect(new Set(threads)).toEqual(new Set([own]));
  },
);
