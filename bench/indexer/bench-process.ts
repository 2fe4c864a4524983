import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

export type BenchMessage =
  | { readonly type: 'serving'; readonly url: string }
  | { readonly type: 'measured'; readonly transactions: number; readonly seconds: number };

/** The endpoint and the measured program run on different processors, because a real endpoint runs on another machine. */
export interface ProcessorAssignment {
  /** A list of processors in the format of `taskset`, such as `1-3`. */
  readonly endpoint: string;
  readonly measuredProgram: string;
}

/** Null if the machine has a single processor, or if `taskset` is missing. */
export function assignProcessors(): ProcessorAssignment | null {
  const last = availableParallelism() - 1;
  if (last < 1) return null;
  const assignment = { endpoint: '0', measuredProgram: last === 1 ? '1' : `1-${last}` };
  const hasTaskset = Object.values(assignment).every(
    (list) => spawnSync('taskset', ['-c', list, process.execPath, '--version']).status === 0,
  );
  return hasTaskset ? assignment : null;
}

export function commandOn(processors: string | undefined, command: readonly string[]): readonly string[] {
  return processors === undefined ? command : ['taskset', '-c', processors, ...command];
}

/** Starts a program in this folder, and waits for its first message. @throws {Error} if it exits without one */
export async function startProgram<T extends BenchMessage['type']>(
  program: string,
  args: readonly string[],
  type: T,
  processors?: string,
): Promise<{ readonly child: ChildProcess; readonly message: Extract<BenchMessage, { type: T }> }> {
  const [execPath, ...execArgv] = commandOn(processors, [process.execPath]);
  const child = fork(new URL(program, import.meta.url), args, { ...(execPath && { execPath }), execArgv });
  const [message]: [BenchMessage] = await Promise.race([
    once(child, 'message') as Promise<[BenchMessage]>,
    once(child, 'exit').then(() => {
      throw new Error(`${program} exited without a message.`);
    }),
  ]);
  if (message.type !== type) throw new Error(`${program} sent ${message.type}, not ${type}.`);
  return { child, message: message as Extract<BenchMessage, { type: T }> };
}

/** @returns transactions per second */
export async function measureProgram(
  program: string,
  args: readonly string[],
  processors?: string,
): Promise<number> {
  const { child, message } = await startProgram(program, args, 'measured', processors);
  child.disconnect();
  await once(child, 'exit');
  return message.transactions / message.seconds;
}

/** A process's peak memory in MiB; null if the system does not report it. */
export async function peakMemory(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? null : Number(kib) / 1_024;
  } catch {
    return null;
  }
}
