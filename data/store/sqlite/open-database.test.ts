// @module-tag slow
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import * as appSchema from './app-schema.ts';
import { openAppStore } from './app-store.ts';
import { openIndexReader } from './index-reader.ts';
import * as indexSchema from './index-schema.ts';
import { openIndexWriter } from './index-writer.ts';
import { openForReading, openForWriting } from './open-database.ts';
import { APP_FILE, INDEX_FILE, type StoreFile, storeError } from './store-files.ts';
import * as submissionSchema from './submission-schema.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'index.db');
});

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 100, 4_096);
  writeFileSync(path, bytes);
}

describe('a store file', () => {
  it.each([
    ['the index survives a crash but may lose the newest commits in a power cut', INDEX_FILE, 1],
    ['every commit of the app store reaches the disk', APP_FILE, 2],
  ])('can be read while it is written, and %s', (_, kind, synchronous) => {
    const client = openForWriting(file, kind);
    const read = (name: string) => client.pragma(name, { simple: true });
    expect(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(read)).toEqual([
      'wal',
      synchronous,
      1,
      5_000,
    ]);
    client.close();
  });

  it('of the app store can be read only by its owner', () => {
    openForWriting(file, APP_FILE).close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('does not change when it is opened again', async () => {
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

  it.each<[string, () => unknown]>([
    ['a short text', () => writeFileSync(file, 'hello')],
    ['a long text', () => writeFileSync(file, 'not a database '.repeat(1_000))],
    ['a database of another program', () => new Database(file).exec('create table t (id integer)').close()],
    ['the other store file', () => openForWriting(file, APP_FILE).close()],
    [
      'a file with a newer schema',
      () => {
        const newer = openForWriting(file, INDEX_FILE);
        newer.pragma('user_version = 99');
        newer.close();
      },
    ],
  ])('that is %s stays unchanged, and the error names its path and a remedy', async (_, create) => {
    create();
    const before = readFileSync(file);
    const reader = openIndexReader(file);
    for (const openFile of [() => openIndexWriter(file), () => reader.dataVersion()]) {
      await expect(openFile).rejects.toThrow(StoreUnavailableError);
      await expect(openFile).rejects.toThrow(file);
      await expect(openFile).rejects.toThrow('DATA_DIR');
    }
    await reader.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['the index', INDEX_FILE, 'delete'],
    ['the app store', APP_FILE, 'npm run restore'],
  ])('of %s with a newer schema is refused, and the error says what to do', (_, kind, downgradeRemedy) => {
    const newer = openForWriting(file, kind);
    newer.pragma('user_version = 99');
    newer.close();
    expect(() => openForWriting(file, kind)).toThrow(downgradeRemedy);
  });

  it('is read by the same reader once it is repaired', async () => {
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

  it('that a newer program migrates is refused by a reader that has it open', async () => {
    const writer = await openIndexWriter(file);
    const reader = openIndexReader(file);
    expect((await reader.latestSnapshot(1)).chain).toBeNull();
    await writer.close();
    const newer = new Database(file);
    newer.exec('alter table chain_snapshot drop column supply');
    newer.pragma('user_version = 99');
    newer.close();
    await expect(reader.latestSnapshot(1)).rejects.toThrow();
    await expect(reader.latestSnapshot(1)).rejects.toThrow(StoreUnavailableError);
    await reader.close();
  });

  it('that is damaged is refused, and the error names the command that repairs it', async () => {
    await (await openIndexWriter(file)).close();
    damage(file);
    await expect(openIndexWriter(file)).rejects.toThrow('npm run indexer -- --rebuild');
    const app = join(folder, 'app.db');
    await (await openAppStore(app)).close();
    damage(app);
    await expect(openAppStore(app)).rejects.toThrow('npm run restore');
  });

  it.each([
    ['in a missing folder', () => join(folder, 'missing', 'index.db')],
    ['that is a folder', () => folder],
    ['below a file', () => join(file, 'index.db')],
  ])('%s cannot be opened', async (_, path) => {
    writeFileSync(file, '');
    await expect(openIndexWriter(path())).rejects.toThrow(StoreUnavailableError);
    await expect(openIndexWriter(path())).rejects.toThrow('DATA_DIR');
  });

  it('that is a folder cannot be read', async () => {
    mkdirSync(file);
    const reader = openIndexReader(file);
    await expect(reader.dataVersion()).rejects.toThrow(StoreUnavailableError);
    await reader.close();
  });
});

describe('the error of a store file', () => {
  const sqliteError = (code: string) => new Database.SqliteError('a message from SQLite', code);

  it.each([
    ['SQLITE_NOTADB', 'DATA_DIR'],
    ['SQLITE_CORRUPT_INDEX', '--rebuild'],
    ['SQLITE_FULL', 'disk'],
    ['SQLITE_BUSY_RECOVERY', 'process'],
    ['SQLITE_CANTOPEN', 'writable'],
    ['SQLITE_READONLY_DBMOVED', 'writable'],
    ['SQLITE_IOERR_WRITE', 'disk'],
  ])('for %s names the file, the code and a remedy', (code, remedy) => {
    const error = storeError('/data/index.db', INDEX_FILE, sqliteError(code));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    for (const part of ['/data/index.db', code, remedy]) expect(String(error)).toContain(part);
  });

  it.each([
    ['a broken constraint', sqliteError('SQLITE_CONSTRAINT_NOTNULL')],
    ['any other error', new TypeError('oh')],
  ])('never hides a program bug: %s stays unchanged', (_, error) => {
    expect(storeError('/data/index.db', INDEX_FILE, error)).toBe(error);
  });
});

describe('a migration', () => {
  function storeFileWith(...migrations: string[]): StoreFile {
    const path = join(folder, `migrations-${migrations.length}`);
    mkdirSync(join(path, 'meta'), { recursive: true });
    const entries = migrations.map((statements, index) => {
      writeFileSync(join(path, `${index}.sql`), statements);
      return { idx: index, version: '6', when: index, tag: String(index), breakpoints: true };
    });
    writeFileSync(join(path, 'meta', '_journal.json'), JSON.stringify({ entries }));
    return { ...INDEX_FILE, migrations: pathToFileURL(`${path}/`) };
  }
  const CREATE = 'create table things (id integer primary key, owner integer references things(id))';
  const FILL =
    'insert into things (id) values (1);--> statement-breakpoint\nalter table things add name text';

  it('runs once', () => {
    openForWriting(file, storeFileWith(CREATE)).close();
    openForWriting(file, storeFileWith(CREATE, FILL)).close();
    const client = openForWriting(file, storeFileWith(CREATE, FILL));
    expect(client.prepare('select id, name from things').all()).toEqual([{ id: 1, name: null }]);
    expect(client.pragma('user_version', { simple: true })).toBe(2);
    client.close();
  });

  it('of an older file is announced to the parent process beforehand', async () => {
    openForWriting(file, storeFileWith(CREATE)).close();
    const { migrations, ...kind } = storeFileWith(CREATE, FILL);
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { installShutdown } from '${resolve('data/runtime/shutdown.ts')}';
      import { openForWriting } from '${resolve('data/store/sqlite/open-database.ts')}';
      installShutdown(() => {});
      const kind = { ...${JSON.stringify(kind)}, migrations: new URL('${migrations}') };
      for (const file of ${JSON.stringify([join(folder, 'new.db'), file])}) {
        openForWriting(file, kind).close();
        process.send(file);
      }
      process.disconnect();`,
    );
    const messages: unknown[] = [];
    const child = fork(program).on('message', (message) => void messages.push(message));
    await once(child, 'exit');
    expect(messages).toEqual([join(folder, 'new.db'), { type: 'migrating' }, file]);
  });

  it('is reported to a reader as missing until the writer has run it', () => {
    openForWriting(file, storeFileWith(CREATE)).close();
    const readSchema = () => {
      const { client, schema } = openForReading(file, storeFileWith(CREATE, FILL));
      client.close();
      return schema;
    };
    expect(readSchema()).toBe('older');
    openForWriting(file, storeFileWith(CREATE, FILL)).close();
    expect(readSchema()).toBe('current');
  });

  it.each([
    ['a failing statement', 'alter table missing add name text'],
    ['rows that reference missing rows', 'insert into things (id, owner) values (2, 77)'],
  ])('with %s is rolled back', (_, broken) => {
    openForWriting(file, storeFileWith(CREATE)).close();
    const failing = storeFileWith(CREATE, FILL, broken);
    expect(() => openForWriting(file, failing)).toThrow();
    const client = openForWriting(file, storeFileWith(CREATE));
    expect(client.pragma('user_version', { simple: true })).toBe(1);
    expect(client.prepare('select * from things').all()).toEqual([]);
    client.close();
  });

  it('that has run takes no lock, so opening the file does not wait for another writer', () => {
    const kind = storeFileWith(CREATE);
    const holder = openForWriting(file, kind);
    holder.exec('begin immediate');
    openForWriting(file, kind).close();
    const reading = openForReading(file, kind);
    reading.client.close();
    holder.close();
    expect(reading.schema).toBe('current');
  });

  it('that cannot be read counts as a program bug, not as an error in the store file', () => {
    const kind = { ...INDEX_FILE, migrations: pathToFileURL(`${folder}/none/`) };
    expect(() => openForWriting(file, kind)).toThrow(/meta\/_journal\.json/);
    expect(() => openForWriting(file, kind)).not.toThrow(StoreUnavailableError);
  });

  it.each([
    ['index', INDEX_FILE, indexSchema],
    ['app', APP_FILE, { ...appSchema, ...submissionSchema }],
  ] as const)('exists for every change to the declared schema of the %s', async (_, kind, schema) => {
    const meta = (name: string) => JSON.parse(readFileSync(new URL(`meta/${name}`, kind.migrations), 'utf8'));
    const newest = String(meta('_journal.json').entries.length - 1).padStart(4, '0');
    const generated: DrizzleSQLiteSnapshotJSON = meta(`${newest}_snapshot.json`);
    const declared = await generateSQLiteDrizzleJson(schema, generated.id);
    expect(await generateSQLiteMigration(generated, declared)).toEqual([]);
  });

  it.each([
    ['index', INDEX_FILE],
    ['app', APP_FILE],
  ] as const)('is stored with only the newest snapshot of the schema of the %s', (_, kind) => {
    // The journal and the snapshot.
    expect(readdirSync(new URL('meta', kind.migrations))).toHaveLength(2);
  });
});
