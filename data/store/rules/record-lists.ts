import type { ListId, ListPage } from '../../model/admin-lists.ts';
import type { ListDefinition } from '../../model/define-list.ts';
import {
  APPLICATION_STATUSES,
  CONTACT_STATUSES,
  DELIVERY_SUBJECTS,
  LOAN_STATUSES,
  REQUEST_STATUSES,
} from '../../model/submission-status.ts';
import { type CardTier, tierRank } from '../../model/tiers.ts';
import type { ListedAttempt, ListQuery, RecordAssignment, RecordCounts, WorkFilter } from '../record-port.ts';
import type { RawRow } from './submission-rows.ts';

/** The lists that show the rows of one table. */
export type RecordListId = Exclude<ListId, 'delivery-logs'>;

/** Filtered rows are counted up to this number. */
export const MAX_COUNTED = 10_000;
/** Matches of a search are counted up to this number. */
export const MAX_MATCHES = 2_000;

/** The total of a count that stops at `max + 1`. */
export const cappedTotal = (total: number, max: number): Pick<ListPage, 'total' | 'isTotalExact'> => ({
  total: Math.min(total, max),
  isTotalExact: total <= max,
});

export const UNCOUNTED_TOTAL: Pick<ListPage, 'total' | 'isTotalExact'> = { total: 0, isTotalExact: false };

/**
 * A column that takes the place of a field when a list is sorted or filtered by that field. The function converts a field value
 * to the column's number.
 */
export type RankColumn = readonly [column: string, rankOf?: (value: string) => number];

/** In the generated column `tierRank`, `None` is 1, and an application without a tier is 0. */
const storedTierRank = (tier: string): number => tierRank(tier as CardTier | 'None') + 1;

export const WORK_RANKS: Readonly<Record<string, RankColumn>> = { dueAt: ['dueRank'] };

/**
 * Records that are not waiting for the team have a `dueRank` (a generated column) above this limit. The newest of them has the
 * lowest rank.
 */
const DUE_RANK_LIMIT = 4_000_000_000_000_000;

/**
 * The value to store as the due time of a record that is not waiting for the team. It is not a time, but a rank above
 * `DUE_RANK_LIMIT`.
 */
export const notDueRank = (createdAt: number): number => 2 * DUE_RANK_LIMIT - createdAt;

/**
 * The value that `dueRank` must be below to match a filter by due time. Records that are not waiting for the team never match.
 */
export const dueRankBefore = (dueBefore: number): number => Math.min(dueBefore, DUE_RANK_LIMIT);

/** Filters that set other fields of the query instead of being compared with a column. */
const COMPUTED_FILTERS: readonly string[] = ['assignee', 'due', 'received'];

export const columnFilters = (filters: ListDefinition['filters']): readonly string[] =>
  Object.keys(filters).filter((id) => !COMPUTED_FILTERS.includes(id));

export const hasWorkFilter = ({ assigneeId, dueBefore }: WorkFilter): boolean =>
  assigneeId !== undefined || dueBefore !== undefined;

/** Whether a record with this status can wait for the applicant. Does not apply to contact messages. */
export const mayWait = (status: unknown): boolean => status === 'received' || status === 'in-review';

/** SQL condition: the record is waiting for the applicant. Does not apply to contact messages. The table's alias is `a`. */
export const IS_WAITING = `a."dueLeft" is not null and a.status in ('received', 'in-review')`;

export function toRecordAssignment({
  assigneeId,
  assignee,
  dueRank,
  status,
  dueLeft,
}: RawRow): RecordAssignment {
  const isDue = typeof dueRank === 'number' && dueRank < DUE_RANK_LIMIT;
  return {
    assigneeId: typeof assigneeId === 'string' ? assigneeId : null,
    assignee: typeof assignee === 'string' ? assignee : null,
    dueAt: isDue ? dueRank : null,
    isWaiting: status === 'waiting' || (typeof dueLeft === 'number' && mayWait(status)),
  };
}

export const APPLICATION_RANKS: Readonly<Record<string, RankColumn>> = {
  ...WORK_RANKS,
  tier: ['tierRank', storedTierRank],
  bdAmount: ['amountRank'],
};

/** Looks up a property by a name that comes from a query. @throws {RangeError} when there is no such property */
export function namedProperty<Value>(
  table: string,
  what: string,
  values: Readonly<Record<string, Value>>,
  name: string,
): Value {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new RangeError(`${table} has no ${what} ${name}.`);
  return value;
}

/**
 * The cursor for the page after a row: the row's reference number. If the list is sorted by status or due time, the row's status
 * or rank precedes the number, because that value may have changed by the time the next page is read. Other sort values are
 * looked up in the row, because a cursor must not contain personal data.
 */
export function cursorText(sort: string, row: RawRow): string {
  const value = sort === 'status' ? row.status : sort === 'dueAt' ? row.dueRank : '';
  return `${String(value)}~${String(row.referenceNumber)}`;
}

/** The sort value that a cursor contains; null if it is looked up in the row. */
export function cursorValue(sort: string, value: string): string | number | null {
  if (sort === 'status') return value;
  return sort === 'dueAt' && /^\d{1,16}$/.test(value) ? Number(value) : null;
}

/** If another page follows, `fetchedRows` has one more row than the limit. */
export function toPage<Row>(
  fetchedRows: readonly Row[],
  { limit }: Pick<ListQuery, 'limit'>,
  cursorOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const rows = fetchedRows.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: fetchedRows.length > rows.length && last ? cursorOf(last) : null };
}

/**
 * Whether the total of a list can be taken from the stored counts. There is a count for each kind and status, so status
 * is the only filter allowed.
 */
export function isTotalMaintained({ search, from, before, filters, ...work }: ListQuery): boolean {
  const { status, ...others } = filters;
  const isFiltered = Object.values(others).some((one) => one !== undefined);
  return search === null && from === null && before === null && !isFiltered && !hasWorkFilter(work);
}

/** Converts `isNewest`, because SQLite has no booleans. */
export function toAttempt(row: RawRow): ListedAttempt {
  const kind = DELIVERY_SUBJECTS.find((known) => known === row.kind);
  if (kind === undefined)
    throw new RangeError(`The store has a delivery of an unknown kind: ${String(row.kind)}.`);
  return { ...(row as unknown as ListedAttempt), kind, isNewest: Boolean(row.isNewest) };
}

function byStatus<Status extends string>(
  statuses: readonly Status[],
  count: (status: Status) => number,
): Record<Status, number> {
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>;
}

/** @param storedCount returns the stored count of a kind and a status */
export function toRecordCounts(
  storedCount: (kind: string, status: string) => number,
  counts: Pick<RecordCounts, 'recentApplications' | 'recentContacts' | 'waitingDeliveries'>,
): RecordCounts {
  const countIn = (kind: string) => (status: string) => storedCount(kind, status);
  return {
    applications: byStatus(APPLICATION_STATUSES, countIn('card-application')),
    contacts: byStatus(CONTACT_STATUSES, countIn('contact-message')),
    requests: byStatus(REQUEST_STATUSES, countIn('verification-request')),
    loans: byStatus(LOAN_STATUSES, countIn('loan-application')),
    ...counts,
    sentDeliveries: storedCount('delivery', 'sent'),
    deadDeliveries: storedCount('delivery', 'dead'),
  };
}
