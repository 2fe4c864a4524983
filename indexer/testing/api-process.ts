import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProgramMessage } from '../../data/runtime/supervised.ts';

/** For tests: a program of the portal beside the indexer, as a process of its own. */
export interface ApiProcess {
  /** Where it answers. */
  readonly url: string;
  end(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

/** For tests: starts the API, without pages, on a free port, with flags of node's where it is given any. */
export async function startApi(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<ApiProcess> {
  const child = spawn(process.execPath, [...flags, MAIN, '--api-only'], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const message = await Promise.race([
    once(child, 'message').then(([told]) => told as ProgramMessage),
    closed.then(([code]): never => {
      throw new Error(`The API ended with code ${code} before it was ready: ${stderr}`);
    }),
  ]);
  return {
    url: `http://127.0.0.1:${message.details.port}`,
    async end() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
