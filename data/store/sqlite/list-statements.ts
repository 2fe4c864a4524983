import type Database from 'better-sqlite3';
import type { ListPage } from '../../model/admin-lists.ts';
import { type Condition, conditionValues, whereClause } from '../rules/list-conditions.ts';
import { cappedTotal, MAX_COUNTED } from '../rules/record-lists.ts';

export type Value = string | number | null;

/** A limit with a placeholder. Without `0 +`, SQLite would replan the statement for every bound number. */
export const LIMIT = 'limit 0 + ?';

export function statementCache(client: Database.Database) {
  const statements = new Map<string, Database.Statement<Value[]>>();
  return (sql: string): Database.Statement<Value[]> => {
    const statement = statements.get(sql) ?? client.prepare<Value[]>(sql);
    statements.set(sql, statement);
    return statement;
  };
}
export type Statements = ReturnType<typeof statementCache>;

export function readCount(statements: Statements, sql: string, values: readonly Value[] = []): number {
  return Number(
    statements(sql)
      .pluck()
      .get(...values) ?? 0,
  );
}

/** Reads a count from `record_counts`, which triggers maintain. */
export function maintainedCount(statements: Statements, kind: string, status: string | undefined): number {
  const sql = 'select sum(rows) from record_counts where kind = ?';
  return status === undefined
    ? readCount(statements, sql, [kind])
    : readCount(statements, `${sql} and status = ?`, [kind, status]);
}

export function countTotal(
  statements: Statements,
  source: string,
  conditions: readonly Condition[],
): Pick<ListPage, 'total' | 'isTotalExact'> {
  const sql = `select count(*) from (select 1 from ${source} ${whereClause(conditions)} limit ${MAX_COUNTED + 1})`;
  return cappedTotal(readCount(statements, sql, conditionValues(conditions)), MAX_COUNTED);
}
