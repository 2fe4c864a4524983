import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ask } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { MigrationMessage, ProgramMessage } from '../../data/runtime/shutdown.ts';
import { CHILD_ENV, type programFile } from '../../data/runtime/testing/child-programs.ts';

/** The master key of the recorded documents. It is public, because the documents are samples. */
export const DOCUMENT_KEY = Buffer.alloc(32, 5).toString('base64');
export const OWNER = { username: 'Ada', password: 'seven quiet ducks' };

/** The longest time (ms) until a portal is ready on a busy machine. */
const READY_TIMEOUT_MS = 180_000;
const POLL_INTERVAL_MS = 200;

export interface RunningPortal {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the ledger, the indexer and the API of a version, without demo actors. Waits until `/readyz` returns 200.
 * @param fileOf returns the file of a program of this version
 */
export async function startPrograms(fileOf: typeof programFile, dataDir: string): Promise<RunningPortal> {
  const children: ChildProcess[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  };
  const start = async (
    program: Parameters<typeof programFile>[0],
    env: Readonly<Record<string, string>>,
    ...args: string[]
  ) => {
    const child = fork(fileOf(program), args, {
      // This folder has no `.env` file, which would change the settings.
      cwd: dataDir,
      env: {
        ...CHILD_ENV,
        DATA_DIR: dataDir,
        DOCUMENT_KEY,
        LEDGER_ACTORS: 'off',
        DISK_RESERVE_MB: '0',
        LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${program} ended with ${code}`);
    });
    const ready = new Promise<ProgramMessage>((resolve) => {
      child.on('message', (message: ProgramMessage | MigrationMessage) => {
        if (message.type === 'ready') resolve(message);
      });
    });
    const { details } = await Promise.race([ready, ended]);
    ended.catch(() => {});
    return Number(details.port);
  };
  try {
    const ledgerEnv = { LEDGER_PORT: String(await start('indexer/ledger/main.ts', { LEDGER_PORT: '0' })) };
    await start('indexer/main.ts', ledgerEnv);
    const port = await start('api/main.ts', { ...ledgerEnv, PORT: '0' }, '--api-only');
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while ((await ask(port, PATHS.readyz)).status !== 200) {
      if (Date.now() > deadline) throw new Error('The portal did not become ready.');
      await setTimeout(POLL_INTERVAL_MS);
    }
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
