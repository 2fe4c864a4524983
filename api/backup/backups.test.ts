import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { checkAuditTrail } from '../../data/store/sqlite/audit-reader.ts';
import { backupName, backupsIn, pruneBackups } from './backup-files.ts';
import { startBackups } from './scheduled-backups.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 0, 2, 12);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backups-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('backup files', () => {
  it('are found by the moment that their name tells, to the second', () => {
    const moments = fc.integer({ min: 0, max: 4_102_444_800 });
    fc.assert(
      fc.property(fc.uniqueArray(moments, { maxLength: 5 }), (seconds) => {
        const place = mkdtempSync(join(folder, 'x-'));
        for (const second of seconds) writeFileSync(join(place, backupName(second * 1_000)), '');
        writeFileSync(join(place, 'notes.txt'), '');
        const found = backupsIn(place).map(({ at }) => at / 1_000);
        expect(found).toEqual([...seconds].sort((a, b) => b - a));
      }),
      { numRuns: 20 },
    );
  });

  it('are removed beyond the newest, and nothing else is', () => {
    for (const hour of [1, 2, 3]) writeFileSync(join(folder, backupName(NOON + hour * HOUR)), '');
    writeFileSync(join(folder, 'app.db'), '');
    expect(pruneBackups(folder, 2)).toEqual([backupName(NOON + HOUR)]);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('are none where there is no folder', () => {
    expect(backupsIn(join(folder, 'none'))).toEqual([]);
  });
});

describe('backups on a schedule', () => {
  afterEach(() => void vi.useRealTimers());

  const start = (now: number, backUp: (target: string) => Promise<number>) => {
    const registry = new Registry();
    const config = { pattern: '17 3 * * *', folder, keep: 2 };
    const options = {
      config,
      dataDir: folder,
      backUp,
      now: () => now,
      log: pino({ enabled: false }),
      registry,
    };
    return { stop: startBackups(options), registry };
  };
  const writing = async (target: string) => {
    writeFileSync(target, 'x');
    return 1;
  };

  it('are made at the start where none of the last day is there, and not otherwise', async () => {
    await start(NOON, writing).stop();
    expect(backupsIn(folder).map(({ at }) => at)).toEqual([NOON]);
    await start(NOON + HOUR, writing).stop();
    expect(backupsIn(folder)).toHaveLength(1);
    await start(NOON + 25 * HOUR, writing).stop();
    expect(backupsIn(folder)).toHaveLength(2);
  });

  it('come by the clock, keep the newest, and tell their age', async () => {
    vi.useFakeTimers({ now: NOON });
    const registry = new Registry();
    const config = { pattern: '17 3 * * *', folder, keep: 2 };
    const log = pino({ enabled: false });
    const stop = startBackups({ config, dataDir: folder, backUp: writing, now: Date.now, log, registry });
    for (const _ of Array(3)) await vi.advanceTimersByTimeAsync(24 * HOUR);
    await stop();
    expect(backupsIn(folder).map(({ at }) => new Date(at).toISOString().slice(8, 16))).toEqual([
      '05T03:17',
      '04T03:17',
    ]);
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values[0]?.value).toBe((8 * 60 + 43) * 60);
  });

  it('that fail leave the older ones, and the portal running', async () => {
    await start(NOON, writing).stop();
    const failing = start(NOON + 48 * HOUR, () => Promise.reject(new Error('disk full')));
    await failing.stop();
    expect(backupsIn(folder)).toHaveLength(1);
  });
});

describe("the operator's commands", { timeout: 60_000 }, () => {
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [`api/backup/${command}.ts`, ...args], {
      env: { ...process.env, DATA_DIR: folder },
    });

  it('back up beside a running portal, and restore only where it is stopped', async () => {
    const file = join(folder, 'app.db');
    const store = await openAppStore(file);
    const record = (id: string) =>
      store.recordAudit({ id, at: 1, actor: 'system', action: 'x.done', details: {} });
    await record('a');
    expect((await run('backup')).stdout).toContain('document key');
    await record('b');
    const refusal = await run('restore', 'latest').catch((error) => error);
    expect(refusal).toMatchObject({ code: 75, stderr: expect.stringContaining('another process') });
    await store.close();
    expect((await run('restore')).stdout).toContain('npm run restore');
    expect((await run('restore', 'latest')).stdout).toContain('is kept as');
    expect(checkAuditTrail(file).records).toBe(1);
  });
});
