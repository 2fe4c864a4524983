import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type DrizzleSQLiteSnapshotJSON,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import * as adminSchema from './admin-schema.ts';
import * as appSchema from './app-schema.ts';
import * as applicationSchema from './application-schema.ts';
import * as cardSchema from './card-schema.ts';
import * as chatSchema from './chat-schema.ts';
import * as contactSchema from './contact-schema.ts';
import * as deliverySchema from './delivery-schema.ts';
import * as indexSchema from './index-schema.ts';
import * as loanSchema from './loan-schema.ts';
import { openForReading, openForWriting } from './open-database.ts';
import * as sessionSchema from './session-schema.ts';
import { APP_FILE, INDEX_FILE, type StoreFile } from './store-files.ts';

describe('migrations', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-migrations-'));
    file = join(folder, 'store.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A store file whose migrations are the given statements, one migration each. */
  function kindOf(...migrations: string[]): StoreFile {
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

  it('run once each, those that are missing', () => {
    openForWriting(file, kindOf(CREATE)).close();
    openForWriting(file, kindOf(CREATE, FILL)).close();
    const client = openForWriting(file, kindOf(CREATE, FILL));
    expect(client.prepare('select id, name from things').all()).toEqual([{ id: 1, name: null }]);
    expect(client.pragma('user_version', { simple: true })).toBe(2);
    client.close();
  });

  it('tell a reader that the schema is older, until the writer has brought it up to date', () => {
    openForWriting(file, kindOf(CREATE)).close();
    const schemaRead = () => {
      const { client, schema } = openForReading(file, kindOf(CREATE, FILL));
      client.close();
      return schema;
    };
    expect(schemaRead()).toBe('older');
    openForWriting(file, kindOf(CREATE, FILL)).close();
    expect(schemaRead()).toBe('current');
  });

  it.each([
    ['a statement that fails', 'alter table missing add name text', /no such table/],
    ['rows that point to nothing', 'insert into things (id, owner) values (2, 77)', /rows point to nothing/],
  ])('leave nothing of themselves after %s', (_, broken, words) => {
    openForWriting(file, kindOf(CREATE)).close();
    const failing = kindOf(CREATE, FILL, broken);
    expect(() => openForWriting(file, failing)).toThrow(words);
    const client = openForWriting(file, kindOf(CREATE));
    expect(client.pragma('user_version', { simple: true })).toBe(1);
    expect(client.prepare('select * from things').all()).toEqual([]);
    client.close();
  });

  it('that ran already ask for no lock, so that opening waits for no other writer', () => {
    const kind = kindOf(CREATE);
    const holder = openForWriting(file, kind);
    holder.exec('begin immediate');
    openForWriting(file, kind).close();
    const reading = openForReading(file, kind);
    reading.client.close();
    holder.close();
    expect(reading.schema).toBe('current');
  });

  it.each([
    ['index', INDEX_FILE, indexSchema],
    [
      'app',
      APP_FILE,
      {
        ...appSchema,
        ...sessionSchema,
        ...cardSchema,
        ...applicationSchema,
        ...deliverySchema,
        ...contactSchema,
        ...loanSchema,
        ...adminSchema,
        ...chatSchema,
      },
    ],
  ] as const)('of the %s hold exactly what its schema says', async (_, kind, schema) => {
    const meta = (name: string) => JSON.parse(readFileSync(new URL(`meta/${name}`, kind.migrations), 'utf8'));
    const newest = String(meta('_journal.json').entries.length - 1).padStart(4, '0');
    const generated: DrizzleSQLiteSnapshotJSON = meta(`${newest}_snapshot.json`);
    const declared = await generateSQLiteDrizzleJson(schema, generated.id);
    expect(await generateSQLiteMigration(generated, declared)).toEqual([]);
  });

  it('that cannot be read are a fault of the program and not of the file', () => {
    const kind = { ...INDEX_FILE, migrations: pathToFileURL(`${folder}/none/`) };
    expect(() => openForWriting(file, kind)).toThrow(/meta\/_journal\.json/);
    expect(() => openForWriting(file, kind)).not.toThrow(StoreUnavailableError);
  });
});
