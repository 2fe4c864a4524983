// @module-tag slow
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from '../ports.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { openNewApp } from '../testing/new-stores.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';
import { checkAuditTrail } from './audit-trail.ts';
import { backUpFile, checkBackup, restore } from './backup-file.ts';
import { openForWriting } from './open-database.ts';
import { APP_FILE, INDEX_FILE } from './store-files.ts';

let folder: string;
let file: string;
let copy: string;
let store: AppStore;
let recordCount = 0;

const CHANGES = {
  copy: 'copy.db',
  at: 1,
  isForced: false,
  isNewest: false,
  unusablePasswordHash: '',
  erasures: { auditRecordIds: [], repeatableIds: [], erasuresOf: () => [] },
};

const record = async (details = {}) => {
  recordCount += 1;
  await store.recordAudit({
    id: `r${recordCount}`,
    at: recordCount,
    actor: 'system',
    action: 'x.done',
    details,
  });
};
const recordCountOf = (path: string) => checkAuditTrail(path).records;

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'app.db');
  copy = join(folder, 'copy.db');
  store = await openNewApp(file);
  recordCount = 0;
  for (const _ of Array(5)) await record({ text: 'x'.repeat(2_000) });
});
afterEach(async () => {
  await store.close();
});

describe('a backup of app.db', () => {
  it('is one file that only its owner can read, with every commit, even those still in the log', async () => {
    const bytes = await store.backUp(copy);
    expect(statSync(copy)).toMatchObject({ size: bytes });
    expect(statSync(copy).mode & 0o077).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
    expect(recordCountOf(copy)).toBe(5);
  });

  it('made by the store or by `backUpFile` is intact even if the store changes meanwhile', async () => {
    const writing = (async () => {
      for (const _ of Array(60)) await record({ text: 'y'.repeat(4_000) });
    })();
    await Promise.all([store.backUp(copy), backUpFile(file, join(folder, 'other.db')), writing]);
    for (const path of [copy, join(folder, 'other.db')]) {
      checkBackup(path);
      expect(checkAuditTrail(path)).toMatchObject({ broken: null });
      expect(recordCountOf(path)).toBeGreaterThanOrEqual(5);
    }
    expect(recordCountOf(file)).toBe(65);
  });

  it('leaves no files behind when it cannot be written', async () => {
    const nowhere = join(folder, 'none', 'copy.db');
    await expect(store.backUp(nowhere)).rejects.toThrow(StoreUnavailableError);
    expect(readdirSync(folder).some((name) => name.includes('copy'))).toBe(false);
    await record();
  });

  it.each([
    ['truncated', () => truncateSync(copy, statSync(copy).size - 4_096)],
    ['not a database', () => writeFileSync(copy, 'hello')],
    ['empty', () => writeFileSync(copy, '')],
    [
      "another program's",
      () => {
        rmSync(copy);
        openForWriting(copy, INDEX_FILE).close();
      },
    ],
  ])('that is %s is not restored, and app.db is unchanged', async (_, damageCopy) => {
    await store.backUp(copy);
    damageCopy();
    await store.close();
    await expect(restore(copy, file, join(folder, 'kept.db'), CHANGES)).rejects.toThrow(
      StoreUnavailableError,
    );
    expect(recordCountOf(file)).toBe(5);
    store = await openAppStore(file);
  });

  it('with a changed audit trail is restored only when forced, and otherwise leaves app.db unchanged', async () => {
    await store.backUp(copy);
    await store.close();
    const client = new Database(copy);
    client.exec(
      "drop trigger audit_records_no_update; update audit_records set actor = 'nobody' where id = 'r3'",
    );
    client.close();
    const replaced = join(folder, 'kept.db');
    await expect(restore(copy, file, replaced, CHANGES)).rejects.toThrow(StoreUnavailableError);
    expect(checkAuditTrail(file)).toMatchObject({ records: 5, broken: null });
    expect(readdirSync(folder).filter((name) => /kept|partial/.test(name))).toEqual([]);
    expect(await restore(copy, file, replaced, { ...CHANGES, isForced: true })).toMatchObject({
      isTrailIntact: false,
    });
    store = await openAppStore(file);
  });

  it('is restored completely, and the replaced file is kept', async () => {
    await store.backUp(copy);
    await record();
    await store.close();
    const replaced = join(folder, 'kept.db');
    expect(await restore(copy, file, replaced, CHANGES)).toMatchObject({ hasReplaced: true });
    expect([recordCountOf(file), recordCountOf(replaced)]).toEqual([6, 6]);
    store = await openAppStore(file);
    await record();
    expect(checkAuditTrail(file)).toMatchObject({ records: 7, broken: null });
  });

  it('is restored over a damaged or missing file', async () => {
    await store.backUp(copy);
    await store.close();
    const replaced = join(folder, 'kept.db');
    writeFileSync(file, Buffer.alloc(8_192, 7));
    expect(await restore(copy, file, replaced, CHANGES)).toMatchObject({ hasReplaced: true });
    expect(readFileSync(replaced)[0]).toBe(7);
    rmSync(file);
    copyFileSync(copy, join(folder, 'again.db'));
    expect(await restore(join(folder, 'again.db'), file, replaced, CHANGES)).toMatchObject({
      hasReplaced: false,
    });
    expect(recordCountOf(file)).toBe(6);
    store = await openAppStore(file);
  });

  it('is restored without the log that an interrupted restore left', async () => {
    await store.backUp(copy);
    const newerCopy = join(folder, 'newer.db');
    for (const _ of Array(20)) await record({ text: 'y'.repeat(2_000) });
    await store.backUp(newerCopy);
    await store.close();
    const partialFile = `${file}.restored.partial`;
    copyFileSync(newerCopy, partialFile);
    const interrupted = openForWriting(partialFile, APP_FILE);
    interrupted.exec('create table unfinished as select * from audit_records');
    const log = readFileSync(`${partialFile}-wal`);
    interrupted.close();
    copyFileSync(newerCopy, partialFile);
    writeFileSync(`${partialFile}-wal`, log);
    await restore(copy, file, join(folder, 'kept.db'), CHANGES);
    checkBackup(file);
    expect(checkAuditTrail(file)).toMatchObject({ records: 6, broken: null });
    store = await openAppStore(file);
  });

  it('is restored without the log of a file that was moved away, and that log is kept', async () => {
    await store.backUp(copy);
    await record();
    const log = readFileSync(`${file}-wal`);
    await store.close();
    rmSync(file);
    writeFileSync(`${file}-wal`, log);
    const replaced = join(folder, 'kept.db');
    expect(await restore(copy, file, replaced, CHANGES)).toMatchObject({ hasReplaced: false });
    expect(readFileSync(`${replaced}-wal`)).toEqual(log);
    expect(checkAuditTrail(file)).toMatchObject({ records: 6, broken: null });
    store = await openAppStore(file);
    expect(recordCountOf(file)).toBe(6);
  });
});
