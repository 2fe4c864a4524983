import type { Choice, Direction, SortKey } from './column.ts';

/** Rows that hold a text, whatever its case, and have the value chosen. */
export function filterRows<Row>(
  rows: readonly Row[],
  { find, chosen }: { readonly find: string; readonly chosen: string | null },
  textOf: (row: Row) => string,
  choice?: Choice<Row>,
): readonly Row[] {
  const sought = find.trim().toLowerCase();
  if (sought === '' && (chosen === null || choice === undefined)) return rows;
  return rows.filter(
    (row) =>
      (chosen === null || choice === undefined || choice.valueOf(row) === chosen) &&
      (sought === '' || textOf(row).toLowerCase().includes(sought)),
  );
}

/** Rows in the order of a key; equal ones keep their order, and those without a value come last either way. */
export function sortRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => SortKey,
  direction: Direction,
): readonly Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  // Keys are made once each: exact amounts are parsed from text, and a sort asks for them many times.
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, other) => {
      if (one.key === null || other.key === null) {
        return Number(one.key === null) - Number(other.key === null);
      }
      if (one.key === other.key) return 0;
      return one.key < other.key ? -sign : sign;
    })
    .map(({ row }) => row);
}

/** One page of rows. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** From 1. One beyond the last is the last. */
  readonly page: number;
  readonly pages: number;
  /** Place of the page's first row among all, from 1; 0 where there is none. */
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

export function pageOf<Row>(rows: readonly Row[], wanted: number, pageSize: number): RowPage<Row> {
  const total = rows.length;
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const page = Math.min(Math.max(1, wanted), pages);
  const before = (page - 1) * pageSize;
  const shown = rows.slice(before, before + pageSize);
  return { rows: shown, page, pages, first: Math.min(before + 1, total), last: before + shown.length, total };
}
