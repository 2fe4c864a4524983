import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { newSchema, testSettings } from '../testing/postgres-stores.ts';
import { openDatabase } from './connection.ts';
import type { Database, DatabaseSettings } from './database.ts';
import { migrate } from './migrate.ts';

const SHORT_MS = 100;

let schema: string;
let db: Database;

function open(changes: Partial<DatabaseSettings> = {}, deadlines?: Parameters<typeof openDatabase>[1]) {
  const opened = openDatabase(testSettings(schema, changes), deadlines);
  onTestFinished(() => opened.close());
  return opened;
}

const selectOne = (on: Database) => on.get(on.statement<{ one: number }>('select 1 as one'));

const endConnections = async (on: Database) => {
  const end = on.statement(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'blackduck-portal' and query like $1",
  );
  await on.all(end, `%${schema}%`);
};

describe('a database', () => {
  beforeEach(async () => {
    schema = newSchema();
    db = openDatabase(testSettings(schema));
    await migrate(db, schema, 'app');
    await db.run(db.statement('create table $.notes (id bigint primary key, text text)'));
  });
  afterEach(async () => {
    await db.run({ text: `drop schema ${schema} cascade`, name: undefined });
    await db.close();
  });

  const insertStatement = (on: Database) => on.statement('insert into $.notes (id, text) values ($1, $2)');
  const countStatement = (on: Database) =>
    on.statement<{ notes: number }>('select count(*) as notes from $.notes');

  describe('a transaction', () => {
    it('is stored completely or not at all', async () => {
      const failing = db.transaction([], async (transaction) => {
        await transaction.run(insertStatement(db), 1, 'a');
        throw new RangeError('No.');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await db.get(countStatement(db))).toEqual({ notes: 0 });
    });

    it('runs again after a deadlock with another transaction', async () => {
      for (const id of [1, 2]) await db.run(insertStatement(db), id, '');
      const append = db.statement('update $.notes set text = text || $2 where id = $1');
      let begun = 0;
      // Both connections are opened first, so that neither transaction waits long for the other to begin.
      await Promise.all([selectOne(db), selectOne(db)]);
      const appendToBoth = (text: string, ids: readonly [number, number]) =>
        db.transaction([], async (transaction) => {
          await transaction.run(append, ids[0], text);
          begun += 1;
          while (begun < 2) await setImmediate();
          await transaction.run(append, ids[1], text);
        });
      await Promise.all([appendToBoth('a', [1, 2]), appendToBoth('b', [2, 1])]);
      const texts = await db.all(db.statement<{ text: string }>('select text from $.notes'));
      expect(texts.map(({ text }) => [...text].toSorted().join(''))).toEqual(['ab', 'ab']);
      expect(begun).toBeGreaterThan(2);
    });

    it('sees what was stored before it got a named lock, even by other programs', async () => {
      const LIMIT = 5;
      const deadlines = { connectMs: 60_000, statementMs: 60_000 };
      const programs = [open({}, deadlines), open({}, deadlines), open({}, deadlines)];
      const addUnlessFull = (on: Database, id: number) =>
        on.transaction(['notes'], async (transaction) => {
          const { notes } = (await transaction.get(countStatement(on))) ?? { notes: 0 };
          if (notes < LIMIT) await transaction.run(insertStatement(on), id, '');
        });
      await Promise.all(
        programs.flatMap((on, programIndex) =>
          Array.from({ length: 8 }, (_, id) => addUnlessFull(on, programIndex * 8 + id)),
        ),
      );
      expect(await db.get(countStatement(db))).toEqual({ notes: LIMIT });
    });
  });

  it('runs a statement outside a transaction again after a deadlock', async () => {
    const setUpStatements = [
      'create sequence $.tries',
      `create function $.try() returns bigint language plpgsql as $body$ begin
        if nextval('${schema}.tries') = 1 then raise exception 'deadlock' using errcode = 'deadlock_detected'; end if;
        return currval('${schema}.tries'); end $body$`,
    ];
    for (const text of setUpStatements) await db.run(db.statement(text));
    expect(await db.get(db.statement('select $.try() as tries'))).toEqual({ tries: 2 });
  });

  it('rejects numbers that JavaScript would round', async () => {
    await db.run(insertStatement(db), String(2n ** 53n), '');
    await expect(db.all(db.statement('select id from $.notes'))).rejects.toThrow(RangeError);
  });

  it('does not include stored values in errors', async () => {
    const unique = db.statement('create unique index on $.notes (text)');
    await db.run(unique);
    await db.run(insertStatement(db), 1, 'ada@example.com');
    const error = await db.run(insertStatement(db), 2, 'ada@example.com').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '23505' });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('ada@');
  });

  describe('when a connection or statement fails', () => {
    it('works again after its connections were lost while idle or in a transaction', async () => {
      const other = open({ poolSize: 2 });
      await other.get(countStatement(other));
      await endConnections(db);
      const lost = other.transaction([], async (transaction) => {
        await transaction.get(countStatement(other));
        await endConnections(db);
        await transaction.run(insertStatement(other), 1, '');
      });
      await expect(lost).rejects.toThrow(StoreUnavailableError);
      await expect.poll(() => selectOne(other).catch(() => null)).toEqual({ one: 1 });
      expect(await db.get(countStatement(db))).toEqual({ notes: 0 });
    });

    it('reports that no connection of its pool became idle in time, and works again once one is idle', async () => {
      const other = open({ poolSize: 1 }, { connectMs: SHORT_MS, statementMs: 10_000 });
      // Polled, because a busy machine may take longer than the short deadline.
      await expect.poll(() => selectOne(other).catch(() => null)).toEqual({ one: 1 });
      await other.transaction([], async () => {
        await expect(selectOne(other)).rejects.toThrow(/DATABASE_POOL/);
      });
      expect(await selectOne(other)).toEqual({ one: 1 });
    });

    it('cancels a statement on the server when it times out', async () => {
      const other = open({}, { connectMs: 5_000, statementMs: SHORT_MS });
      const waits = db.statement('select from pg_stat_activity where wait_event_type = $1 and query like $2');
      await db.transaction([], async (transaction) => {
        await transaction.run(db.statement('lock table $.notes in access exclusive mode'));
        await expect(other.get(countStatement(other))).rejects.toThrow(StoreUnavailableError);
        expect(await db.all(waits, 'Lock', `%${schema}%`)).toEqual([]);
      });
    });

    it('ends a statement that waits too long for a lock', async () => {
      const other = open({}, { connectMs: 5_000, statementMs: SHORT_MS });
      await db.transaction(['held'], async () => {
        const waiting = other.transaction(['held'], async () => {});
        await expect(waiting).rejects.toThrow(StoreUnavailableError);
      });
      const isUsable = () => other.transaction(['held'], async () => true).catch(() => false);
      await expect.poll(isUsable).toBe(true);
    });

    it('gives up on a server that does not answer', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      onTestFinished(() => void silent.close());
      await once(silent, 'listening');
      const address = silent.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const other = open({ host: '127.0.0.1', port }, { connectMs: SHORT_MS, statementMs: SHORT_MS });
      await expect(selectOne(other)).rejects.toThrow(StoreUnavailableError);
    });

    it('never shows the password', async () => {
      const password = 'correct horse battery staple';
      const refused = open({ host: '127.0.0.1', port: 1, password });
      const unknown = open({ database: 'no_such_database', password });
      for (const other of [refused, unknown]) {
        const error = await selectOne(other).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StoreUnavailableError);
        expect(inspect([error, other], { depth: null, showHidden: true })).not.toContain(password);
      }
    });
  });
});
