import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { APP_FILE } from './store-files.ts';

describe('calls that share a commit', () => {
  let folder: string;
  let client: Database.Database;
  let reader: Database.Database;
  let group: GroupCommit;

  beforeEach(async () => {
    folder = temporaryFolder();
    client = new Database(join(folder, 'app.db'));
    client.pragma('journal_mode = WAL');
    client.exec('create table words (word text primary key)');
    reader = new Database(join(folder, 'app.db'), { readonly: true });
    group = createGroupCommit(client, APP_FILE);
  });
  afterEach(async () => {
    reader.close();
    client.close();
  });

  const add = (...words: readonly string[]) =>
    group.run(() => {
      for (const word of words) client.prepare('insert into words values (?)').run(word);
      return words.length;
    });
  const words = () => reader.prepare('select word from words order by rowid').pluck().all();

  it('are on disk once they resolve', async () => {
    const calls = ['one', 'two', 'three'].map((word) => add(word).then(() => words()));
    expect(words()).toEqual([]);
    for (const seen of await Promise.all(calls)) expect(seen).toEqual(['one', 'two', 'three']);
  });

  it('fail individually without writing anything, and do not affect the other calls', async () => {
    const outcomes = await Promise.allSettled([add('one'), add('two', 'one'), add('three')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(words()).toEqual(['one', 'three']);
  });

  it('fail together when the commit fails, and the next calls succeed', async () => {
    client.exec(
      "create trigger full before insert on words when new.word = 'full' begin select raise(rollback, 'full'); end",
    );
    const outcomes = await Promise.allSettled([add('one'), add('full'), add('two')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(words()).toEqual([]);
    expect(await add('three')).toBe(1);
    expect(words()).toEqual(['three']);
  });

  it('see what the calls before them wrote', async () => {
    const count = () => group.run(() => client.prepare('select count(*) from words').pluck().get());
    const [, between, , after] = await Promise.all([add('one'), count(), add('two'), count()]);
    expect([between, after]).toEqual([1, 2]);
  });

  it('are committed when the store is flushed, and refused once it is closed', async () => {
    const waiting = add('one');
    group.flush();
    expect(words()).toEqual(['one']);
    expect(await waiting).toBe(1);
    client.close();
    await expect(add('two')).rejects.toThrow(StoreUnavailableError);
  });
});
