import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MIGRATION_TIMEOUT_MS } from './shutdown.ts';

const SHUTDOWN = resolve('data/runtime/shutdown.ts');

let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'));
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$1" >>'${folder}/sent'\n`, {
    mode: 0o755,
  });
  await writeFile(
    join(folder, 'service.mjs'),
    `import { installShutdown, notifyMigrating, notifyParent } from '${SHUTDOWN}';
installShutdown(() => {});
if (process.env.MIGRATES) notifyMigrating();
notifyParent({ type: 'ready', details: {} });
setInterval(() => {}, 1000);
process.stdout.write('up');`,
  );
});
afterEach(async () => {
  child?.kill('SIGKILL');
  // Retried, because a systemd-notify that is still running may write to the folder.
  await rm(folder, { recursive: true, maxRetries: 10, retryDelay: 50 });
});

/** Starts a service with a stand-in for systemd-notify. The service replaces the shell, so it has the shell's process id. */
async function startService(environment: string): Promise<ChildProcess> {
  const command = `export ${environment}; exec '${process.execPath}' '${folder}/service.mjs'`;
  const env = { PATH: `${folder}:/usr/bin:/bin` };
  child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

const readSentMessages = async () =>
  (await readFile(join(folder, 'sent'), 'utf8').catch(() => '')).split('\n').slice(0, -1);

it('a service notifies systemd when it is ready, while its event loop runs, and when it stops', async () => {
  const service = await startService('NOTIFY_SOCKET=/run/x WATCHDOG_USEC=60000 WATCHDOG_PID=$$');
  await expect.poll(async () => (await readSentMessages()).length).toBeGreaterThan(3);
  service.kill('SIGTERM');
  await once(service, 'exit');
  const kinds = async () => new Set(await readSentMessages());
  await expect.poll(kinds).toEqual(new Set(['READY=1', 'WATCHDOG=1', 'STOPPING=1']));
});

it('a service asks systemd to wait for a migration', async () => {
  await startService('NOTIFY_SOCKET=/run/x MIGRATES=1');
  const messages = [`EXTEND_TIMEOUT_USEC=${MIGRATION_TIMEOUT_MS * 1_000}`, 'READY=1'];
  await expect.poll(async () => (await readSentMessages()).toSorted()).toEqual(messages);
});

it.each([
  ['without a watchdog', 'NOTIFY_SOCKET=/run/x', ['READY=1', 'STOPPING=1']],
  [
    'with another process’s watchdog',
    'NOTIFY_SOCKET=/run/x WATCHDOG_USEC=60000 WATCHDOG_PID=1',
    ['READY=1', 'STOPPING=1'],
  ],
  ['outside systemd', 'WATCHDOG_USEC=60000 WATCHDOG_PID=$$', []],
])('a program %s sends no watchdog messages', async (_case, environment, expected) => {
  const service = await startService(environment);
  await expect.poll(async () => (await readSentMessages()).length).toBe(Math.min(expected.length, 1));
  service.kill('SIGTERM');
  await once(service, 'exit');
  await expect.poll(readSentMessages).toEqual(expected);
});
