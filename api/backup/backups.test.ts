import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { masterKeyOf } from '../documents/master-key.ts';
import { backupName, backupsIn, newestBackupAt, startBackups, takeBackup } from './backups.ts';
import { openCopies } from './portal-copies.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 0, 2, 12);

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('backup files', () => {
  it('have an unknown age in an unreadable folder, and no age in a missing one', () => {
    expect(newestBackupAt(join(folder, 'missing'))).toBeNull();
    writeFileSync(join(folder, backupName(NOON)), '');
    expect(newestBackupAt(folder)).toBe(NOON);
    expect(newestBackupAt(join(folder, backupName(NOON)))).toBeUndefined();
  });

  it('are recognized by the time in their name, and listed newest first', () => {
    const moments = fc.integer({ min: 0, max: 4_102_444_800 });
    fc.assert(
      fc.property(fc.uniqueArray(moments, { maxLength: 5 }), (seconds) => {
        const dir = mkdtempSync(join(folder, 'x-'));
        for (const second of seconds) writeFileSync(join(dir, backupName(second * 1_000)), '');
        writeFileSync(join(dir, 'notes.txt'), '');
        const backupTimes = backupsIn(dir).map(({ at }) => at / 1_000);
        expect(backupTimes).toEqual([...seconds].sort((a, b) => b - a));
      }),
      { numRuns: 20 },
    );
  });

  it('are not found in a missing folder', () => {
    expect(backupsIn(join(folder, 'none'))).toEqual([]);
  });
});

describe('scheduled backups', () => {
  afterEach(() => void vi.useRealTimers());

  const start = (now: () => number, backUp: (target: string) => Promise<number>) => {
    const registry = new Registry();
    const config = { cronPattern: '17 3 * * *', folder, keep: 2 };
    const log = pino({ enabled: false });
    return { stop: startBackups({ config, dataDir: folder, backUp, now, log, registry }), registry };
  };
  const writeBackup = async (target: string) => {
    writeFileSync(target, 'x');
    return 1;
  };

  it('start with a backup if there is none from the last day', async () => {
    await start(() => NOON, writeBackup).stop();
    expect(backupsIn(folder).map(({ at }) => at)).toEqual([NOON]);
    await start(() => NOON + HOUR_MS, writeBackup).stop();
    expect(backupsIn(folder)).toHaveLength(1);
    await start(() => NOON + 25 * HOUR_MS, writeBackup).stop();
    expect(backupsIn(folder)).toHaveLength(2);
  });

  it('run on schedule, delete all but the newest, and report the age of the last one', async () => {
    vi.useFakeTimers({ now: NOON });
    writeFileSync(join(folder, 'app.db'), '');
    const { stop, registry } = start(Date.now, writeBackup);
    for (const _ of Array(3)) await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
    await stop();
    expect(backupsIn(folder).map(({ at }) => new Date(at).toISOString().slice(8, 16))).toEqual([
      '05T03:17',
      '04T03:17',
    ]);
    expect(readdirSync(folder)).toContain('app.db');
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values[0]?.value).toBe((8 * 60 + 43) * 60);
  });

  it('count as newer than a backup that a wrong clock dated in the future, and replace it', async () => {
    const ahead = backupName(NOON + 365 * 24 * HOUR_MS);
    writeFileSync(join(folder, ahead), '');
    const names: string[] = [];
    for (const day of [0, 1, 2]) {
      const now = NOON + day * 24 * HOUR_MS;
      const { name } = await takeBackup({ folder, keep: 2, now, backUp: writeBackup });
      expect(backupsIn(folder)[0]?.name).toBe(name);
      names.push(name);
    }
    expect(backupsIn(folder).map(({ name }) => name)).toEqual(names.slice(1).toReversed());
  });

  const copyOptions = {
    masterKey: masterKeyOf(randomBytes(32).toString('base64')),
    log: pino({ enabled: false }),
  };

  it('from before a move to PostgreSQL have no age metric, because the portal replaces none of them', async () => {
    const registry = new Registry();
    const config = { cronPattern: null, folder: null, keep: 2, remote: null };
    const copies = await openCopies({ ...copyOptions, config, folder, usesDatabase: true, registry });
    await takeBackup({ folder: join(folder, 'backups'), keep: 2, now: NOON, backUp: writeBackup });
    await copies.start({ backUp: writeBackup })();
    expect(await registry.metrics()).not.toMatch(/^portal_backup_age_seconds /m);
  });

  it('do not keep the portal from starting if their folder cannot be read, and then have an unknown age', async () => {
    writeFileSync(join(folder, 'file'), '');
    const copies = await openCopies({
      ...copyOptions,
      config: { cronPattern: '17 3 * * *', folder: join(folder, 'file', 'backups'), keep: 2, remote: null },
      folder,
      usesDatabase: false,
      registry: new Registry(),
    });
    await copies.start({ backUp: writeBackup })();
    expect(copies.erasureCopies.backups()).toMatchObject({ newestAt: undefined, leftovers: [] });
  });

  it('have no age metric while no backup exists, and an infinite one while the folder cannot be read', async () => {
    const target = join(folder, 'backups');
    const registry = new Registry();
    const config = { cronPattern: null, folder: target, keep: 2 };
    const log = pino({ enabled: false });
    await startBackups({ config, dataDir: folder, backUp: writeBackup, now: () => NOON, log, registry })();
    const values = async () => (await registry.getMetricsAsJSON())[0]?.values;
    expect(await values()).toEqual([]);
    await takeBackup({ folder: target, keep: 2, now: NOON - HOUR_MS, backUp: writeBackup });
    expect(await values()).toMatchObject([{ value: 3_600 }]);
    rmSync(target, { recursive: true });
    writeFileSync(target, '');
    expect(await values()).toMatchObject([{ value: Number.POSITIVE_INFINITY }]);
  });

  it('keep the older backups when one fails', async () => {
    await start(() => NOON, writeBackup).stop();
    const failing = start(
      () => NOON + 48 * HOUR_MS,
      () => Promise.reject(new Error('disk full')),
    );
    await failing.stop();
    expect(backupsIn(folder)).toHaveLength(1);
  });
});
