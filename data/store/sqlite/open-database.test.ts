import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { openAppStore } from './app-store.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';
import { openForWriting } from './open-database.ts';
import { APP_FILE, INDEX_FILE } from './store-files.ts';

describe('a store file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-open-'));
    file = join(folder, 'index.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const pragmas = (kind: typeof INDEX_FILE) => {
    const client = openForWriting(file, kind);
    const read = (name: string) => client.pragma(name, { simple: true });
    const settings = {
      journal: read('journal_mode'),
      synchronous: read('synchronous'),
      foreignKeys: read('foreign_keys'),
      wait: read('busy_timeout'),
    };
    client.close();
    return settings;
  };

  it('is opened for readers beside one writer; the index may lose the newest commits in a power cut', () => {
    expect(pragmas(INDEX_FILE)).toEqual({ journal: 'wal', synchronous: 1, foreignKeys: 1, wait: 5_000 });
  });

  it('reaches the disk with every commit where it cannot be made again', () => {
    expect(pragmas(APP_FILE)).toEqual({ journal: 'wal', synchronous: 2, foreignKeys: 1, wait: 5_000 });
  });

  it('of the app is made readable by its owner alone', () => {
    openForWriting(file, APP_FILE).close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('is brought to the newest schema once, and is as it was when opened again', async () => {
    await (await openIndexWriter(file)).close();
    const first = readFileSync(file);
    await (await openIndexWriter(file)).close();
    expect(readFileSync(file).equals(first)).toBe(true);
    expect(readdirSync(folder)).toEqual(['index.db']);
  });

  it('that is empty counts as new', async () => {
    writeFileSync(file, '');
    const reader = openIndexReader(file);
    expect(await reader.dataVersion()).toBe(0);
    const writer = await openIndexWriter(file);
    expect(await reader.dataVersion()).toBeGreaterThan(0);
    await reader.close();
    await writer.close();
  });

  describe('that is not ours is refused in plain words, and stays as it was', () => {
    const expectRefused = async (words: RegExp) => {
      const before = readFileSync(file);
      const reader = openIndexReader(file);
      for (const refused of [() => openIndexWriter(file), () => reader.dataVersion()]) {
        await expect(refused).rejects.toThrow(StoreUnavailableError);
        await expect(refused).rejects.toThrow(words);
        await expect(refused).rejects.toThrow(file);
      }
      await reader.close();
      expect(readFileSync(file).equals(before)).toBe(true);
    };

    it.each([
      ['a short text', 'hello'],
      ['a long text', 'not a database '.repeat(1_000)],
    ])('%s', async (_, text) => {
      writeFileSync(file, text);
      await expectRefused(/not a database of this portal.*DATA_DIR/);
    });

    it('another program’s database', async () => {
      const other = new Database(file);
      other.exec('create table theirs (id integer)');
      other.close();
      await expectRefused(/database of something else.*DATA_DIR/);
    });

    it('the other store file', async () => {
      openForWriting(file, APP_FILE).close();
      await expectRefused(/database of something else/);
    });

    it('a newer schema', async () => {
      await (await openIndexWriter(file)).close();
      const newer = new Database(file);
      newer.pragma('user_version = 99');
      newer.close();
      await expectRefused(/newer version of this program.*schema is 99.*Start the newer version/);
    });
  });

  it('that was mended is read again by the same reader', async () => {
    writeFileSync(file, 'hello');
    const reader = openIndexReader(file);
    await expect(reader.dataVersion()).rejects.toThrow(StoreUnavailableError);
    rmSync(file);
    expect(await reader.dataVersion()).toBe(0);
    const writer = await openIndexWriter(file);
    expect(await reader.dataVersion()).toBeGreaterThan(0);
    await reader.close();
    await writer.close();
  });

  it('that a newer program changed while a reader had it open is refused by that reader', async () => {
    const writer = await openIndexWriter(file);
    const reader = openIndexReader(file);
    expect((await reader.latestSnapshot(1)).chain).toBeNull();
    await writer.close();
    const newer = new Database(file);
    newer.exec('alter table chain_snapshot drop column supply');
    newer.pragma('user_version = 99');
    newer.close();
    await expect(reader.latestSnapshot(1)).rejects.toThrow();
    await expect(reader.latestSnapshot(1)).rejects.toThrow(/newer version of this program/);
    await reader.close();
  });

  it('that is damaged is refused with the way to mend it', async () => {
    const writer = await openIndexWriter(file);
    await writer.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 100, 4_096);
    writeFileSync(file, bytes);
    await expect(openIndexWriter(file)).rejects.toThrow(/damaged.*--rebuild/);
    const app = join(folder, 'app.db');
    await (await openAppStore(app)).close();
    const appBytes = readFileSync(app);
    appBytes.fill(0xa5, 100, 4_096);
    writeFileSync(app, appBytes);
    await expect(openAppStore(app)).rejects.toThrow(/damaged.*backup/);
  });

  it.each([
    ['in a missing folder', () => join(folder, 'missing', 'index.db')],
    ['whose name is a folder’s', () => folder],
    ['below a file', () => join(file, 'index.db')],
  ])('%s cannot be opened, and the words say what to make writable', async (_, place) => {
    writeFileSync(file, '');
    await expect(openIndexWriter(place())).rejects.toThrow(StoreUnavailableError);
    await expect(openIndexWriter(place())).rejects.toThrow(/cannot be opened.*writable.*DATA_DIR/);
  });

  it('whose name is a folder’s is refused to a reader too', async () => {
    mkdirSync(file);
    const reader = openIndexReader(file);
    await expect(reader.dataVersion()).rejects.toThrow(StoreUnavailableError);
    await reader.close();
  });
});
