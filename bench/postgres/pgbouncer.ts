import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOBODY } from '../../data/store/testing/postgres-server.ts';

interface Pgbouncer {
  readonly socketFolder: string;
  close(): Promise<void>;
}

/**
 * Starts PgBouncer, which assigns a connection to the server for each transaction.
 * @throws if the program is not installed; no npm package contains it
 * @param users the users who may connect without a password
 */
export async function startPgbouncer(serverFolder: string, users: readonly string[]): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'pgb-'));
  const [settingsFile, usersFile] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  writeFileSync(usersFile, users.map((user) => `"${user}" ""\n`).join(''));
  writeFileSync(
    settingsFile,
    `[databases]
* = host=${serverFolder}
[pgbouncer]
pool_mode = transaction
listen_port = 5432
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${usersFile}
default_pool_size = 5
server_login_retry = 1
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const pooler = spawn('pgbouncer', [settingsFile], {
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(pooler, 'exit').catch((error: unknown) => {
    throw new Error('Install pgbouncer, for example with apt-get install pgbouncer.', {
      cause: error,
    });
  });
  let output = '';
  const started = new Promise<void>((resolve) => {
    pooler.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('process up')) resolve();
    });
  });
  await Promise.race([
    started,
    ended.then(() => {
      throw new Error(`PgBouncer did not start: ${output}`);
    }),
  ]);
  return {
    socketFolder: folder,
    async close() {
      pooler.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
