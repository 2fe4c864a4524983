import type { ListPage } from '../../model/admin-lists.ts';
import type { ListQuery, StoredPage } from '../record-port.ts';
import { type Condition, conditionValues, filterConditions, whereClause } from '../rules/list-conditions.ts';
import {
  cursorText,
  cursorValue,
  isTotalMaintained,
  MAX_COUNTED,
  MAX_MATCHES,
  namedProperty,
  toPage,
  UNCOUNTED_TOTAL,
} from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { type ReadCounts, storedCount } from './count-changes.ts';
import type { Database, Value } from './database.ts';
import { countTotal, readRows } from './list-statements.ts';
import type { ListedTable } from './listed-tables.ts';
import { matchCondition } from './record-search.ts';

function conditionsOf(list: ListedTable, query: ListQuery): readonly Condition<Value>[] {
  const conditions = filterConditions(list, query);
  return query.search === null ? conditions : [...conditions, matchCondition(query.search)];
}

/** The columns to sort by. Rows with equal values are in the order of submission. */
const sortKeys = (column: string): readonly string[] =>
  column === 'a."referenceNumber"'
    ? [column]
    : [...new Set([column, 'a."createdAt"', 'a."referenceNumber"'])];

const placeholders = (keys: readonly unknown[]): string => keys.map(() => '?').join(', ');

async function cursorConditions(
  db: Database,
  { table }: ListedTable,
  keys: readonly string[],
  { after, order, sort }: ListQuery,
): Promise<readonly Condition<Value>[]> {
  if (after === null) return [];
  const [value = '', reference = ''] = after.split('~');
  const columns = keys.map((key, index) => `${key} as "${index}"`).join(', ');
  const [cursorRow] = await readRows<Record<string, Value>>(
    db,
    `select ${columns} from ${table} a where a."referenceNumber" = ?`,
    [reference],
  );
  // If the row that the cursor points to no longer exists, the list ends here.
  if (!cursorRow) return [['false']];
  const cursorValues = keys.map((_, index) => cursorRow[index] ?? null);
  cursorValues[0] = cursorValue(sort, value) ?? cursorValues[0] ?? null;
  return [[`(${keys.join(', ')}) ${order === 'asc' ? '>' : '<'} (${placeholders(keys)})`, ...cursorValues]];
}

/** The number of rows on all pages. */
async function countRows(
  db: Database,
  readCounts: ReadCounts,
  { table, kind }: ListedTable,
  query: ListQuery,
  conditions: readonly Condition<Value>[],
): Promise<Pick<ListPage, 'total' | 'isTotalExact'>> {
  if (isTotalMaintained(query)) {
    return { total: storedCount(await readCounts(), kind, query.filters.status), isTotalExact: true };
  }
  return countTotal(db, `${table} a`, conditions, query.search === null ? MAX_COUNTED : MAX_MATCHES);
}

/** @throws {RangeError} when the list does not have the requested sort column or filter. */
export async function listPage(
  db: Database,
  readCounts: ReadCounts,
  list: ListedTable,
  query: ListQuery,
): Promise<StoredPage<RawRow>> {
  const { table, columns, sorts } = list;
  const keys = sortKeys(namedProperty(table, 'sort', sorts, query.sort));
  const conditions = conditionsOf(list, query);
  const pageConditions = [...conditions, ...(await cursorConditions(db, list, keys, query))];
  const order = keys.map((key) => `${key} ${query.order}`).join(', ');
  const sql = `select ${columns} from ${table} a ${whereClause(pageConditions)} order by ${order} limit ?`;
  const rows = await readRows<RawRow>(db, sql, [...conditionValues(pageConditions), query.limit + 1]);
  return {
    ...toPage(rows, query, (row) => cursorText(query.sort, row)),
    ...(query.skipsTotal ? UNCOUNTED_TOTAL : await countRows(db, readCounts, list, query, conditions)),
  };
}
