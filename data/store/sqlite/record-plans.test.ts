import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListQuery } from '../record-port.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { openForWriting } from './open-database.ts';
import { listPage, type Statements } from './record-lists.ts';
import { APP_FILE } from './store-files.ts';

describe('lists of records', () => {
  let folder: string;
  let client: Database.Database;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-plans-'));
    client = openForWriting(join(folder, 'app.db'), APP_FILE);
  });
  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true });
  });

  it.each(
    Object.entries(LISTED_TABLES).flatMap(([name, list]) =>
      Object.keys(list.sorts).map((sort) => [name, sort, list] as const),
    ),
  )('%s by %s walk an index of that sort, and sort no more than their page', (_name, sort, list) => {
    const asked: string[] = [];
    const statements: Statements = (sql) => {
      asked.push(sql);
      return client.prepare(sql);
    };
    const query: ListQuery = {
      limit: 10,
      sort,
      order: 'desc',
      after: sort === 'status' ? 'received~BD-20260102-123456' : null,
      from: null,
      before: null,
      filters: 'status' in list.filters ? { status: 'received' } : {},
      search: null,
    };
    listPage(statements, list, query);
    const page = asked.find((sql) => sql.includes('indexed by')) ?? '';
    const inner = page.slice(page.indexOf('(select a.referenceNumber') + 1, page.lastIndexOf(') order by'));
    const values = Array.from({ length: inner.split('?').length - 1 }, () => 1);
    const plan = client.prepare<unknown[], { detail: string }>(`explain query plan ${inner}`).all(...values);
    const details = plan.map(({ detail }) => detail).join('; ');
    expect(details).toMatch(new RegExp(`(SCAN|SEARCH) a USING (COVERING )?INDEX ${list.table}_`));
    expect(details).not.toContain('TEMP B-TREE');
  });
});
