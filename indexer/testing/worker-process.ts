import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProgramMessage } from '../../data/runtime/supervised.ts';
import { INDEXER_MEMORY_FLAGS } from '../memory-flags.ts';

/** For tests: the indexer as a process of its own, started as the supervisor starts it. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** What it wrote to stderr so far. */
  said(): string;
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
const FAST_TIME = new URL('./fast-time-preload.ts', import.meta.url).href;
/** Keeps a program from standing back behind the tests that wait for it. */
export const EQUAL_PRIORITY = new URL('./equal-priority-preload.ts', import.meta.url).href;

export interface WorkerTerms {
  /** How much faster time passes in the process than outside. */
  readonly timeFactor?: number;
  /** Bytes that a file it writes may have; beyond it, writing fails as on a full disk. A multiple of 512. */
  readonly largestFile?: number;
  /** Whether it stands back for other processes, as it does outside tests. */
  readonly standsBack?: boolean;
  /** What starts it, before the command itself. */
  readonly launcher?: readonly string[];
}

export function startWorker(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  { timeFactor = 1, largestFile, standsBack = false, launcher = [] }: WorkerTerms = {},
): WorkerProcess {
  const preloads = [
    ...(timeFactor === 1 ? [] : ['--import', FAST_TIME]),
    ...(standsBack ? [] : ['--import', EQUAL_PRIORITY]),
  ];
  const program = [...launcher, process.execPath, ...INDEXER_MEMORY_FLAGS, ...preloads, MAIN, ...args];
  const [command = '', ...rest] =
    largestFile === undefined ? program : commandWithLimit(program, largestFile);
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', TEST_TIME_FACTOR: String(timeFactor), ...env },
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
    said: () => stderr,
    ready,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** For tests: a command whose process may write no file beyond a number of bytes (RLIMIT_FSIZE, in blocks of 512). */
export function commandWithLimit(command: readonly string[], largestFile: number): readonly string[] {
  return ['sh', '-c', `ulimit -S -f ${largestFile / 512} && exec "$@"`, 'sh', ...command];
}
