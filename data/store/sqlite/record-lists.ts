import type { ListPage } from '../../model/admin-lists.ts';
import type { ListQuery, StoredPage } from '../record-port.ts';
import { type Condition, conditionValues, filterConditions, whereClause } from '../rules/list-conditions.ts';
import {
  cursorText,
  cursorValue,
  hasWorkFilter,
  isTotalMaintained,
  namedProperty,
  toPage,
  UNCOUNTED_TOTAL,
} from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import {
  countTotal,
  LIMIT,
  maintainedCount,
  readCount,
  type Statements,
  type Value,
} from './list-statements.ts';
import type { ListedTable } from './listed-tables.ts';
import {
  matchCondition,
  matchRowIdsSql,
  matchTotal,
  type SearchMatches,
  searchTable,
} from './record-search.ts';

/**
 * If a search has at most this many matches, all of them are read and sorted. If it has more, `pageOfFirstRows` is
 * tried first.
 */
const MAX_SORTED = 500;
/**
 * How many of the first rows are searched. When many rows match, the first rows nearly always contain a full page of matches.
 * If the row ids of the matches are known, only the index is searched (`inIndex`); otherwise, the words of each row must also
 * be read (`read`).
 */
const FIRST_ROWS = { read: 200, inIndex: 3_000 } as const;

/** Counts the rows on all pages. If there are too many to count quickly, the total is not exact. */
function countRows(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  matches: SearchMatches | null,
): Pick<ListPage, 'total' | 'isTotalExact'> {
  const { table, kind, wordTable } = list;
  if (matches) {
    const total = matchTotal(matches);
    if (filters.length === 0) return total;
    const conditions = [...filters, matchCondition(wordTable, matches)];
    const sql = `select count(*) from ${table} a ${whereClause(conditions)}`;
    return { ...total, total: readCount(statements, sql, conditionValues(conditions)) };
  }
  if (isTotalMaintained(query)) {
    return { total: maintainedCount(statements, kind, query.filters.status), isTotalExact: true };
  }
  return countTotal(statements, `${table} a`, filters);
}

/** Rows with equal values are sorted by submission time. */
const sortKeys = (column: string): readonly string[] =>
  column === 'a.referenceNumber' ? [column] : [...new Set([column, 'a.createdAt', 'a.referenceNumber'])];

function cursorConditions(
  statements: Statements,
  { table }: ListedTable,
  column: string,
  { after, order, sort }: ListQuery,
): readonly Condition[] {
  if (after === null) return [];
  const [value = '', reference = ''] = after.split('~');
  const keys = sortKeys(column);
  const cursorRow = statements(`select ${keys.join(', ')} from ${table} a where a.referenceNumber = ?`)
    .raw()
    .get(reference) as Value[] | undefined;
  // The cursor's row no longer exists, so the next page cannot be found and is empty.
  if (cursorRow === undefined) return [['0']];
  const cursorValues = [cursorValue(sort, value) ?? cursorRow[0] ?? null, ...cursorRow.slice(1)];
  const marks = cursorValues.map(() => '?').join(', ');
  return [[`(${keys.join(', ')}) ${order === 'asc' ? '>' : '<'} (${marks})`, ...cursorValues]];
}

interface PageSql {
  readonly sql: string;
  /** The values to bind, except for the last placeholder, which is the number of rows to read. */
  readonly values: readonly Value[];
}

/**
 * Builds the SQL for a page of matches in order of submission. The row ids are in the same order, so only the rows of the page
 * are read.
 */
function pageByTime(
  { table, wordTable, columns }: ListedTable,
  { after, order }: ListQuery,
  filters: readonly Condition[],
  matches: SearchMatches,
): PageSql {
  const [rowIds, value] = matchRowIdsSql(wordTable, matches);
  const conditions: Condition[] = [
    matches.rowIds ? [`s.sequence in (${rowIds})`, value] : [`w.${wordTable} match ?`, value],
    ...filters,
  ];
  if (after !== null) {
    const cursorSequence = `(select p.sequence from ${table} p where p.referenceNumber = ?)`;
    conditions.push([`s.sequence ${order === 'asc' ? '>' : '<'} ${cursorSequence}`, after.replace('~', '')]);
  }
  const [source, orderColumn] = matches.rowIds
    ? ['record_search s', 's.sequence']
    : [`${wordTable} w cross join record_search s on s.sequence = w.rowid`, 'w.rowid'];
  const sql = `select ${columns} from ${source} cross join ${table} a on a.referenceNumber = s.referenceNumber ${whereClause(conditions)} order by ${orderColumn} ${order} ${LIMIT}`;
  return { sql, values: conditionValues(conditions) };
}

const orderClause = (keys: readonly string[], order: ListQuery['order']): string =>
  `order by ${keys.map((key) => `${key} ${order}`).join(', ')}`;

/** Builds the SQL for a page, read through the index of the sort or a filter, or by sorting a search's matches. */
function sortedPage(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  matches: SearchMatches | null,
  { expression, index }: ListedTable['sorts'][string],
): PageSql {
  const { table, columns, wordTable } = list;
  const order = orderClause(sortKeys(expression), query.order);
  const conditions = [...filters, ...cursorConditions(statements, list, expression, query)];
  const indexedFilter = Object.keys(query.filters).find(
    (name) => query.filters[name] && list.filters[name]?.index,
  );
  const indexName = (indexedFilter === undefined ? undefined : list.filters[indexedFilter]?.index) ?? index;
  let source = `${table} a indexed by ${indexName}`;
  if (matches?.rowIds) {
    conditions.push(matchCondition(wordTable, matches));
    source = `${table} a`;
  } else if (matches) {
    const [rowIds, value] = matchRowIdsSql(wordTable, matches);
    const references = `select referenceNumber from record_search where sequence in (${rowIds})`;
    // Of the sorts' indexes that are read here, only the one on the reference number does not contain the sequence.
    const isInIndex = expression !== 'a.referenceNumber';
    conditions.push([
      isInIndex ? `a.sequence in (${rowIds})` : `a.referenceNumber in (${references})`,
      value,
    ]);
    if (!isInIndex) source = `${table} a`;
  }
  // The inner query finds the page, in the index alone if possible. Then only the rows of the page are read.
  const page = `select a.referenceNumber from ${source} ${whereClause(conditions)} ${order} ${LIMIT}`;
  const sql = `select ${columns} from ${table} a where a.referenceNumber in (${page}) ${order}`;
  return { sql, values: conditionValues(conditions) };
}

/** Builds the SQL for a page of the matches among the first rows of a sort. If many rows match, these matches fill the page. */
function pageOfFirstRows(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  matches: SearchMatches,
  { expression, index }: ListedTable['sorts'][string],
): PageSql {
  const { table, columns, wordTable } = list;
  const order = orderClause(sortKeys(expression), query.order);
  const conditions = [...filters, ...cursorConditions(statements, list, expression, query)];
  const rows = `from ${table} a indexed by ${index} ${whereClause(conditions)} ${order}`;
  const [rowIds, value] = matchRowIdsSql(wordTable, matches);
  const page = matches.rowIds
    ? `select f.referenceNumber from (select a.referenceNumber, a.sequence ${rows} limit ${FIRST_ROWS.inIndex}) f where f.sequence in (${rowIds}) ${LIMIT}`
    : `select f.referenceNumber from (select a.referenceNumber, a.sequence ${rows} limit ${FIRST_ROWS.read}) f cross join record_search s on s.sequence = f.sequence where has_words(s.words, ?) ${LIMIT}`;
  const sql = `select ${columns} from ${table} a where a.referenceNumber in (${page}) ${order}`;
  return { sql, values: [...conditionValues(conditions), matches.rowIds ? value : matches.search] };
}

/** Whether a search has so many matches that the first rows of the sort are tried first. */
function shouldTryFirstRows(
  { rowIds }: SearchMatches,
  { expression }: ListedTable['sorts'][string],
): boolean {
  if (rowIds === null) return true;
  // The index on the reference number does not contain the sequence, so known matches cannot be found in that index alone.
  return rowIds.length > MAX_SORTED && expression !== 'a.referenceNumber';
}

/** If a filter by due time or assignee matches more records than this, the sort's index is used instead of the filter's index. */
const MAX_WORK_SORTED = 2_000;

/**
 * Returns the name of the index through which a page is read, usually the sort's index. With a filter by due time or assignee,
 * it is the filter's index if few rows match or if they are sorted by due time.
 */
function indexFor(
  { table }: ListedTable,
  query: ListQuery,
  { index }: ListedTable['sorts'][string],
  { total }: Pick<ListPage, 'total'>,
): string {
  if (!hasWorkFilter(query) || (query.sort !== 'dueAt' && total > MAX_WORK_SORTED)) return index;
  return `${table}_by_${query.assigneeId === undefined ? 'dueRank' : 'assignee'}`;
}

/** @throws {RangeError} when the list has no such sort or filter. */
export function listPage(statements: Statements, list: ListedTable, query: ListQuery): StoredPage<RawRow> {
  const { table, sorts } = list;
  const sortSpec = namedProperty(table, 'sort', sorts, query.sort);
  const filters = filterConditions(list, query);
  const matches = searchTable(statements, list.wordTable, query.search);
  // With a filter by due time or assignee, the total decides which index is used.
  const total =
    query.skipsTotal && !hasWorkFilter(query)
      ? UNCOUNTED_TOTAL
      : countRows(statements, list, query, filters, matches);
  const sort = { ...sortSpec, index: indexFor(list, query, sortSpec, total) };
  const read = ({ sql, values }: PageSql) => statements(sql).all(...values, query.limit + 1) as RawRow[];
  const isByTime = query.sort === 'createdAt';
  const firstRows =
    matches && !isByTime && shouldTryFirstRows(matches, sort)
      ? read(pageOfFirstRows(statements, list, query, filters, matches, sort))
      : [];
  const rows =
    firstRows.length > query.limit
      ? firstRows
      : read(
          matches && isByTime
            ? pageByTime(list, query, filters, matches)
            : sortedPage(statements, list, query, filters, matches, sort),
        );
  return {
    ...toPage(rows, query, (row) => cursorText(query.sort, row)),
    ...total,
  };
}
