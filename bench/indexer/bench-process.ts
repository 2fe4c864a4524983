import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { commandOn } from './processor-shares.ts';

/** What the processes of the benchmark tell their parent. */
export type BenchMessage =
  | { readonly type: 'serving'; readonly url: string }
  | { readonly type: 'measured'; readonly transactions: number; readonly seconds: number };

/**
 * Starts a program of this folder, on some processors where they are named, and waits for what it tells first.
 *
 * @throws {Error} where it ends without a word
 */
export async function startProgram<T extends BenchMessage['type']>(
  program: string,
  args: readonly string[],
  type: T,
  processors?: string,
): Promise<{ readonly child: ChildProcess; readonly told: Extract<BenchMessage, { type: T }> }> {
  const [execPath, ...execArgv] = commandOn(processors, [process.execPath]);
  const child = fork(new URL(program, import.meta.url), args, { ...(execPath && { execPath }), execArgv });
  const [message]: [BenchMessage] = await Promise.race([
    once(child, 'message') as Promise<[BenchMessage]>,
    once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it told anything.`);
    }),
  ]);
  if (message.type !== type) throw new Error(`${program} told ${message.type}, not ${type}.`);
  return { child, told: message as Extract<BenchMessage, { type: T }> };
}

/** Runs a program that measures itself. @returns transactions a second */
export async function measureProgram(
  program: string,
  args: readonly string[],
  processors?: string,
): Promise<number> {
  const { child, told } = await startProgram(program, args, 'measured', processors);
  child.disconnect();
  await once(child, 'exit');
  return told.transactions / told.seconds;
}

/** The most memory that a process has held so far, in MiB; null where the system does not tell. */
export async function peakMemory(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? null : Number(kib) / 1_024;
  } catch {
    return null;
  }
}
