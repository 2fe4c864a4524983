// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { createCommandStore } from './command-store.ts';

let folder: string;
let logged: string[];
beforeEach(() => {
  folder = temporaryFolder();
  logged = [];
});
afterEach(() => void vi.unstubAllEnvs());

const log = () => pino({}, { write: (line: string) => logged.push(line) });

/** Sends a file with a command that runs this script. @returns the file's path */
async function send(
  source: string,
  timeoutMs = 60_000,
  signal = new AbortController().signal,
): Promise<string> {
  const script = join(folder, 'send.mjs');
  writeFileSync(script, source);
  const path = join(folder, 'a copy; $(touch x).tar.age');
  writeFileSync(path, 'sealed');
  const store = createCommandStore(
    { kind: 'command', program: process.execPath, args: [script, 'first'], timeoutMs },
    log(),
  );
  await store.send({ path, name: 'copy', bytes: 6, sha256: '' }, signal);
  return path;
}

describe('a command that sends backups', () => {
  it('gets the path as its last argument and in a variable, but no portal settings except those for S3', async () => {
    vi.stubEnv('SMTP_URL', 'smtp://user:secret@mail.example.com');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'the-id');
    const outputFile = join(folder, 'seen.json');
    const path = await send(`
      import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(outputFile)}, JSON.stringify([process.argv.slice(2), process.env]));
    `);
    const [args, env] = JSON.parse(readFileSync(outputFile, 'utf8'));
    expect(args).toEqual(['first', path]);
    expect(env).toMatchObject({ BACKUP_FILE: path, AWS_ACCESS_KEY_ID: 'the-id', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('SMTP_URL');
  });

  it('fails if its exit code is not 0; the last lines of its output are logged without secrets', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'very-secret-value');
    const failing = send(`
      for (let line = 1; line <= 30; line += 1) console.log('line ' + line);
      console.error('refused ' + process.env.AWS_SECRET_ACCESS_KEY);
      process.exitCode = 3;
    `);
    await expect(failing).rejects.toThrow('ended with 3');
    const { code, lines } = JSON.parse(logged[0] ?? '');
    expect([code, lines.length]).toEqual([3, 20]);
    expect(lines).toContain('line 30');
    expect(logged.join()).toContain('[hidden]');
    expect(logged.join()).not.toContain('very-secret-value');
  });

  it('is ended, along with the programs that it started, when it takes too long or the portal stops', async () => {
    const pidFile = join(folder, 'pid');
    const endless = `
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const child = spawn('sleep', ['600']);
      writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      setInterval(() => {}, 1000);
    `;
    const isRunning = () => {
      try {
        return process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
      } catch {
        return false;
      }
    };
    const stop = new AbortController();
    const stopped = send(endless, 60_000, stop.signal);
    await expect.poll(isRunning).toBe(true);
    stop.abort();
    await expect(stopped).rejects.toThrow('stopped');
    await expect.poll(isRunning).toBe(false);
    await expect(send(endless, 1)).rejects.toThrow('longer than');
  });

  it('is reported if its program does not exist', async () => {
    const store = createCommandStore(
      { kind: 'command', program: '/none/such', args: [], timeoutMs: 1_000 },
      log(),
    );
    const file = { path: '/x', name: 'x', bytes: 0, sha256: '' };
    await expect(store.send(file, new AbortController().signal)).rejects.toThrow('cannot be started');
  });
});
