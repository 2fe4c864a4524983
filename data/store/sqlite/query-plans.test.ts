import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FIRST_PAGE } from '../testing/sample-submissions.ts';
import { newFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';
import { prepareAuditSearch, prepareAuditStatements } from './audit-trail.ts';
import { openDeliveries } from './delivery-store.ts';
import { drizzle } from './drizzle.ts';
import { prepareEventStatements } from './event-statements.ts';
import { createGroupCommit } from './group-commit.ts';
import { prepareIndexQueries } from './index-queries.ts';
import { openIndexWriter } from './index-writer.ts';
import type { Statements } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { openForReading, openForWriting } from './open-database.ts';
import { listPage } from './record-lists.ts';
import { APP_FILE, INDEX_FILE } from './store-files.ts';
import { openSubmissions } from './submission-store.ts';

let folder: string;
let index: Database.Database;
let app: Database.Database;
beforeAll(() => {
  folder = newFolder();
  index = openForWriting(join(folder, 'index.db'), INDEX_FILE);
  app = openForWriting(join(folder, 'app.db'), APP_FILE);
});
afterAll(() => {
  index.close();
  app.close();
  rmSync(folder, { recursive: true });
});

interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

function planSteps(client: Database.Database, sql: string): PlanStep[] {
  const values = Array.from({ length: sql.split('?').length - 1 }, () => null);
  return client.prepare<null[], PlanStep>(`explain query plan ${sql}`).all(...values);
}

const planText = (steps: readonly PlanStep[]): string => steps.map(({ detail }) => detail).join('; ');
const queryPlan = (client: Database.Database, sql: string): string => planText(planSteps(client, sql));

/** The query plan without the steps for provisional events. SQLite sorts those few rows, then merges them with the final ones. */
function finalEventsPlan(client: Database.Database, sql: string): string {
  const excludedIds = new Set<number>();
  const steps = planSteps(client, sql).filter(({ id, parent, detail }) => {
    if (detail !== 'RIGHT' && !excludedIds.has(parent)) return true;
    excludedIds.add(id);
    return false;
  });
  return planText(steps);
}

function checkedPlans(
  client: Database.Database,
  prepare: () => unknown,
  isChecked: (sql: string) => boolean,
  plan = queryPlan,
) {
  const prepared = vi.spyOn(client, 'prepare');
  prepare();
  const statements = prepared.mock.calls.map(([source]) => source);
  prepared.mockRestore();
  return statements.filter(isChecked).map((source) => plan(client, source));
}

describe('queries', () => {
  it.each([
    ['reader', () => prepareIndexQueries(index), 4],
    ['writer', () => prepareEventStatements(index, drizzle({ client: index })), 6],
  ])('of the %s on events use an index, and never sort a history', (_, prepare, minPlans) => {
    const isOnEvents = (sql: string) => /"(all_)?events"/.test(sql) && !sql.startsWith('insert');
    const plans = checkedPlans(index, prepare, isOnEvents, finalEventsPlan);
    expect(plans.length).toBeGreaterThanOrEqual(minPlans);
    for (const plan of plans) {
      expect(plan).toMatch(
        /SEARCH events USING (COVERING INDEX|INDEX|INTEGER PRIMARY KEY)|SCAN events USING INDEX events_ended_stakes/,
      );
      expect(plan).not.toMatch(
        /COMPOUND QUERY|AUTOMATIC|SCAN events(?! USING INDEX events_ended_stakes)|USE TEMP B-TREE FOR ORDER BY/,
      );
    }
  });

  it('use an index to find due deliveries and the deliveries of a reference number', () => {
    const group = createGroupCommit(app, APP_FILE);
    const open = () => openDeliveries(app, drizzle({ client: app }), () => () => {}, group);
    const plans = checkedPlans(app, open, (sql) => sql.startsWith('select') && sql.includes('"deliveries"'));
    const due = plans.filter((plan) =>
      plan.includes('deliveries_due (state=? AND channel=? AND nextAttemptAt<?)'),
    );
    expect(due).toHaveLength(1);
    expect(due[0]).not.toContain('TEMP B-TREE');
    expect(plans).toContainEqual(expect.stringContaining('deliveries_once (referenceNumber=?)'));
  });

  it('use an index of each table to find the submissions that name a wallet', () => {
    const db = drizzle({ client: app });
    const group = createGroupCommit(app, APP_FILE);
    const audit = prepareAuditStatements(db);
    const prepared = vi.spyOn(app, 'prepare');
    openSubmissions(app, { db, audit, queueDelivery: () => {}, group });
    const walletQuery = prepared.mock.calls.map(([sql]) => sql).find((sql) => sql.includes(':wallet')) ?? '';
    prepared.mockRestore();
    const plan = queryPlan(app, walletQuery.replaceAll(/:\w+/g, '?'));
    for (const table of ['card_applications', 'verification_requests', 'contact_messages']) {
      expect(plan).toMatch(
        new RegExp(`SEARCH ${table} USING (COVERING )?INDEX ${table}_\\w+ \\(walletAddress=\\?\\)`),
      );
    }
  });

  it.each(
    Object.entries(LISTED_TABLES).flatMap(([name, list]) =>
      Object.keys(list.sorts).map((sort) => [name, sort, list] as const),
    ),
  )('for the list %s by %s read the index for that sort, and sort at most one page', (_name, sort, list) => {
    const prepared: string[] = [];
    const statements: Statements = (sql) => {
      prepared.push(sql);
      return app.prepare(sql);
    };
    const after = sort === 'status' ? 'received~BD-20260102-123456' : null;
    const filters = 'status' in list.filters ? { status: 'received' } : {};
    listPage(statements, list, { ...FIRST_PAGE, sort, after, filters });
    const page = prepared.find((sql) => sql.includes('indexed by')) ?? '';
    const inner = page.slice(page.indexOf('(select a.referenceNumber') + 1, page.lastIndexOf(') order by'));
    const plan = queryPlan(app, inner);
    expect(plan).toMatch(new RegExp(`(SCAN|SEARCH) a USING (COVERING )?INDEX ${list.table}_`));
    expect.soft(plan).not.toContain('TEMP B-TREE');
  });

  it.each(['reference', 'actor', 'action', 'from'] as const)(
    'for the audit trail by %s use the index for that filter',
    (name) => {
      const prepared: string[] = [];
      const prepare = (sql: string) => {
        prepared.push(sql);
        return app.prepare(sql);
      };
      const client = { prepare };
      const filter = name === 'from' ? { from: 1, before: 9 } : { [name]: 'x', from: 1, before: 9 };
      prepareAuditSearch(client as unknown as Database.Database).find(filter, 1, { at: 2, sequence: 1 });
      const index = `INDEX audit_records_${name === 'from' ? 'at' : name}`;
      const plan = queryPlan(app, prepared[0] ?? '');
      expect(plan).toContain(index);
      expect(plan).not.toContain('TEMP B-TREE');
      expect(plan).toMatch(/at[<>]/);
    },
  );
});

/** Opens every part of both stores. @returns the SQL of each statement, all of which have been compiled */
async function compileAll(): Promise<readonly string[]> {
  const { prepare } = Database.prototype;
  const compiled: string[] = [];
  const get = () =>
    function (this: Database.Database, sql: string) {
      compiled.push(sql);
      return prepare.call(this, sql);
    };
  // The empty setter keeps `compileLazily` from replacing `prepare`, so statements compile immediately.
  Object.defineProperty(Database.prototype, 'prepare', { configurable: true, get, set: () => {} });
  try {
    const store = await openAppStore(join(folder, 'whole.db'));
    // Each part of the store is created when its property is read.
    expect(Object.values(store)).not.toContain(undefined);
    await store.close();
    expect(compiled.length).toBeGreaterThan(300);
    const reader = openForReading(join(folder, 'index.db'), INDEX_FILE).client;
    prepareIndexQueries(reader);
    reader.close();
    await (await openIndexWriter(join(folder, 'whole-index.db'))).close();
  } finally {
    Object.defineProperty(Database.prototype, 'prepare', {
      configurable: true,
      writable: true,
      value: prepare,
    });
  }
  return compiled;
}

// SQLite plans a statement again at each call if it binds a value for a column in the condition of a partial index.
it('all statements compile, and none binds a value for a column that a partial index compares to a word', async () => {
  const compared = [app, index].flatMap((client) =>
    client
      .prepare<[], { table: string; sql: string }>(
        "select tbl_name as 'table', sql from sqlite_schema where type = 'index' and sql like '% WHERE %'",
      )
      .all()
      .flatMap(({ table, sql }) =>
        [...(sql.split(/ where /i)[1] ?? '').matchAll(/(\w+)["`]? (?:=|<>|in) [('[]/gi)].map(
          ([, column]) => ({ table, column }),
        ),
      ),
  );
  expect(compared).toContainEqual({ table: 'deliveries', column: 'state' });
  const compiled = await compileAll();
  for (const { table, column } of compared) {
    const bound = new RegExp(`\\b${table}\\b.* where .*\\b${column}"? (=|<>|in) \\(?[?:@]`, 'is');
    expect.soft(compiled.filter((sql) => bound.test(sql))).toEqual([]);
  }
});
