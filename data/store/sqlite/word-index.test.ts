// @module-tag slow
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { COUNTRIES } from '../../model/countries.ts';
import { newFolder } from '../testing/temporary-folder.ts';
import { openForWriting } from './open-database.ts';
import { APP_FILE } from './store-files.ts';
import { createWordIndex, type WordIndex } from './word-index.ts';

describe('the word tables', () => {
  let folder: string;
  let client: Database.Database;
  let wordIndex: WordIndex;
  beforeAll(() => {
    folder = newFolder();
    client = openForWriting(join(folder, 'app.db'), APP_FILE);
  });
  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    client.exec('delete from card_applications; delete from reference_numbers');
    wordIndex = createWordIndex(client);
    wordIndex.catchUp();
  });
  afterEach(() => {
    vi.useRealTimers();
    wordIndex.stop();
  });

  const add = (reference: string, name: string): void => {
    client.prepare("insert into reference_numbers values (?, 'card-application', 1, null)").run(reference);
    client
      .prepare(
        "insert into card_applications (id, referenceNumber, shape, name, email, isOwnershipProven, status, createdAt, changedAt) values (?, ?, 'v2', ?, 'x', 0, 'received', 1, 1)",
      )
      .run(reference, reference, name);
  };
  const rename = (reference: string, name: string): void => {
    client.prepare('update card_applications set name = ? where referenceNumber = ?').run(name, reference);
  };
  const remove = (reference: string): void => {
    client.prepare('delete from card_applications where referenceNumber = ?').run(reference);
    client.prepare('delete from reference_numbers where referenceNumber = ?').run(reference);
  };
  const findReferences = (name: string): unknown[] =>
    client
      .prepare(
        'select s.referenceNumber from application_words w join record_search s on s.sequence = w.rowid where application_words match ? order by 1',
      )
      .pluck()
      .all(`"${name}"`);
  /** FTS5 throws an error if its index does not match the indexed texts. */
  const expectIntactIndex = (): void => {
    client.exec("insert into application_words (application_words, rank) values ('integrity-check', 1)");
  };

  it('contain a record once they have caught up, not before', () => {
    add('BD-1', 'ada lovelace');
    expect(findReferences('lovelace')).toEqual([]);
    wordIndex.catchUp();
    expect(findReferences('lovelace')).toEqual(['BD-1']);
  });

  it('contain the current names of countries', () => {
    const stored = client.prepare('select code, name from country_names order by code').all();
    expect(stored).toEqual(COUNTRIES.toSorted((one, other) => (one.code < other.code ? -1 : 1)));
  });

  it('start to catch up a second after new records are added, even without a search', () => {
    vi.useFakeTimers();
    for (let number = 0; number < 450; number += 1) add(`BD-${number}`, 'ada lovelace');
    wordIndex.schedule();
    wordIndex.schedule();
    vi.advanceTimersByTime(999);
    expect(findReferences('lovelace')).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(findReferences('lovelace')).toHaveLength(450);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leave an error to the next search, which reports it', () => {
    vi.useFakeTimers();
    add('BD-1', 'ada lovelace');
    client.exec("create trigger full before update on indexed_words begin select raise(abort, 'full'); end");
    wordIndex.schedule();
    vi.runAllTimers();
    expect(() => wordIndex.catchUp()).toThrow('full');
    client.exec('drop trigger full');
    wordIndex.catchUp();
    expect(findReferences('lovelace')).toEqual(['BD-1']);
  });

  it('match the records after any mix of changes and indexing', () => {
    const NAMES = ['lovelace', 'hopper', 'turing'];
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), name: fc.constantFrom(...NAMES) }),
      fc.record({ do: fc.constant('rename' as const), name: fc.constantFrom(...NAMES), place: fc.nat(20) }),
      // Mostly removes the newest record, to show that its row id is not reused.
      fc.record({ do: fc.constant('remove' as const), place: fc.constantFrom(0, 0, 0, 1, 2) }),
      fc.record({ do: fc.constant('index' as const) }),
    );
    let addedCount = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        client.exec('delete from card_applications; delete from reference_numbers');
        const stored = new Map<string, string>();
        const referenceAt = (place: number) =>
          [...stored.keys()].toReversed()[place % Math.max(1, stored.size)];
        for (const one of steps) {
          if (one.do === 'add') {
            addedCount += 1;
            add(`BD-${addedCount}`, one.name);
            stored.set(`BD-${addedCount}`, one.name);
          } else if (one.do === 'index') wordIndex.catchUp();
          else {
            const reference = referenceAt(one.place);
            if (reference === undefined) continue;
            if (one.do === 'remove') {
              remove(reference);
              stored.delete(reference);
            } else {
              rename(reference, one.name);
              stored.set(reference, one.name);
            }
          }
        }
        wordIndex.catchUp();
        for (const name of NAMES) {
          const expected = [...stored].filter(([, value]) => value === name).map(([reference]) => reference);
          expect(findReferences(name)).toEqual(expected.toSorted());
        }
        expectIntactIndex();
      }),
      { numRuns: 30 },
    );
  });
});
