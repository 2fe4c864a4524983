// @module-tag slow
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** A limit in milliseconds that even a busy machine never reaches. */
const LONG_MS = 60_000;
const TIMING = {
  firstRestartDelayMs: 10,
  maxRestartDelayMs: 40,
  steadyAfterMs: 60_000,
  readyTimeoutMs: LONG_MS,
  migrationTimeoutMs: 10 * LONG_MS,
  stopTimeoutMs: 2_000,
};
const READY_PROGRAM = `process.send({ type: 'ready', details: { port: 1 } }); setInterval(() => {}, 1000);
process.on('disconnect', () => process.exit());`;

let folder: string;
let supervisor: Supervisor;
const notes: string[] = [];
const onFatal = vi.fn();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supervisor-'));
  notes.length = 0;
  onFatal.mockReset();
  supervisor = createSupervisor((text) => notes.push(text), onFatal, TIMING);
});
afterEach(async () => {
  await supervisor.stop();
  await rm(folder, { recursive: true });
});

async function writeProgram(source: string) {
  const entry = join(folder, `${Math.random()}.mjs`);
  await writeFile(entry, source);
  return { name: 'worker', entry, env: {} };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Points `process.execPath` to a missing file until the test ends or the returned function is called. */
function hideNode(): () => void {
  const { execPath } = process;
  const restore = () => {
    process.execPath = execPath;
  };
  onTestFinished(restore);
  process.execPath = join(folder, 'missing');
  return restore;
}

describe('the supervisor', () => {
  it('returns what the program reported when it became ready', async () => {
    const { processId, details } = await supervisor.start(await writeProgram(READY_PROGRAM));
    expect(details).toEqual({ port: 1 });
    expect(isAlive(processId)).toBe(true);
  });

  it('hides the systemd socket from programs, because only the supervisor reports to systemd', async () => {
    vi.stubEnv('NOTIFY_SOCKET', '/run/x');
    onTestFinished(() => void vi.unstubAllEnvs());
    const report = `process.send({ type: 'ready', details: { socket: process.env.NOTIFY_SOCKET ?? 'none' } });`;
    const { details } = await supervisor.start(await writeProgram(`${report} setInterval(() => {}, 1000);`));
    expect(details).toEqual({ socket: 'none' });
  });

  it('restarts a killed program', async () => {
    const { processId } = await supervisor.start(await writeProgram(READY_PROGRAM));
    process.kill(processId, 'SIGKILL');
    await vi.waitFor(() => expect(notes.at(-1)).toMatch(/^worker is running again, pid \d+$/), LONG_MS);
    expect(notes[0]).toContain('SIGKILL');
  });

  it('restarts a program once Node can be run again', async () => {
    const { processId } = await supervisor.start(await writeProgram(READY_PROGRAM));
    const restoreNode = hideNode();
    process.kill(processId, 'SIGKILL');
    await vi.waitFor(() => expect(notes.some((note) => note.includes('ENOENT'))).toBe(true), LONG_MS);
    restoreNode();
    await vi.waitFor(() => expect(notes.at(-1)).toMatch(/^worker is running again, pid \d+$/), LONG_MS);
  });

  it('fails when Node cannot be run at the first start', async () => {
    hideNode();
    await expect(supervisor.start(await writeProgram(READY_PROGRAM))).rejects.toMatchObject({ exitCode: 1 });
    expect(notes).toEqual([]);
  });

  it('fails with the exit code of a program that never became ready, and does not restart it', async () => {
    await expect(supervisor.start(await writeProgram('process.exit(75)'))).rejects.toMatchObject({
      exitCode: 75,
    });
    expect(notes).toEqual([]);
  });

  it('kills a program that does not become ready in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const started = supervisor.start(await writeProgram('setInterval(() => {}, 1000)'));
    vi.advanceTimersByTime(LONG_MS);
    await expect(started).rejects.toMatchObject({ exitCode: 1 });
    expect(notes).toHaveLength(1);
  });

  it('waits longer for a program that migrates its store, but not without limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const migrating = "process.send({ type: 'migrating' }); setInterval(() => {}, 1000)";
    const started = supervisor.start(await writeProgram(migrating));
    await vi.waitFor(() => expect(notes).toHaveLength(1), LONG_MS);
    vi.advanceTimersByTime(9 * LONG_MS);
    expect(notes).toHaveLength(1);
    vi.advanceTimersByTime(LONG_MS);
    await expect(started).rejects.toMatchObject({ exitCode: 1 });
    expect(notes).toHaveLength(2);
  });

  it('does not kill a program that migrates its store after becoming ready', async () => {
    const { processId } = await supervisor.start(
      await writeProgram(
        `process.on('SIGUSR2', () => process.send({ type: 'migrating' }, () => process.exit(0)));\n${READY_PROGRAM}`,
      ),
    );
    process.kill(processId, 'SIGUSR2');
    await vi.waitFor(() => expect(notes).not.toEqual([]), LONG_MS);
    expect(notes[0]).toContain('exited with code 0');
  });

  it('does not restart a program that exits with the configuration exit code', async () => {
    const { processId } = await supervisor.start(
      await writeProgram(`process.on('SIGUSR2', () => process.exit(78)); ${READY_PROGRAM}`),
    );
    process.kill(processId, 'SIGUSR2');
    await vi.waitFor(() => expect(onFatal).toHaveBeenCalledOnce(), LONG_MS);
    expect(notes).toEqual([]);
  });

  it('starts nothing while it is stopping', async () => {
    const worker = await writeProgram(READY_PROGRAM);
    const stopped = supervisor.stop();
    await expect(supervisor.start(worker)).rejects.toMatchObject({ exitCode: 0 });
    await stopped;
  });

  it('leaves no process running when it stops, not even one that ignores SIGTERM', async () => {
    const deaf = await supervisor.start({
      ...(await writeProgram(`process.on('SIGTERM', () => {}); ${READY_PROGRAM}`)),
      name: 'deaf',
    });
    const polite = await supervisor.start(await writeProgram(READY_PROGRAM));
    await supervisor.stop();
    expect([deaf, polite].map(({ processId }) => isAlive(processId))).toEqual([false, false]);
  });
});
