import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const API = fileURLToPath(new URL('../../api/main.ts', import.meta.url));
const INDEXER = fileURLToPath(new URL('../../indexer/main.ts', import.meta.url));
const STARTS = 5;

export type Program = 'api' | 'indexer';

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function secondsToReady(program: Program, env: Readonly<Record<string, string>>): Promise<number> {
  const begun = performance.now();
  const child = fork(program === 'api' ? API : INDEXER, program === 'api' ? ['--api-only'] : [], {
    cwd: env.DATA_DIR,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
  });
  try {
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`The ${program} ended with ${code} before it was ready.`);
      }),
    ]);
    return (performance.now() - begun) / 1_000;
  } finally {
    child.kill('SIGTERM');
    await ended(child);
  }
}

/** Seconds from starting a program's process over what an earlier one left to its word that it is ready, start by start. */
export async function restarts(program: Program, env: Readonly<Record<string, string>>): Promise<number[]> {
  const seconds: number[] = [];
  // The first start finds nothing of the program in the machine's memory.
  await secondsToReady(program, env);
  while (seconds.length < STARTS) seconds.push(await secondsToReady(program, env));
  return seconds;
}
