import type Database from 'better-sqlite3';
import type { ListFilters, ListPage, ListQuery } from '../record-port.ts';
import { matchText } from './record-words.ts';

/** One of the lists that the team reads: where its rows are, and how they are sorted, narrowed and searched. */
export interface ListedTable {
  readonly table: string;
  /** What the counted rows are called in `record_counts`. */
  readonly kind: string;
  /** Its word table. */
  readonly words: string;
  /** The columns of a row, of the table as `a`. */
  readonly columns: string;
  /** By sort: what is sorted by, and the index that holds it with the time and the reference number. */
  readonly sorts: Readonly<Record<string, { readonly by: string; readonly index: string }>>;
  /** By filter: a condition in which `?` is its value. */
  readonly filters: Readonly<Partial<Record<keyof ListFilters, string>>>;
}

type Value = string | number;
type Condition = readonly [sql: string, ...values: Value[]];

/** Matches up to which a search is sorted whole; beyond it the sort's index is walked until enough match. */
const SORTED_AT_MOST = 2_000;
/** Rows that are counted of what is filtered. */
const COUNTED_AT_MOST = 10_000;
/** A filter value that stands for another in the table. */
const TIER_RANKS: Readonly<Record<string, number>> = { None: 1, Duckling: 2, Banker: 3, Raven: 4 };

/** Statements by their text: each list has a few dozen. */
export function statementCache(client: Database.Database) {
  const statements = new Map<string, Database.Statement<Value[]>>();
  return (sql: string): Database.Statement<Value[]> => {
    const known = statements.get(sql) ?? client.prepare<Value[]>(sql);
    statements.set(sql, known);
    return known;
  };
}
export type Statements = ReturnType<typeof statementCache>;

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : `where ${conditions.map(([sql]) => sql).join(' and ')}`;
const valuesOf = (conditions: readonly Condition[]): Value[] => conditions.flatMap(([, ...values]) => values);

/** How many rows a statement counts. */
export function counted(statements: Statements, sql: string, values: readonly Value[]): number {
  return Number(
    statements(sql)
      .pluck()
      .get(...values) ?? 0,
  );
}

export const MATCHES = (words: string): string => `select rowid from ${words} where ${words} match ?`;
const HAS_WORDS =
  'has_words((select s.words from record_search s where s.referenceNumber = a.referenceNumber), ?)';

interface Found {
  readonly conditions: readonly Condition[];
  /** Whether the conditions name the few rows themselves, so that no index of a sort is walked. */
  readonly isFew: boolean;
  /** Matches there are, counted up to one more than are sorted. */
  readonly matches: number;
  readonly match: string;
}

/** What a search asks of the rows; null where it is none. */
function searched(statements: Statements, { words }: ListedTable, search: string | null): Found | null {
  if (search === null) return null;
  const match = matchText(search);
  if (match === null) return { conditions: [['0']], isFew: true, matches: 0, match: '' };
  const matches = counted(
    statements,
    `select count(*) from (${MATCHES(words)} limit ${SORTED_AT_MOST + 1})`,
    [match],
  );
  if (matches > SORTED_AT_MOST) return { conditions: [[HAS_WORDS, search]], isFew: false, matches, match };
  const references = `select referenceNumber from record_search where sequence in (${MATCHES(words)})`;
  return { conditions: [[`a.referenceNumber in (${references})`, match]], isFew: true, matches, match };
}

function filtersOf({ filters: known }: ListedTable, query: ListQuery): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const [name, value] of Object.entries(query.filters)) {
    const sql = known[name as keyof ListFilters];
    if (sql === undefined || value === undefined) continue;
    conditions.push([sql, name === 'tier' ? (TIER_RANKS[String(value)] ?? -1) : String(value)]);
  }
  if (query.from !== null) conditions.push(['a.createdAt >= ?', query.from]);
  if (query.before !== null) conditions.push(['a.createdAt < ?', query.before]);
  return conditions;
}

/** How many rows there are on all pages, exactly where that is quick to know. */
function totalOf(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  found: Found | null,
): Pick<ListPage<unknown>, 'total' | 'isTotalExact'> {
  const { table, kind, words } = list;
  if (found && !found.isFew) {
    if (filters.length === 0) return { total: SORTED_AT_MOST, isTotalExact: false };
    const some = `select referenceNumber from record_search where sequence in (${MATCHES(words)} order by rowid desc limit ${SORTED_AT_MOST})`;
    const sql = `select count(*) from ${table} a ${where([...filters, [`a.referenceNumber in (${some})`]])}`;
    return { total: counted(statements, sql, [...valuesOf(filters), found.match]), isTotalExact: false };
  }
  if (found) {
    if (filters.length === 0) return { total: found.matches, isTotalExact: true };
    const conditions = [...filters, ...found.conditions];
    const sql = `select count(*) from ${table} a ${where(conditions)}`;
    return { total: counted(statements, sql, valuesOf(conditions)), isTotalExact: true };
  }
  const { status, ...others } = query.filters;
  const isMaintained =
    query.from === null && query.before === null && Object.values(others).every((one) => one === undefined);
  if (isMaintained) {
    const sql = `select sum(rows) from record_counts where kind = ?${status === undefined ? '' : ' and status = ?'}`;
    const values = status === undefined ? [kind] : [kind, status];
    return { total: counted(statements, sql, values), isTotalExact: true };
  }
  const sql = `select count(*) from (select 1 from ${table} a ${where(filters)} limit ${COUNTED_AT_MOST + 1})`;
  const total = counted(statements, sql, valuesOf(filters));
  return { total: Math.min(total, COUNTED_AT_MOST), isTotalExact: total <= COUNTED_AT_MOST };
}

/** What rows are sorted by in the end: those alike stand in the order in which they came in. */
const sortKeys = (by: string): readonly string[] =>
  by === 'a.referenceNumber' ? [by] : [...new Set([by, 'a.createdAt', 'a.referenceNumber'])];

/**
 * The place after a row: its reference number, and before it where it stands in a sort that changes. The values of any
 * other sort are looked up, since they may be a name.
 */
const placeOf = (sort: string, row: Readonly<Record<string, unknown>>): string =>
  `${sort === 'status' ? String(row.status) : ''}~${String(row.referenceNumber)}`;

function afterPlace(
  statements: Statements,
  { table }: ListedTable,
  by: string,
  { after, order }: ListQuery,
): readonly Condition[] {
  if (after === null) return [];
  const [value = '', reference = ''] = after.split('~');
  const keys = sortKeys(by);
  const looked = statements(`select ${keys.join(', ')} from ${table} a where a.referenceNumber = ?`)
    .raw()
    .get(reference) as Value[] | undefined;
  // The place is of no row of this list: nothing comes after it.
  if (looked === undefined) return [['0']];
  const place = value === '' ? looked : [value, ...looked.slice(1)];
  const marks = place.map(() => '?').join(', ');
  return [[`(${keys.join(', ')}) ${order === 'asc' ? '>' : '<'} (${marks})`, ...place]];
}

interface PageSql {
  readonly sql: string;
  /** All but the last, which is the number of rows. */
  readonly values: readonly Value[];
}

/**
 * What a search finds, in the order in which it came in: the order of the word table itself, so that no more is read than
 * is shown.
 */
function foundByTime(
  { table, words, columns }: ListedTable,
  { after, order }: ListQuery,
  filters: readonly Condition[],
  { match }: Found,
): PageSql {
  const conditions: Condition[] = [[`w.${words} match ?`, match], ...filters];
  if (after !== null) {
    const place = '(select p.sequence from record_search p where p.referenceNumber = ?)';
    conditions.push([`w.rowid ${order === 'asc' ? '>' : '<'} ${place}`, after.replace('~', '')]);
  }
  const sql = `select ${columns} from ${words} w cross join record_search s on s.sequence = w.rowid cross join ${table} a on a.referenceNumber = s.referenceNumber ${where(conditions)} order by w.rowid ${order} limit ?`;
  return { sql, values: valuesOf(conditions) };
}

/** A page by the index of its sort, or of few rows that a search finds. */
function sortedPage(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  found: Found | null,
  { by, index }: ListedTable['sorts'][string],
): PageSql {
  const { table, columns } = list;
  const conditions = [...filters, ...(found?.conditions ?? []), ...afterPlace(statements, list, by, query)];
  const order = `order by ${sortKeys(by)
    .map((key) => `${key} ${query.order}`)
    .join(', ')}`;
  // The rows of the page are found first, in the index alone where it can be; only they are then read whole.
  const page = `select a.referenceNumber from ${table} a ${found?.isFew ? '' : `indexed by ${index}`} ${where(conditions)} ${order} limit ?`;
  const sql = `select ${columns} from ${table} a where a.referenceNumber in (${page}) ${order}`;
  return { sql, values: valuesOf(conditions) };
}

/** A page of a list. @throws {RangeError} where it has no such sort. */
export function listPage(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
): ListPage<Readonly<Record<string, unknown>>> {
  const { table, sorts } = list;
  const sort = Object.hasOwn(sorts, query.sort) ? sorts[query.sort] : undefined;
  if (!sort) throw new RangeError(`${table} has no sort ${query.sort}.`);
  const filters = filtersOf(list, query);
  const found = searched(statements, list, query.search);
  const { sql, values } =
    found && found.match !== '' && query.sort === 'createdAt'
      ? foundByTime(list, query, filters, found)
      : sortedPage(statements, list, query, filters, found, sort);
  const rows = statements(sql).all(...values, query.limit + 1) as Readonly<Record<string, unknown>>[];
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    ...totalOf(statements, list, query, filters, found),
    next: rows.length > shown.length && last ? placeOf(query.sort, last) : null,
  };
}
