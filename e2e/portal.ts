import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds. On a busy machine, starting the portal takes more than a minute. */
const READY_TIMEOUT_MS = 180_000;
const POLL_INTERVAL_MS = 50;

export const PROGRAMS = ['ledger', 'indexer', 'api'] as const;
type ProgramName = (typeof PROGRAMS)[number];

export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

export interface Portal {
  readonly url: string;
  readonly ledgerUrl: string;
  /** The portal's `DATA_DIR`. */
  readonly dataFolder: string;
  output(): string;
  processId(program: ProgramName): number;
  /** Kills a program without warning. Resolves when the supervisor reports that the program is running again. */
  killAndAwaitRestart(program: ProgramName): Promise<void>;
  /**
   * Kills a program without warning and keeps it down by suspending the supervisor. The returned function lets the
   * supervisor restart the program, and waits until the program is running again.
   */
  killAndHoldDown(program: ProgramName): () => Promise<void>;
  /** Runs a ledger command, such as `stake --wallet ada --amount 1500000`. Returns its output. */
  runLedgerCommand(...args: string[]): Promise<string>;
  /** Kills the portal itself without warning. */
  kill(): void;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

/** The programs' labels in the portal's first lines of output. */
const PROGRAM_LABELS = { ledger: 'Solana', indexer: 'Indexer', api: 'Site, API' } as const;

/** The environment variable with the path of a newly created embedded ledger. */
export const NEW_LEDGER = 'NEW_LEDGER';

/**
 * Starts the whole portal as `npm start` does, on free ports, with the data folder `DATA_DIR` or else an empty one. In browser
 * tests, a new ledger is copied into the folder.
 */
export async function startPortal(env: Readonly<Record<string, string>> = {}): Promise<Portal> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  const dataFolder = env.DATA_DIR ?? folder;
  const ledgerFile = process.env[NEW_LEDGER];
  if (ledgerFile !== undefined) await copyFile(ledgerFile, join(dataFolder, 'ledger.db'));
  const child: ChildProcess = spawn(process.execPath, ['scripts/start.ts'], {
    env: {
      ...process.env,
      PORT: '0',
      LEDGER_PORT: '0',
      LEDGER_ACTORS: 'off',
      VOTE_ACCOUNT_AGE_HOURS: '0',
      // The disk of a test machine may be nearly full.
      DISK_RESERVE_MB: '0',
      ...env,
      DATA_DIR: dataFolder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Kills the portal if a test fails before stopping it.
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  let outputText = '';
  const exitCode = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      process.off('exit', killChild);
      resolve(code);
    });
  });
  const collect = (chunk: Buffer) => {
    outputText += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);

  async function waitForOutput(pattern: RegExp, start: number): Promise<void> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!pattern.test(outputText.slice(start))) {
      if (child.exitCode !== null) throw new Error(`The portal ended:\n${outputText}`);
      if (Date.now() > deadline) throw new Error(`The portal did not print ${pattern}:\n${outputText}`);
      await setTimeout(POLL_INTERVAL_MS);
    }
  }

  await waitForOutput(/Ready in/, 0);
  const url = /Site, API\s+(http:\S+?),/.exec(outputText)?.[1];
  const ledgerUrl = /embedded ledger at (http:\S+?),/.exec(outputText)?.[1];
  if (!url || !ledgerUrl) throw new Error(`The portal did not print its URLs:\n${outputText}`);

  function processId(program: ProgramName): number {
    const lines = new RegExp(
      `(?:${PROGRAM_LABELS[program]}\\s.*|${program} is running again, )pid (\\d+)`,
      'g',
    );
    const last = [...outputText.matchAll(lines)].at(-1)?.[1];
    if (last === undefined)
      throw new Error(`The portal did not print the process id of ${program}:\n${outputText}`);
    return Number(last);
  }

  return {
    url,
    ledgerUrl,
    dataFolder,
    output: () => outputText,
    processId,
    killAndAwaitRestart: async (program) => {
      const start = outputText.length;
      process.kill(processId(program), 'SIGKILL');
      await waitForOutput(new RegExp(`${program} is running again`), start);
    },
    killAndHoldDown: (program) => {
      const start = outputText.length;
      child.kill('SIGSTOP');
      process.kill(processId(program), 'SIGKILL');
      return async () => {
        child.kill('SIGCONT');
        await waitForOutput(new RegExp(`${program} is running again`), start);
      };
    },
    runLedgerCommand: async (...args) => {
      // Runs in this process, because a new process would take a second of processor time for each command. Imported here,
      // because most test files run no commands.
      const { runCommand } = await import('../indexer/ledger/command-line.ts');
      return runCommand([...args, '--url', ledgerUrl]);
    },
    kill: () => void child.kill('SIGKILL'),
    stop: async () => {
      child.kill('SIGTERM');
      const code = await exitCode;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** Waits until the charts have points. A new portal responds before that, but its pages with charts then log an error. */
export async function waitForCharts({ url }: Pick<Portal, 'url'>): Promise<void> {
  for (const series of ['vault', 'staked', 'stakers']) {
    while (!(await fetch(`${url}/api/history?series=${series}&range=30d`)).ok)
      await setTimeout(POLL_INTERVAL_MS);
  }
}
