import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListQuery } from '../record-port.ts';
import type { RecordListId } from '../rules/record-lists.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { FIRST_PAGE } from '../testing/sample-submissions.ts';
import { openAppStore } from './app-store.ts';
import { openAuditTrail } from './audit-trail.ts';
import { openDatabase } from './connection.ts';
import type { Database, Statement, Value } from './database.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { listPage } from './record-lists.ts';

describe('PostgreSQL', () => {
  const schema = newSchema();
  let db: Database;
  beforeAll(async () => {
    await (await openAppStore(testSettings(schema))).close();
    db = openDatabase(testSettings(schema));
  });
  afterAll(async () => {
    await db.close();
    await withDatabase(schema, (one) => one.run({ text: `drop schema ${schema} cascade`, name: undefined }));
  });

  /**
   * Returns the plan of the query for a page after the first one. Sequential scans, bitmap scans and sorts are disabled,
   * because the server prefers them for small tables.
   */
  async function planOf(list: RecordListId, query: Partial<ListQuery>): Promise<string> {
    const queries: [Statement<object>, readonly Value[]][] = [];
    const recording: Database = {
      ...db,
      all: async <Row extends object>(statement: Statement<Row>, ...values: readonly Value[]) => {
        queries.push([statement, values]);
        // Stands in for the row that the cursor points to. The types of the values do not matter.
        return [{ 0: '1', 1: '1', 2: '1' }] as unknown as readonly Row[];
      },
    };
    await listPage(recording, async () => [], LISTED_TABLES[list], { ...FIRST_PAGE, ...query });
    const [statement, values] = queries.find(([{ text }]) => text.includes(' order by ')) ?? [];
    if (!statement || !values) throw new Error('The list was not read.');
    const lines = await db.transaction([], async (transaction) => {
      for (const way of ['seqscan', 'sort', 'bitmapscan']) {
        await transaction.run({ text: `set local enable_${way} = off`, name: undefined });
      }
      const explain = { text: `explain (costs off) ${statement.text}`, name: undefined };
      return transaction.all<{ 'QUERY PLAN': string }>(explain, ...values);
    });
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  }

  const SORTS = Object.entries(LISTED_TABLES).flatMap(([list, { sorts }]) =>
    Object.keys(sorts).flatMap((sort) => [
      [list as RecordListId, sort, 'asc'] as const,
      [list as RecordListId, sort, 'desc'] as const,
    ]),
  );

  it.each(SORTS)('reads %s sorted by %s, %s, in the order of an index', async (list, sort, order) => {
    const plan = await planOf(list, { sort, order, after: '~BD-20260102-100000' });
    expect(plan).toMatch(/Index Scan( Backward)? using .* on .* a/);
    expect(plan).not.toContain('Sort');
  });

  it.each([
    ['reference', { reference: 'BD-20260102-123456' }],
    ['actor', { actor: 'a' }],
    ['action', { action: 'x.y' }],
    ['at', {}],
  ] as const)('reads the audit trail by %s in the order of its index', async (name, filter) => {
    const queries: [Statement<object>, readonly Value[]][] = [];
    const recording: Database = {
      ...db,
      all: async (statement, ...values) => {
        queries.push([statement, values]);
        return [];
      },
    };
    await openAuditTrail(recording).findAudit({ ...filter, from: 1, before: 9 }, 5, { at: 2, sequence: 1 });
    const [[statement, values] = []] = queries;
    if (!statement || !values) throw new Error('The trail was not read.');
    const lines = await db.transaction([], async (transaction) => {
      for (const way of ['seqscan', 'sort', 'bitmapscan']) {
        await transaction.run({ text: `set local enable_${way} = off`, name: undefined });
      }
      const explain = { text: `explain (costs off) ${statement.text}`, name: undefined };
      return transaction.all<{ 'QUERY PLAN': string }>(explain, ...values);
    });
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).toContain(`audit_records_${name}`);
    expect(plan).not.toContain('Sort');
  });

  it.each(Object.keys(LISTED_TABLES) as RecordListId[])('searches %s by a trigram index', async (list) => {
    const { table } = LISTED_TABLES[list];
    const plan = await db.transaction([], async (transaction) => {
      await transaction.run({ text: 'set local enable_seqscan = off', name: undefined });
      const text = `explain (costs off) select from ${table} a where a.trigrams @> '{1}'`;
      return transaction.all<object>({ ...db.statement(text), name: undefined });
    });
    expect(JSON.stringify(plan)).toContain('_trigrams');
  });
});
