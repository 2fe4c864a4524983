import type { AuditFilter, AuditPosition } from '../audit-port.ts';
import type { ListQuery, WorkFilter } from '../record-port.ts';
import { dueRankBefore, namedProperty } from './record-lists.ts';

/** An SQL condition, with the values for its `?` placeholders. */
export type Condition<Value = string | number | null> = readonly [sql: string, ...values: Value[]];

export const whereClause = (conditions: readonly Condition<unknown>[]): string =>
  conditions.length === 0 ? '' : `where ${conditions.map(([sql]) => sql).join(' and ')}`;

export const conditionValues = <Value>(conditions: readonly Condition<Value>[]): Value[] =>
  conditions.flatMap(([, ...values]) => values);

/** The conditions for a filter by assignee and due time, on a table with the alias `a`. */
function workConditions({ assigneeId, dueBefore }: WorkFilter): readonly Condition[] {
  const conditions: Condition[] = [];
  if (assigneeId === null) conditions.push(['a."assigneeId" is null']);
  else if (assigneeId !== undefined) conditions.push(['a."assigneeId" = ?', assigneeId]);
  if (dueBefore !== undefined) conditions.push(['a."dueRank" < ?', dueRankBefore(dueBefore)]);
  return conditions;
}

/** The conditions for records that are waiting for the team. */
export const waitingConditions = (filter: WorkFilter): readonly Condition[] =>
  workConditions({ ...filter, dueBefore: filter.dueBefore ?? Number.POSITIVE_INFINITY });

export interface FilteredTable {
  readonly table: string;
  /** For each filter, a condition on the table `a` with one `?`, and a function that returns the value to bind. */
  readonly filters: Readonly<
    Record<string, { readonly sql: string; readonly bind: (value: string) => string | number }>
  >;
}

/** The conditions for a query's filters and time range. @throws {RangeError} if the list has no such filter. */
export function filterConditions({ table, filters }: FilteredTable, query: ListQuery): readonly Condition[] {
  const conditions: Condition[] = [...workConditions(query)];
  for (const [name, value] of Object.entries(query.filters)) {
    const { sql, bind } = namedProperty(table, 'filter', filters, name);
    if (value !== undefined) conditions.push([sql, bind(value)]);
  }
  if (query.from !== null) conditions.push(['a."createdAt" >= ?', query.from]);
  if (query.before !== null) conditions.push(['a."createdAt" < ?', query.before]);
  return conditions;
}

/** @param referenceSql the SQL that reads the reference number from an audit record's details */
export function auditConditions(
  { actor, action, reference, from, before }: AuditFilter,
  after: AuditPosition | null,
  referenceSql: string,
): readonly Condition[] {
  const conditions: Condition[] = [];
  if (reference !== undefined) conditions.push([`${referenceSql} = ?`, reference]);
  if (actor !== undefined) conditions.push(['actor = ?', actor]);
  if (action !== undefined) conditions.push(['action = ?', action]);
  if (from !== undefined) conditions.push(['at >= ?', from]);
  if (before !== undefined) conditions.push(['at < ?', before]);
  if (after) conditions.push(['(at, sequence) < (?, ?)', after.at, after.sequence]);
  return conditions;
}
