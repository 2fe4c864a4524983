import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SHUTDOWN = resolve('data/runtime/shutdown.ts');
const EXIT_CODES = resolve('data/runtime/exit-codes.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shutdown-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function startProgram(body: string): Promise<{ child: ChildProcess; output: () => string }> {
  const file = join(folder, `${Math.random()}.mjs`);
  await writeFile(
    file,
    `import { installShutdown, runMain } from '${SHUTDOWN}';
import { StartError } from '${EXIT_CODES}';
await runMain('worker', async () => { ${body} });`,
  );
  const child = fork(file, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  return { child, output: () => text };
}

const RUNNING_PROGRAM = `const shutdown = installShutdown((text) => console.log(text));
shutdown.onStop('first', () => console.log('first closed'));
shutdown.onStop('failing', () => { throw new Error('will not close'); });
shutdown.onStop('last', async () => console.log('last closed, aborted ' + shutdown.signal.aborted));
setInterval(() => {}, 1000);
process.send('up');`;

describe('the shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'closes everything in reverse order on %s, even if a part fails',
    async (signal) => {
      const { child, output } = await startProgram(RUNNING_PROGRAM);
      await once(child, 'message');
      child.kill(signal);
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
      expect(output().trim().split('\n')).toEqual([
        'last closed, aborted true',
        'closing failing failed',
        'first closed',
      ]);
    },
  );

  it('runs when the parent ends', async () => {
    const { child } = await startProgram(RUNNING_PROGRAM);
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('runs even if the parent ended before installShutdown was called', async () => {
    const { child } = await startProgram('installShutdown(() => {}); setInterval(() => {}, 1000);');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('a program that cannot start', () => {
  it('prints an error with a remedy, but not its stack, and exits with its code', async () => {
    const { child, output } = await startProgram("throw new StartError('PORT is in use.', 75);");
    const [code] = await once(child, 'close');
    expect(code).toBe(75);
    expect(output()).toBe('worker: PORT is in use.\n');
  });

  it('prints the stack of any other error and exits with 1', async () => {
    const { child, output } = await startProgram("throw new Error('a bug');");
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(output()).toMatch(/worker: Error: a bug\n\s+at /);
  });
});
