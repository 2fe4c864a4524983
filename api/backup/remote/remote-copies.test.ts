// @module-tag slow
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../data/runtime/exit-codes.ts';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { backupName } from '../backups.ts';
import { RemoteCopies } from './remote-copies.ts';
import { registerRemoteCopyMetrics } from './remote-metrics.ts';
import { copyNameOf, erasureListName } from './remote-names.ts';
import type { RemoteStore } from './remote-store.ts';

const NOON = Date.UTC(2026, 0, 2, 12);
const MINUTE_MS = 60_000;

let recipient: string;
beforeAll(async () => {
  recipient = await identityToRecipient(await generateX25519Identity());
});

let folder: string;
let backupFolder: string;
let sentFiles: Map<string, Buffer>;
/** Called before a file is stored. If it rejects, the file is not stored. */
let onSend: ((signal: AbortSignal) => Promise<void>) | null;
let logged: string[];
beforeEach(() => {
  folder = temporaryFolder();
  backupFolder = join(folder, 'backups');
  mkdirSync(backupFolder);
  sentFiles = new Map();
  onSend = null;
  logged = [];
  vi.useFakeTimers({ now: NOON, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => void vi.useRealTimers());

const store: RemoteStore = {
  keep: 2,
  label: 'a test',
  send: async ({ name, path }, signal) => {
    await onSend?.(signal);
    sentFiles.set(name, readFileSync(path));
  },
  list: async () => [...sentFiles.keys()],
  remove: async (name) => void sentFiles.delete(name),
};

function writeBackup(at: number): string {
  const name = backupName(at);
  for (const suffix of ['', '.tag']) writeFileSync(join(backupFolder, `${name}${suffix}`), 'Zoe Quill');
  return copyNameOf(name);
}
function createCopies(changes: { readonly program?: string; readonly recipient?: string } = {}) {
  const target = { kind: 'command', program: changes.program ?? 'send', args: [], timeoutMs: 1 } as const;
  return new RemoteCopies({
    config: { recipients: [changes.recipient ?? recipient], target },
    folder,
    backupsFolder: backupFolder,
    now: Date.now,
    log: pino({}, { write: (line: string) => logged.push(line) }),
    store,
  });
}
const copiesSent = () => [...sentFiles.keys()].filter((name) => name.startsWith('app-'));
const listsSent = () => [...sentFiles.keys()].filter((name) => name.startsWith('erasures-'));
const writeErasures = (count: number) =>
  writeFileSync(join(folder, 'erasures.jsonl'), Array(count).fill('{}\n').join(''));

describe('copies elsewhere', () => {
  it('contain the newest backup, which is encrypted and sent only once, even after a restart', async () => {
    writeBackup(NOON - 2 * MINUTE_MS);
    const newest = writeBackup(NOON);
    const first = createCopies();
    await first.send();
    expect(copiesSent()).toEqual([newest]);
    expect(sentFiles.get(newest)?.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/);
    expect(sentFiles.get(newest)?.includes('Zoe')).toBe(false);
    expect(first.state().newestAt).toBe(NOON);
    const before = sentFiles.get(newest);
    await createCopies().send();
    expect(sentFiles.get(newest)).toBe(before);
    sentFiles.clear();
    // Another store has nothing yet, so the copy is sent there too.
    await createCopies({ program: 'other' }).send();
    expect(copiesSent()).toEqual([newest]);
  });

  it('include the list of erasures whenever it has changed, even without a new backup', async () => {
    const remote = createCopies();
    writeErasures(1);
    await remote.send();
    await remote.send();
    expect([listsSent().length, copiesSent()]).toEqual([1, []]);
    vi.setSystemTime(NOON + MINUTE_MS);
    writeErasures(2);
    await remote.send();
    expect(listsSent()).toHaveLength(2);
  });

  it('keep the newest list of erasures even if a wrong clock dated a backup and a list in the future', async () => {
    const remote = createCopies();
    const ahead = NOON + 365 * 24 * 60 * MINUTE_MS;
    vi.setSystemTime(ahead + MINUTE_MS);
    writeErasures(1);
    writeBackup(ahead);
    await remote.send();
    vi.setSystemTime(NOON);
    for (const count of [2, 3]) {
      writeErasures(count);
      await remote.send();
    }
    const lists = listsSent();
    const oneMinuteLater = [0, 1, 2].map((offset) => erasureListName(ahead + MINUTE_MS + offset));
    expect(lists.toSorted()).toEqual(oneMinuteLater);
    writeBackup(ahead + 1_000);
    await remote.send();
    expect(listsSent()).toEqual(lists);
  });

  it('are removed when newer ones are complete, and not before', async () => {
    const remote = createCopies();
    const names: string[] = [];
    for (const minute of [0, 1, 2]) {
      names.push(writeBackup(NOON + minute * MINUTE_MS));
      await remote.send();
    }
    expect(copiesSent()).toEqual(names.slice(1));
    writeBackup(NOON + 3 * MINUTE_MS);
    onSend = () => Promise.reject(new Error('the bucket is full'));
    await expect(remote.send()).rejects.toThrow('the bucket is full');
    expect(copiesSent()).toEqual(names.slice(1));
    expect(remote.state().newestAt).toBe(NOON + 2 * MINUTE_MS);
  });

  it('are retried after growing pauses of one minute to one hour, until they succeed', async () => {
    const remote = createCopies();
    const registry = new Registry();
    registerRemoteCopyMetrics(remote, { registry, now: Date.now });
    const metric = async (name: string) =>
      (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? null;
    const newest = writeBackup(NOON);
    let attempts = 0;
    onSend = () => {
      attempts += 1;
      return Promise.reject(new Error('no route'));
    };
    remote.wake();
    await expect.poll(() => remote.problem).not.toBeNull();
    expect(await metric('portal_backup_remote_age_seconds')).toBe(Number.POSITIVE_INFINITY);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = attempts;
      await vi.advanceTimersByTimeAsync(minutes * MINUTE_MS - 1);
      expect(attempts).toBe(before);
      await vi.advanceTimersByTimeAsync(1);
      await expect.poll(() => metric('portal_backup_remote_failures_total')).toBe(before + 1);
    }
    expect(logged.filter((line) => line.includes('no route'))).toHaveLength(1);
    onSend = null;
    await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
    await expect.poll(() => remote.problem).toBeNull();
    expect(copiesSent()).toEqual([newest]);
    expect(await metric('portal_backup_remote_age_seconds')).toBe((Date.now() - NOON) / 1_000);
    await remote.stop();
  });

  it('of an interrupted run leave nothing behind, and are sent by the next one', async () => {
    const newest = writeBackup(NOON);
    const remote = createCopies();
    const started = Promise.withResolvers<void>();
    onSend = (signal) => {
      started.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    remote.wake();
    await started.promise;
    await remote.stop();
    expect(remote.problem).toBeNull();
    expect(readdirSync(backupFolder).filter((name) => name.includes('outgoing'))).toEqual([]);
    onSend = null;
    await createCopies().send();
    expect(copiesSent()).toEqual([newest]);
  });

  it('are sent once even if two processes send at the same time, and again if they disappear', async () => {
    const newest = writeBackup(NOON);
    let sends = 0;
    const sending = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    onSend = () => {
      sends += 1;
      sending.resolve();
      return mayEnd.promise;
    };
    const [first, second] = [createCopies(), createCopies()];
    const one = first.send();
    await sending.promise;
    const other = second.send();
    // The second process either waits, which is logged, or sends too.
    await expect.poll(() => logged.length > 0 || sends > 1).toBe(true);
    mayEnd.resolve();
    await Promise.all([one, other]);
    expect([sends, copiesSent()]).toEqual([1, [newest]]);
    sentFiles.clear();
    await second.send();
    expect([sends, copiesSent()]).toEqual([2, [newest]]);
  });

  it('are sent again, with the list of erasures, after a key change', async () => {
    const newest = writeBackup(NOON);
    writeErasures(1);
    await createCopies().send();
    sentFiles.clear();
    await createCopies({ recipient: await identityToRecipient(await generateX25519Identity()) }).send();
    expect([listsSent().length, copiesSent()]).toEqual([1, [newest]]);
  });

  it('that could not be removed are removed by the next attempt, even without a new backup', async () => {
    const remote = createCopies();
    for (const minute of [0, 1]) {
      writeBackup(NOON + minute * MINUTE_MS);
      await remote.send();
    }
    const newest = writeBackup(NOON + 2 * MINUTE_MS);
    vi.spyOn(store, 'remove').mockRejectedValueOnce(new Error('403'));
    await expect(remote.send()).rejects.toThrow('403');
    expect(remote.state().newestAt).toBe(NOON + 2 * MINUTE_MS);
    expect(copiesSent()).toHaveLength(3);
    await remote.send();
    expect(copiesSent()).toHaveLength(2);
    expect(copiesSent()).toContain(newest);
  });

  it('cannot be configured with a mistyped key', () => {
    const last = recipient.at(-1) === 'q' ? 'p' : 'q';
    expect(() => createCopies({ recipient: `${recipient.slice(0, -1)}${last}` })).toThrow(
      expect.objectContaining({ exitCode: EXIT.configuration }),
    );
  });

  it('have no age metric if no destination is configured', async () => {
    const registry = new Registry();
    registerRemoteCopyMetrics(null, { registry, now: Date.now });
    expect(await registry.metrics()).not.toMatch(/^portal_backup_remote_age_seconds /m);
  });

  it('are made in a folder of their own, named so that it is deleted if it is left behind', async () => {
    writeBackup(NOON);
    let path = '';
    const original = store.send;
    vi.spyOn(store, 'send').mockImplementationOnce(async (file, signal) => {
      path = dirname(file.path);
      await original(file, signal);
    });
    await createCopies().send();
    expect(path).toMatch(/\/app-outgoing-\d+\.partial$/);
  });
});
