import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProgramMessage } from '../../data/runtime/supervised.ts';

/** For tests: the indexer as a process of its own, started as the supervisor starts it. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it told its parent first; rejects where it ended without a word. */
  readonly ready: Promise<ProgramMessage>;
  /** Its end: exit code or signal, and what it wrote to stderr. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
  /** Sends a signal and waits for the end. */
  end(
    signal: NodeJS.Signals,
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export function startWorker(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): WorkerProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stderr }));
  const ready = Promise.race([
    once(child, 'message').then(([message]) => message as ProgramMessage),
    ended.then(({ code }): never => {
      throw new Error(`The indexer ended with code ${code} before it was ready: ${stderr}`);
    }),
  ]);
  ready.catch(() => {});
  return {
    child,
    ready,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
