import type Database from 'better-sqlite3';
import type { ListFilters, ListPage, ListQuery } from '../record-port.ts';
import { type Found, isNamed, placesOf, searched, totalFound } from './record-search.ts';

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

/** Matches up to which they are read one by one and sorted at once; of more, a page is first looked for in the sort's index. */
const SORTED_AT_MOST = 500;
/**
 * Where many rows match, a page of them is nearly always among so many first rows of a sort. Where their places are
 * known, the index tells which they are; where there are too many for that, the words of each first row are read.
 */
const FIRST_ROWS = { read: 200, inIndex: 3_000 } as const;
/** Rows that are counted of what is filtered. */
const COUNTED_AT_MOST = 10_000;
/** A bound number of rows. Without the sum SQLite would plan the statement anew for every number that is bound. */
export const LIMIT = 'limit 0 + ?';
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
  if (found) {
    const total = totalFound(found);
    if (filters.length === 0) return total;
    const conditions = [...filters, isNamed(words, found)];
    const sql = `select count(*) from ${table} a ${where(conditions)}`;
    return { ...total, total: counted(statements, sql, valuesOf(conditions)) };
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
 * What a search finds, in the order in which it came in: that of the places, so that no more is read than is shown.
 */
function foundByTime(
  { table, words, columns }: ListedTable,
  { after, order }: ListQuery,
  filters: readonly Condition[],
  found: Found,
): PageSql {
  const [places, value] = placesOf(words, found);
  const conditions: Condition[] = [
    found.places ? [`s.sequence in (${places})`, value] : [`w.${words} match ?`, value],
    ...filters,
  ];
  if (after !== null) {
    const place = '(select p.sequence from record_search p where p.referenceNumber = ?)';
    conditions.push([`s.sequence ${order === 'asc' ? '>' : '<'} ${place}`, after.replace('~', '')]);
  }
  const [source, by] = found.places
    ? ['record_search s', 's.sequence']
    : [`${words} w cross join record_search s on s.sequence = w.rowid`, 'w.rowid'];
  const sql = `select ${columns} from ${source} cross join ${table} a on a.referenceNumber = s.referenceNumber ${where(conditions)} order by ${by} ${order} ${LIMIT}`;
  return { sql, values: valuesOf(conditions) };
}

const orderedBy = (keys: readonly string[], order: ListQuery['order']): string =>
  `order by ${keys.map((key) => `${key} ${order}`).join(', ')}`;

/** A page by the index of its sort, or of the rows that a search finds where they are known. */
function sortedPage(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  found: Found | null,
  { by, index }: ListedTable['sorts'][string],
): PageSql {
  const { table, columns, words } = list;
  const order = orderedBy(sortKeys(by), query.order);
  const conditions = [...filters, ...afterPlace(statements, list, by, query)];
  let [source, inOrder] = [`${table} a indexed by ${index}`, order];
  if (found?.places) {
    conditions.push(isNamed(words, found));
    source = `${table} a`;
  } else if (found) {
    const [places, value] = placesOf(words, found);
    if (by === 'a.referenceNumber') {
      // The words' own index holds number and place; with the sign before it, the place is compared, not looked up.
      conditions.push([`+s.sequence in (${places})`, value]);
      source = `record_search s cross join ${table} a on a.referenceNumber = s.referenceNumber`;
      inOrder = orderedBy(['s.referenceNumber'], query.order);
    } else conditions.push([`a.sequence in (${places})`, value]);
  }
  // The rows of the page are found first, in the index alone where it can be; only they are then read whole.
  const page = `select a.referenceNumber from ${source} ${where(conditions)} ${inOrder} ${LIMIT}`;
  const sql = `select ${columns} from ${table} a where a.referenceNumber in (${page}) ${order}`;
  return { sql, values: valuesOf(conditions) };
}

/** What is found among the first rows of a sort: the page itself, where many rows match and stand anywhere in it. */
function pageOfFirstRows(
  statements: Statements,
  list: ListedTable,
  query: ListQuery,
  filters: readonly Condition[],
  found: Found,
  { by, index }: ListedTable['sorts'][string],
): PageSql {
  const { table, columns, words } = list;
  const order = orderedBy(sortKeys(by), query.order);
  const conditions = [...filters, ...afterPlace(statements, list, by, query)];
  const rows = `from ${table} a indexed by ${index} ${where(conditions)} ${order}`;
  const [places, value] = placesOf(words, found);
  const page = found.places
    ? `select f.referenceNumber from (select a.referenceNumber, a.sequence ${rows} limit ${FIRST_ROWS.inIndex}) f where f.sequence in (${places}) ${LIMIT}`
    : `select f.referenceNumber from (select a.referenceNumber ${rows} limit ${FIRST_ROWS.read}) f cross join record_search s on s.referenceNumber = f.referenceNumber where has_words(s.words, ?) ${LIMIT}`;
  const sql = `select ${columns} from ${table} a where a.referenceNumber in (${page}) ${order}`;
  return { sql, values: [...valuesOf(conditions), found.places ? value : found.search] };
}

/** Whether a search finds so many rows that a page of them is first looked for where the sort begins. */
function isAmongFirst({ places }: Found, { by }: ListedTable['sorts'][string]): boolean {
  if (places === null) return true;
  // The index of the reference numbers does not hold the places.
  return places.length > SORTED_AT_MOST && by !== 'a.referenceNumber';
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
  const found = searched(statements, list.words, query.search);
  const read = ({ sql, values }: PageSql) =>
    statements(sql).all(...values, query.limit + 1) as Readonly<Record<string, unknown>>[];
  const isByTime = query.sort === 'createdAt';
  const early =
    found && !isByTime && isAmongFirst(found, sort)
      ? read(pageOfFirstRows(statements, list, query, filters, found, sort))
      : [];
  const rows =
    early.length > query.limit
      ? early
      : read(
          found && isByTime
            ? foundByTime(list, query, filters, found)
            : sortedPage(statements, list, query, filters, found, sort),
        );
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    ...totalOf(statements, list, query, filters, found),
    next: rows.length > shown.length && last ? placeOf(query.sort, last) : null,
  };
}
