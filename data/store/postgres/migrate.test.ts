import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkTrail, type StoredRecord } from '../rules/audit-chain.ts';
import { foldText, trigramsOf } from '../rules/search-words.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { fillStore } from '../testing/filled-store.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitMessage } from '../testing/sample-submissions.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';
import { checkAuditTrail } from './check-audit-trail.ts';
import { quoteIdentifier } from './connection.ts';
import { isMigrated, type Migration, migrate, migrationsOf } from './migrate.ts';

const openIn = async (schema: string) => {
  const store = await openAppStore(testSettings(schema));
  onTestFinished(() => store.close());
  return store;
};

const record = (id: string) => ({ id, at: 1, actor: 'system', action: 'portal.started', details: { id } });

describe('the schema', () => {
  it('may have any name, and is created once when several programs start and add to the audit trail', async () => {
    const schema = `The "portal"; or so ${newSchema()}`;
    const stores = await Promise.all(Array.from({ length: 6 }, () => openIn(schema)));
    await Promise.all(
      stores.flatMap((store, programIndex) =>
        Array.from({ length: 5 }, (_, index) => store.recordAudit(record(`${programIndex}-${index}`))),
      ),
    );
    const trail = await withDatabase(schema, (db) =>
      db.all(db.statement<StoredRecord>('select * from $.audit_records order by sequence')),
    );
    expect(trail.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(checkTrail(trail)).toMatchObject({ records: 30, unlinked: 0, broken: null });
  });

  const expandingMigration: Migration = {
    statements: ['alter table $.contact_messages add "addedLater" text'],
    oldestProgram: 0,
  };
  const migrateFurther = (schema: string, ...later: readonly Migration[]) =>
    withDatabase(schema, (db) => migrate(db, schema, 'app', [...migrationsOf('app'), ...later]));

  it('is not changed by a program that is too old for it', async () => {
    const schema = newSchema();
    await openIn(schema);
    const program = migrationsOf('app').length;
    await migrateFurther(schema, { ...expandingMigration, oldestProgram: program + 1 });
    await migrateFurther(schema, expandingMigration, { statements: [], oldestProgram: 0 });
    await expect(openIn(schema)).rejects.toThrow(StoreUnavailableError);
    await expect(checkAuditTrail(testSettings(schema))).rejects.toThrow(StoreUnavailableError);
  });

  it('can be used by an older program if its later migrations permit that, and keeps its version', async () => {
    const schema = newSchema();
    await openIn(schema);
    await migrateFurther(schema, expandingMigration);
    await submitMessage(await openIn(schema));
    await withDatabase(schema, async (db) => {
      await migrate(db, schema, 'app');
      const stored = await db.get(db.statement("select version from $.schema_versions where part = 'app'"));
      expect(stored).toEqual({ version: migrationsOf('app').length + 1 });
      // A copy would lack data that only the newer program knows.
      await expect(isMigrated(db, schema, 'app', { mayBeNewer: false })).rejects.toThrow(
        StoreUnavailableError,
      );
    });
  });

  it('can gain a column in every table while an older program uses prepared statements on them', async () => {
    const schema = newSchema();
    const store = await openIn(schema);
    // The message is newer than the data of `fillStore`, so that `fillStore` does not send the message's emails.
    const message = await submitMessage(store, { createdAt: 2 * SUBMITTED_AT });
    const read = async () => ({
      total: (await store.records.list('contacts', FIRST_PAGE)).total,
      record: await store.records.record(message),
      submission: await store.submissions.find('contact-message', message),
    });
    const before = await read();
    await withDatabase(schema, async (db) => {
      const tables = await db.all<{ name: string }>(
        db.statement('select tablename as name from pg_tables where schemaname = $1'),
        schema,
      );
      expect(tables.length).toBeGreaterThan(20);
      const statements = tables.map(
        ({ name }) => `alter table $.${quoteIdentifier(name)} add "addedLater" text`,
      );
      await migrateFurther(schema, { statements, oldestProgram: 0 });
    });
    await fillStore(store);
    expect(await read()).toEqual({ ...before, total: 2 });
  });

  it('lets records from before a migration be found by plain letters', async () => {
    const schema = newSchema();
    const earlier = migrationsOf('app').slice(0, 18);
    await withDatabase(schema, (db) => migrate(db, schema, 'app', earlier));
    const words = foldText('  BD-20260102-100000  Łukasz  Straße  🦆');
    await withDatabase(schema, async (db) => {
      const table = (name: string) => `${quoteIdentifier(schema)}.${name}`;
      await db.run({
        text: `insert into ${table('reference_numbers')} ("referenceNumber", kind, "createdAt") values ('BD-20260102-100000', 'contact-message', 1)`,
        name: undefined,
      });
      const insert = `insert into ${table('contact_messages')} (id, "referenceNumber", name, email, "createdAt", details, words, trigrams)
        values ('1', 'BD-20260102-100000', 'Łukasz Straße 🦆', 'l@example.com', 1, '{"message": "A falcon."}', $1, $2)`;
      await db.run({ text: insert, name: undefined }, words, trigramsOf(words));
    });
    const store = await openIn(schema);
    for (const search of ['lukasz', 'strasse', '🦆']) {
      expect((await store.records.list('contacts', { ...FIRST_PAGE, search })).total, search).toBe(1);
    }
    // After startup, the words of older messages are added to the search index in the background.
    const total = async () =>
      (await store.records.list('contacts', { ...FIRST_PAGE, search: 'falcon' })).total;
    await expect.poll(total).toBe(1);
  });

  it('has its migration announced to the parent process, unless the schema is new', async () => {
    const [unused, schema] = [newSchema(), newSchema()];
    await withDatabase(schema, (db) => migrate(db, schema, 'app', migrationsOf('app').slice(0, 18)));
    const program = join(temporaryFolder(), 'program.mjs');
    writeFileSync(
      program,
      `import { installShutdown } from '${resolve('data/runtime/shutdown.ts')}';
      import { openAppStore } from '${resolve('data/store/postgres/app-store.ts')}';
      installShutdown(() => {});
      for (const settings of ${JSON.stringify([unused, schema].map((name) => testSettings(name)))}) {
        await (await openAppStore(settings)).close();
        process.send(settings.schema);
      }
      process.disconnect();`,
    );
    const messages: unknown[] = [];
    const child = fork(program).on('message', (message) => void messages.push(message));
    await once(child, 'exit');
    expect(messages).toEqual([unused, { type: 'migrating' }, schema]);
  });

  it('is migrated once a long read of a table has ended, and other programs can use it until then', async () => {
    const schema = newSchema();
    const store = await openIn(schema);
    let migration: Promise<unknown> = Promise.resolve();
    await withDatabase(schema, (db) =>
      db.transaction([], async (dump) => {
        await dump.run(db.statement('lock table $.contact_messages in access share mode'));
        migration = migrateFurther(schema, expandingMigration);
        const waits = db.statement("select from pg_locks where not granted and mode = 'AccessExclusiveLock'");
        await expect.poll(async () => (await dump.all(waits)).length).toBe(1);
        await submitMessage(store);
      }),
    );
    await migration;
    await submitMessage(store);
  });

  it('is migrated even after repeated deadlocks', async () => {
    const schema = newSchema();
    await openIn(schema);
    await withDatabase(schema, async (db) => {
      const setUp = [
        'create sequence $.tries',
        `create function $.try() returns void language plpgsql as $body$ begin
          if nextval('"${schema}".tries') < 10 then raise exception 'deadlock' using errcode = 'deadlock_detected'; end if;
          end $body$`,
      ];
      for (const text of setUp) await db.run({ ...db.statement(text), name: undefined });
    });
    await migrateFurther(schema, { statements: ['select $.try()'], oldestProgram: 0 });
  });

  it.each(['app', 'index'] as const)('of the %s marks migrations that lock out older programs', (part) => {
    const folder = new URL(`./migrations/${part}/`, import.meta.url);
    const files = readdirSync(folder).toSorted();
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
    const restrictionPattern =
      /\b(drop (table|view|column|constraint|default|not null)|rename|set not null|add constraint|create unique|alter (column )?\S+ type|add (column )?"\w+" (?!.*\bdefault\b).*\bnot null)\b/i;
    const unmarkedFiles = files.filter((_, index) => {
      const { statements, oldestProgram } = migrationsOf(part)[index] ?? { statements: [], oldestProgram: 0 };
      // No older program uses a table that the migration itself creates.
      const created = statements.flatMap((text) => /create table (\$\.\w+)/.exec(text)?.[1] ?? []);
      const restricting = statements.filter(
        (text) => restrictionPattern.test(text) && !created.includes(/\$\.\w+/.exec(text)?.[0] ?? ''),
      );
      return oldestProgram === 0 && restricting.length > 0;
    });
    expect(unmarkedFiles).toEqual([]);
  });

  it('can be used by a user who may not create schemas', async () => {
    const schema = newSchema();
    const user = `user_of_${schema}`;
    await withDatabase(schema, async (db) => {
      const setUp = [`create role ${user} login`, `create schema ${schema} authorization ${user}`];
      for (const text of setUp) await db.run({ text, name: undefined });
    });
    const store = await openAppStore(testSettings(schema, { user }));
    await store.recordAudit(record('a'));
    await store.close();
  });
});
