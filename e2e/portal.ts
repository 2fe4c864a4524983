import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READY_TIMEOUT = 60_000;

type ProgramName = 'ledger' | 'indexer' | 'api';

export interface Portal {
  readonly url: string;
  readonly ledgerUrl: string;
  /** The portal's output so far. */
  output(): string;
  /** The current process id of a program. */
  processId(program: ProgramName): number;
  /** Kills a program without warning. Resolves when the supervisor reports that it runs again. */
  killAndAwaitRestart(program: ProgramName): Promise<void>;
  /**
   * Kills a program without warning and keeps it down by stopping the supervisor. Returns a function that lets the
   * supervisor restart it, and that resolves when it runs again.
   */
  killAndHoldDown(program: ProgramName): () => Promise<void>;
  /** Runs a ledger command: `stake --wallet ada --amount 1500000`. Returns its output. */
  ledger(...args: string[]): Promise<string>;
  /** Kills the portal itself without warning. */
  kill(): void;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

const STARTED = {
  ledger: /Solana\s.*pid (\d+)/g,
  indexer: /Indexer\s.*pid (\d+)/g,
  api: /Site, API\s.*pid (\d+)/g,
} as const;

function lastNumber(text: string, patterns: readonly RegExp[]): number | null {
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
  const last = found.toSorted((a, b) => a.index - b.index).at(-1)?.[1];
  return last === undefined ? null : Number(last);
}

/** Starts the whole portal as `npm start` does, on free ports with an empty data folder. */
export async function startPortal(env: Readonly<Record<string, string>> = {}): Promise<Portal> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  const child: ChildProcess = spawn(process.execPath, ['scripts/start.ts'], {
    env: { ...process.env, PORT: '0', LEDGER_PORT: '0', LEDGER_ACTORS: 'off', DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // For a test that fails before it stops its portal.
  const killed = () => void child.kill('SIGKILL');
  process.once('exit', killed);
  let text = '';
  const watchers = new Set<() => void>();
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      process.off('exit', killed);
      resolve(code);
      for (const watcher of watchers) watcher();
    });
  });
  const collect = (chunk: Buffer) => {
    text += chunk.toString();
    for (const watcher of watchers) watcher();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);

  function waitForOutput(pattern: RegExp, from: number): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const tooLate = setTimeout(
        () => settle(() => reject(new Error(`The portal did not print ${pattern}:\n${text}`))),
        READY_TIMEOUT,
      );
      const check = () => {
        const match = pattern.exec(text.slice(from));
        if (match) settle(() => resolve(match));
        else if (child.exitCode !== null) settle(() => reject(new Error(`The portal ended:\n${text}`)));
      };
      const settle = (outcome: () => void) => {
        clearTimeout(tooLate);
        watchers.delete(check);
        outcome();
      };
      watchers.add(check);
      check();
    });
  }

  await waitForOutput(/Ready in/, 0);
  const url = /Site, API\s+(http:\S+?),/.exec(text)?.[1];
  const ledgerUrl = /embedded ledger at (http:\S+?),/.exec(text)?.[1];
  if (!url || !ledgerUrl) throw new Error(`The portal did not print its URLs:\n${text}`);

  function processId(program: ProgramName): number {
    const found = lastNumber(text, [STARTED[program], new RegExp(`${program} runs again, pid (\\d+)`, 'g')]);
    if (found === null) throw new Error(`The portal did not print the process id of ${program}:\n${text}`);
    return found;
  }

  return {
    url,
    ledgerUrl,
    output: () => text,
    processId,
    killAndAwaitRestart: async (program) => {
      const from = text.length;
      process.kill(processId(program), 'SIGKILL');
      await waitForOutput(new RegExp(`${program} runs again`), from);
    },
    killAndHoldDown: (program) => {
      const from = text.length;
      child.kill('SIGSTOP');
      process.kill(processId(program), 'SIGKILL');
      return async () => {
        child.kill('SIGCONT');
        await waitForOutput(new RegExp(`${program} runs again`), from);
      };
    },
    ledger: async (...args) => {
      const { stdout } = await run(process.execPath, [
        'indexer/ledger/command.ts',
        ...args,
        '--url',
        ledgerUrl,
      ]);
      return stdout;
    },
    kill: () => void child.kill('SIGKILL'),
    stop: async () => {
      child.kill('SIGTERM');
      const code = await ended;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}
