import type { ListId, ListPage } from '../../model/admin-lists.ts';
import {
  APPLICATION_STATUSES,
  DELIVERY_KINDS,
  LOAN_STATUSES,
  REQUEST_STATUSES,
} from '../../model/submission-status.ts';
import { type CardTier, tierRank } from '../../model/tiers.ts';
import type { ListedAttempt, ListQuery, RecordCounts } from '../record-port.ts';
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

/** A column to sort and filter by in place of the field, and a function that returns a value's number in that column. */
export type Rank = readonly [column: string, rankOf?: (value: string) => number];

/** In the generated column `tierRank`, `None` is 1, and an application without a tier is 0. */
const storedTierRank = (tier: string): number => tierRank(tier as CardTier | 'None') + 1;

/** The fields of applications with a column of ranks. */
export const APPLICATION_RANKS: Readonly<Record<string, Rank>> = {
  tier: ['tierRank', storedTierRank],
  bdAmount: ['amountRank'],
};

/** The property that a query names. @throws {RangeError} when there is no such property */
export function named<Value>(
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
 * The cursor after a row: its reference number, preceded by its status if the list is sorted by it, because a status may
 * change. Other sort values are looked up in the row, because a cursor must not contain personal data.
 */
export const cursorText = (sort: string, row: RawRow): string =>
  `${sort === 'status' ? String(row.status) : ''}~${String(row.referenceNumber)}`;

/** Makes the page from rows, of which one more than the limit was read. */
export function pageOf<Row>(
  read: readonly Row[],
  { limit }: Pick<ListQuery, 'limit'>,
  cursorOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: read.length > rows.length && last ? cursorOf(last) : null };
}

/** Whether the total of a list is the maintained count of its kind, for a status or for all. */
export function isMaintained({ search, from, before, filters }: ListQuery): boolean {
  const { status, ...others } = filters;
  const isFiltered = Object.values(others).some((one) => one !== undefined);
  return search === null && from === null && before === null && !isFiltered;
}

/** An attempt from its row. SQLite has no booleans. */
export function toAttempt(row: RawRow): ListedAttempt {
  const kind = DELIVERY_KINDS.find((known) => known === row.kind);
  if (kind === undefined) throw new RangeError(`The store holds a delivery of ${String(row.kind)}.`);
  return { ...(row as unknown as ListedAttempt), kind, isNewest: Boolean(row.isNewest) };
}

function byStatus<Status extends string>(
  statuses: readonly Status[],
  count: (status: Status) => number,
): Record<Status, number> {
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>;
}

/** @param storedCount returns the maintained count of a kind and a status */
export function toRecordCounts(
  storedCount: (kind: string, status: string) => number,
  counted: Pick<RecordCounts, 'recentApplications' | 'recentContacts' | 'waitingDeliveries'>,
): RecordCounts {
  const countIn = (kind: string) => (status: string) => storedCount(kind, status);
  return {
    applications: byStatus(APPLICATION_STATUSES, countIn('card-application')),
    contacts: storedCount('contact-message', 'received'),
    requests: byStatus(REQUEST_STATUSES, countIn('verification-request')),
    loans: byStatus(LOAN_STATUSES, countIn('loan-application')),
    ...counted,
    sentDeliveries: storedCount('delivery', 'sent'),
    deadDeliveries: storedCount('delivery', 'dead'),
  };
}
