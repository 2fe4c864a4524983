import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { MigrationMessage, ProgramMessage } from '../../data/runtime/shutdown.ts';
import { API_PROGRAM, CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { INDEXER_MEMORY_FLAGS } from '../memory-flags.ts';

interface ApiOptions {
  readonly flags?: readonly string[];
  /** Default: `--api-only`, with which the program serves no pages. */
  readonly args?: readonly string[];
  readonly program?: string;
}

export function spawnApi(
  env: Readonly<Record<string, string>>,
  { flags = [], args = ['--api-only'], program = API_PROGRAM }: ApiOptions = {},
) {
  const child = spawn(process.execPath, [...flags, program, ...args], {
    env: { ...CHILD_ENV, LOG_LEVEL: 'warn', PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return { child, ...observeProcess(child) };
}

export type ApiProcess = Awaited<ReturnType<typeof startApi>>;

/** Starts the API without pages, and waits until it is ready. */
export async function startApi(env: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const { child, ready, ended } = spawnApi(env, { flags });
  const { details } = await ready;
  return {
    url: `http://127.0.0.1:${details.port}`,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async end(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function observeProcess(child: ChildProcess) {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stderr,
  }));
  const ready = Promise.race([
    new Promise<ProgramMessage>((resolve) => {
      child.on('message', (message: ProgramMessage | MigrationMessage) => {
        if (message.type !== 'migrating') resolve(message);
      });
    }),
    ended.then(({ code }): never => {
      throw new Error(`the process ended with code ${code} before it was ready: ${stderr}`);
    }),
  ]);
  ready.catch(() => {});
  return {
    stderr: () => stderr,
    /**
     * Resolves with the first message that the process sends to its parent, ignoring messages about a migration. Rejects if
     * the process ends before it sends one.
     */
    ready,
    ended,
  };
}

export type IndexerProcess = ReturnType<typeof spawnIndexer>;

export const LEDGER_ADDRESS_ENV = {
  BD_MINT: LEDGER.mint,
  BD_VAULT: LEDGER.vault,
  BD_STAKE_POOL: LEDGER.stakePool,
} as const;

export const TEST_PRELOAD = new URL('./preload.ts', import.meta.url).href;

export interface IndexerProcessOptions {
  /** How many times as fast as real time the process's clock runs. */
  readonly timeFactor?: number;
  /** The maximum size of a file in bytes, a multiple of 512. Writing beyond it fails as on a full disk. */
  readonly maxFileBytes?: number;
  readonly lowersPriority?: boolean;
  /** A command to run the program under, such as `nice`. */
  readonly launcher?: readonly string[];
}

export function spawnIndexer(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  { timeFactor = 1, maxFileBytes, lowersPriority = false, launcher = [] }: IndexerProcessOptions = {},
) {
  const preloads = lowersPriority ? [] : ['--import', TEST_PRELOAD];
  const commandLine = [
    ...launcher,
    process.execPath,
    ...INDEXER_MEMORY_FLAGS,
    ...preloads,
    programFile('indexer/main.ts'),
    ...args,
  ];
  const [command = '', ...commandArgs] =
    maxFileBytes === undefined ? commandLine : commandWithLimit(commandLine, maxFileBytes);
  const child = spawn(command, commandArgs, {
    env: { ...CHILD_ENV, LOG_LEVEL: 'warn', TEST_TIME_FACTOR: String(timeFactor), ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const watched = observeProcess(child);
  return {
    child,
    ...watched,
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return watched.ended;
    },
  };
}

/** Wraps a command so that it runs with a file size limit (RLIMIT_FSIZE, in blocks of 512 bytes). */
function commandWithLimit(command: readonly string[], maxFileBytes: number): readonly string[] {
  return ['sh', '-c', `ulimit -S -f ${maxFileBytes / 512} && exec "$@"`, 'sh', ...command];
}
