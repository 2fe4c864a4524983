// @module-tag slow
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListQuery } from '../record-port.ts';
import { FIRST_PAGE } from '../testing/sample-submissions.ts';
import { newFolder } from '../testing/temporary-folder.ts';
import { LIMIT, type Statements, statementCache } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { openForWriting } from './open-database.ts';
import { listPage } from './record-lists.ts';
import { addHasWords } from './record-search.ts';
import { APP_FILE } from './store-files.ts';
import { createWordIndex } from './word-index.ts';

const ROWS = 4_200;
const LIST = LISTED_TABLES.applications;
const ALL_ROWS_QUERY: ListQuery = { ...FIRST_PAGE, limit: ROWS };

/** Some names come first in the sort and some last; some are frequent and some rare. */
function nameOf(rowNumber: number): string {
  if (rowNumber % 7 === 0) return `Zoe ${rowNumber}`;
  if (rowNumber % 7 === 1) return `Abel ${rowNumber}`;
  return rowNumber % 500 === 1 ? `Rare ${rowNumber}` : `Mary ${rowNumber}`;
}

describe('a search in a full store', () => {
  let folder: string;
  let client: Database.Database;
  let statements: Statements;
  beforeAll(() => {
    folder = newFolder();
    client = openForWriting(join(folder, 'app.db'), APP_FILE);
    addHasWords(client);
    statements = statementCache(client);
    const insertNumber = client.prepare(
      "insert into reference_numbers values (?, 'card-application', ?, null)",
    );
    const insertApplication = client.prepare(
      "insert into card_applications (id, referenceNumber, shape, name, email, checkedAmount, checkedTier, checkedAt, isOwnershipProven, status, createdAt, changedAt) values (?, ?, 'v2', ?, ?, ?, ?, 1, 0, ?, ?, 1)",
    );
    client.transaction(() => {
      for (let rowNumber = 0; rowNumber < ROWS; rowNumber += 1) {
        // The reference numbers are in a different order from the submissions.
        const reference = `BD-20260102-${100_000 + ((rowNumber * 7_919) % 900_000)}`;
        insertNumber.run(reference, rowNumber);
        const tier = ['Duckling', 'Banker', 'Raven'][rowNumber % 3];
        const status = rowNumber % 4 === 0 ? 'approved' : 'received';
        const email = `${rowNumber}@${rowNumber % 2 === 0 ? 'even' : 'odd'}.test`;
        const amount = String((rowNumber * 31) % 977);
        insertApplication.run(
          `a${rowNumber}`,
          reference,
          nameOf(rowNumber),
          email,
          amount,
          tier,
          status,
          rowNumber,
        );
      }
    })();
    createWordIndex(client).catchUp();
  });
  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true });
  });

  const listRows = (query: Partial<ListQuery>) =>
    listPage(statements, LIST, { ...ALL_ROWS_QUERY, ...query }).rows.map((row) => ({
      name: String(row.name),
      text: `${row.referenceNumber} ${row.name} ${row.email}`.toLowerCase(),
    }));
  const readPages = (query: Partial<ListQuery>, maxPages: number): string[] => {
    const names: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < maxPages; page += 1) {
      const { rows, next } = listPage(statements, LIST, { ...ALL_ROWS_QUERY, limit: 7, ...query, after });
      names.push(...rows.map(({ name }) => String(name)));
      after = next;
      if (after === null) break;
    }
    return names;
  };

  // What the searches match, in order: a few rows, a block at the end of the sort by name, a block at its start, most rows,
  // another field, a reference number, and two words.
  const SEARCHES = ['rare', 'zoe', 'abel', 'mary', 'even.test', 'bd-20260102', 'mary odd'];
  const SORTS = Object.keys(LIST.sorts).flatMap((sort) => [[sort, 'asc'] as const, [sort, 'desc'] as const]);
  /** All sorts except two that work like others: email works like name, and amount like tier. */
  const DIFFERENT_SORTS = SORTS.filter(([sort]) => sort !== 'email' && sort !== 'bdAmount');

  it.each(DIFFERENT_SORTS)(
    'sorted by %s, %s, lists exactly the matches, in order, page by page',
    (sort, order) => {
      const filterSets: readonly ListQuery['filters'][] = [{}, { status: 'approved' }, { tier: 'Raven' }];
      for (const [index, filters] of filterSets.entries()) {
        const allRows = listRows({ sort, order, filters });
        // Every search runs without a filter, and with one of the two filters.
        const searches = SEARCHES.filter((_, number) => index === 0 || number % 2 === index - 1);
        for (const search of searches) {
          const matching = allRows.filter(({ text }) =>
            search.split(' ').every((word) => text.includes(word)),
          );
          const expected = matching.map(({ name }) => name);
          expect(
            listRows({ sort, order, filters, search }).map(({ name }) => name),
            search,
          ).toEqual(expected);
          expect(readPages({ sort, order, filters, search }, 4), search).toEqual(expected.slice(0, 28));
        }
      }
    },
  );

  /** The plan of the inner query, which finds the rows of a page. */
  const planOf = (statement: string | undefined): string => {
    const sql = statement ?? '';
    const inner = sql.includes(' in (select ')
      ? sql.slice(sql.indexOf(' in (select ') + 5, sql.lastIndexOf(') order by'))
      : sql;
    const values = Array.from({ length: inner.split('?').length - 1 }, () => 1);
    const plan = client.prepare<unknown[], { detail: string }>(`explain query plan ${inner}`).all(...values);
    return plan.map(({ detail }) => detail).join('; ');
  };
  const statementsFor = (query: Partial<ListQuery>): readonly string[] => {
    const prepared: string[] = [];
    const recording: Statements = (sql) => {
      prepared.push(sql);
      return statements(sql);
    };
    listPage(recording, LIST, { ...ALL_ROWS_QUERY, ...query });
    return prepared.filter((sql) => sql.includes(LIMIT));
  };
  // Tier and amount are computed columns: SQLite reads only the index, but its plan does not say so.
  const isStoredColumn = (sort: string) => ['name', 'email', 'status'].includes(sort);

  it.each(SORTS)(
    'sorted by %s, %s, reads only the records on the page, for any number of matches',
    (sort, order) => {
      // The page is larger than the number of matches among the first rows, so those matches do not fill it.
      const details = planOf(statementsFor({ sort, order, search: 'mary' }).at(-1));
      expect(details).not.toBe('');
      expect(details).not.toContain('USE TEMP B-TREE');
      if (isStoredColumn(sort)) expect(details).toContain('a USING COVERING INDEX');
    },
  );

  it.each(SORTS.filter(([sort]) => isStoredColumn(sort)))(
    'sorted by %s, %s, reads a page near the start of the sort from the covering index alone',
    (sort, order) => {
      const prepared = statementsFor({ sort, order, search: 'zoe', limit: 10 });
      // In ascending order of name, the matches come last. The first rows then do not fill the page, so a second query runs.
      expect(prepared).toHaveLength(sort === 'name' && order === 'asc' ? 2 : 1);
      const details = planOf(prepared[0]);
      expect(details).toContain('a USING COVERING INDEX');
      expect(details).not.toContain('USE TEMP B-TREE');
    },
  );
});
