// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SETUP_TOKEN_HEADER } from '../../data/contract/paths.ts';
import { askAs, PASSWORD } from './testing/team.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-link-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Runs the portal during `work`. @returns its output */
async function run(work: (port: number, firstOutput: Promise<string>) => Promise<void>) {
  child = fork(MAIN, ['--api-only'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('the program has no output');
  const firstOutput = once(stdout, 'data').then(([chunk]) => String(chunk));
  const [output, logged] = [text(stdout), text(stderr)];
  const [message] = await once(child, 'message');
  await work(message.details.port, firstOutput);
  child.kill('SIGTERM');
  return { output: await output, logged: await logged };
}

describe('the one-time link', { timeout: 60_000 }, () => {
  it('is printed while no admin exists, is not logged, and lets another machine create one', async () => {
    const elsewhere = { 'X-Forwarded-For': '203.0.113.7', Host: 'portal.example.com' };
    let token = '';
    const first = await run(async (port, firstOutput) => {
      token = /^No admin exists yet\..*\/admin\/setup#token=([\w-]{43})$/m.exec(await firstOutput)?.[1] ?? '';
      const setUp = (sent: string) => {
        const headers = { ...elsewhere, [SETUP_TOKEN_HEADER]: sent };
        return askAs({ port }, null, '/api/admin/setup', { username: 'Ada', password: PASSWORD }, headers);
      };
      expect((await setUp(`${token}x`)).status).toBe(403);
      expect((await setUp(token)).status).toBe(200);
    });
    expect(token).toHaveLength(43);
    expect(first.logged).not.toContain(token);
    expect((await run(async () => {})).output).toBe('');
  });
});
